// swift-format-ignore-file

/// The quantities, one per line: `field|unit|Home Assistant device class|Prometheus name|base unit|factor`.
///
/// The first matching line counts. `*` in a field matches any text. The device class is empty when Home Assistant has
/// none. The Prometheus name `~` stands for the field's name, followed by the base unit.
/// Base value = value · factor, in Prometheus's base units: seconds, meters, grams, joules, ratios from 0 to 1.
/// Source: Home Assistant's SensorDeviceClass (2026), prometheus.io "Metric and label naming".
enum QuantityTable {
    static let text = """
        battery_level|%|battery|battery_level_ratio|ratio|1e-2
        battery|%|battery|battery_level_ratio|ratio|1e-2
        humidity|%|humidity|humidity_ratio|ratio|1e-2
        moisture|%|moisture|moisture_ratio|ratio|1e-2
        battery_*|%|battery|~|ratio|1e-2
        humidity_*|%|humidity|~|ratio|1e-2
        dew_point|°C|temperature|dew_point_celsius|celsius|1
        temperature*|°C|temperature|~|celsius|1
        temperature*|°F|temperature|~|fahrenheit|1
        *|°C|temperature|~|celsius|1
        *|°F|temperature|~|fahrenheit|1
        *|K|temperature|~|kelvin|1
        pressure|Pa|atmospheric_pressure|pressure_pascals|pascals|1
        pressure|hPa|atmospheric_pressure|pressure_pascals|pascals|1e2
        barometric_pressure*|Pa|atmospheric_pressure|~|pascals|1
        *|Pa|pressure|~|pascals|1
        *|hPa|pressure|~|pascals|1e2
        *|mmHg|pressure|~|mmhg|1
        co2|ppm|carbon_dioxide|co2_ratio|ratio|1e-6
        co2_concentration|ppm|carbon_dioxide|co2_ratio|ratio|1e-6
        carbon_monoxide*|ppm|carbon_monoxide|~|ratio|1e-6
        pm2_5|µg/m³|pm25|pm2_5_grams_per_cubic_meter|grams_per_cubic_meter|1e-6
        pm10|µg/m³|pm10|pm10_grams_per_cubic_meter|grams_per_cubic_meter|1e-6
        tvoc|µg/m³|volatile_organic_compounds|tvoc_grams_per_cubic_meter|grams_per_cubic_meter|1e-6
        *pm2_5*|kg/m³|pm25|~|grams_per_cubic_meter|1e3
        voc_index||aqi|voc_index||1
        *|kg/m³||~|grams_per_cubic_meter|1e3
        *|µg/m³||~|grams_per_cubic_meter|1e-6
        *|ppm||~|ratio|1e-6
        voc|ppb|volatile_organic_compounds_parts|~|ratio|1e-9
        *|ppb||~|ratio|1e-9
        illuminance|lx|illuminance|illuminance_lux|lux|1
        *|lx|illuminance|~|lux|1
        irradiance|W/m²|irradiance|irradiance_watts_per_square_meter|watts_per_square_meter|1
        *|W/m²|irradiance|~|watts_per_square_meter|1
        heart_rate|bpm||heart_rate_beats_per_minute|beats_per_minute|1
        *|bpm||~|beats_per_minute|1
        *|V|voltage|~|volts|1
        *|A|current|~|amperes|1
        *|W|power|~|watts|1
        *|VA|apparent_power|~|volt_amperes|1
        energy|kWh|energy|energy_joules|joules|36e5
        *|kWh|energy|~|joules|36e5
        *|J|energy|~|joules|1
        *|Hz|frequency|~|hertz|1
        *|Ω||~|ohms|1
        *|T||~|teslas|1
        rain*|m|precipitation|~|meters|1
        precipitation|mm|precipitation|precipitation_meters|meters|1e-3
        *|m|distance|~|meters|1
        *|mm|distance|~|meters|1e-3
        wind_speed|m/s|wind_speed|wind_speed_meters_per_second|meters_per_second|1
        *wind_speed*|m/s|wind_speed|~|meters_per_second|1
        *|m/s|speed|~|meters_per_second|1
        *|km/h|speed|~|kilometers_per_hour|1
        *|m/s²||~|meters_per_second_squared|1
        *|gₙ||~|standard_gravities|1
        gas|m³|gas|gas_cubic_meters|cubic_meters|1
        water|L|water|water_cubic_meters|cubic_meters|1e-3
        volume_storage|L|volume_storage|volume_storage_cubic_meters|cubic_meters|1e-3
        *|m³|volume|~|cubic_meters|1
        *|L|volume|~|cubic_meters|1e-3
        *|mL|volume|~|cubic_meters|1e-6
        volume_flow_rate|m³/h|volume_flow_rate|volume_flow_cubic_meters_per_hour|cubic_meters_per_hour|1
        *|kg|weight|~|grams|1e3
        *|lb|weight|~|pounds|1
        rssi|dBm|signal_strength|rssi_dbm|dbm|1
        *|dBm|signal_strength|~|dbm|1
        *|dB|sound_pressure|~|decibels|1
        *|µS/cm|conductivity|~|microsiemens_per_centimeter|1
        timestamp|s|timestamp|timestamp_seconds|seconds|1
        *|s|duration|~|seconds|1
        *|min|duration|~|seconds|60
        *|h|duration|~|seconds|3600
        *|d|duration|~|seconds|86400
        *wind_direction*|°|wind_direction|~|degrees|1
        *|°||~|degrees|1
        *|°/s||~|degrees_per_second|1
        *|rad||~|radians|1
        *|rpm||~|revolutions_per_minute|1
        *|%||~|ratio|1e-2
        """
}
