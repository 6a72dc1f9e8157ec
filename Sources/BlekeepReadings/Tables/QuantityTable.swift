// swift-format-ignore-file

/// What Prometheus and Home Assistant call a field with a unit.
enum QuantityTable {
    /// The units, one per line: `unit|base unit|factor`. Base value = value · factor, in Prometheus's base units: seconds,
    /// meters, grams, joules, ratios from 0 to 1.
    ///
    /// Source: prometheus.io "Metric and label naming".
    static let units = """
        %|ratio|1e-2
        ppm|ratio|1e-6
        ppb|ratio|1e-9
        °C|celsius|1
        °F|fahrenheit|1
        K|kelvin|1
        Pa|pascals|1
        hPa|pascals|1e2
        kPa|pascals|1e3
        mbar|pascals|1e2
        bar|pascals|1e5
        mmHg|mmhg|1
        kg/m³|grams_per_cubic_meter|1e3
        mg/m³|grams_per_cubic_meter|1e-3
        µg/m³|grams_per_cubic_meter|1e-6
        lx|lux|1
        W/m²|watts_per_square_meter|1
        bpm|beats_per_minute|1
        V|volts|1
        mV|volts|1e-3
        µV|volts|1e-6
        kV|volts|1e3
        MV|volts|1e6
        A|amperes|1
        mA|amperes|1e-3
        W|watts|1
        kW|watts|1e3
        VA|volt_amperes|1
        J|joules|1
        Wh|joules|36e2
        kWh|joules|36e5
        MWh|joules|36e8
        Hz|hertz|1
        kHz|hertz|1e3
        MHz|hertz|1e6
        GHz|hertz|1e9
        Ω|ohms|1
        T|teslas|1
        m|meters|1
        mm|meters|1e-3
        cm|meters|1e-2
        km|meters|1e3
        m/s|meters_per_second|1
        km/h|kilometers_per_hour|1
        m/s²|meters_per_second_squared|1
        gₙ|standard_gravities|1
        m³|cubic_meters|1
        L|cubic_meters|1e-3
        mL|cubic_meters|1e-6
        m³/h|cubic_meters_per_hour|1
        kg|grams|1e3
        g|grams|1
        mg|grams|1e-3
        lb|pounds|1
        dBm|dbm|1
        dB|decibels|1
        µS/cm|microsiemens_per_centimeter|1
        s|seconds|1
        ms|seconds|1e-3
        min|seconds|60
        h|seconds|3600
        d|seconds|86400
        °|degrees|1
        °/s|degrees_per_second|1
        rad|radians|1
        rpm|revolutions_per_minute|1
        """

    /// Home Assistant's device classes of sensors, one per line: `class|units|names|state class`. The order is that of a
    /// device's values in all lists and pages: what users look for comes first.
    ///
    /// The first line counts that has the unit and the end of the field's name: see `FieldName`. `*` stands for any name. A
    /// line without a class is for fields that have none.
    ///
    /// Source: Home Assistant's DEVICE_CLASS_UNITS and DEVICE_CLASS_STATE_CLASSES. All classes are in 2024.3, which accepts
    /// all units but µV, kV and MV: it logs a warning about them. It would refuse a newer class.
    static let classes = """
        temperature|°C °F K|temperature|measurement
        humidity|%|humidity humidity_probe humidity_remote|measurement
        moisture|%|moisture|measurement
        atmospheric_pressure|Pa hPa kPa mbar mmHg|=pressure air_pressure atmospheric_pressure barometric_pressure|measurement
        carbon_dioxide|ppm|co2 co2_concentration carbon_dioxide|measurement
        carbon_monoxide|ppm|co carbon_monoxide|measurement
        volatile_organic_compounds_parts|ppm ppb|voc tvoc voc_concentration|measurement
        volatile_organic_compounds|µg/m³|voc tvoc|measurement
        pm1|µg/m³|pm1|measurement
        pm25|µg/m³|pm2_5 pm25|measurement
        pm10|µg/m³|pm10|measurement
        |Bq/m³|*|
        |µSv/h|*|
        temperature|°C °F K|*|measurement
        pressure|Pa hPa kPa bar mbar mmHg psi|*|measurement
        illuminance|lx|*|measurement
        irradiance|W/m²|*|measurement
        |µS/cm|*|
        |bpm|*|
        weight|mg g kg lb|*|measurement
        wind_speed|m/s km/h|wind_speed|measurement
        speed|m/s km/h|*|measurement
        precipitation|mm cm|precipitation rain rainfall|measurement
        |m|precipitation rain rainfall|
        distance|mm cm m km|*|measurement
        power|W kW|*|measurement
        voltage|V mV µV kV MV|*|measurement
        current|A mA|*|measurement
        apparent_power|VA|*|measurement
        energy|Wh kWh MWh|*|total_increasing
        frequency|Hz kHz MHz GHz|*|measurement
        gas|m³|gas|total_increasing
        water|L m³|water|total_increasing
        volume_storage|L mL m³|volume_storage|measurement
        volume|L mL m³|*|total_increasing
        volume_flow_rate|m³/h L/min|*|measurement
        sound_pressure|dB|*|measurement
        |s|timestamp|
        duration|ms s min h d|*|measurement
        battery|%|battery battery_level battery_probe battery_remote|measurement
        signal_strength|dBm|*|measurement
        """

    /// The classes of what is about the device itself, and not about what it measures.
    static let diagnosticClasses: Set = ["battery", "signal_strength"]

    /// The ends of the names of fields that are about the device itself, in formats and recipes.
    static let diagnosticNames: [Substring] = [
        "battery_voltage", "battery_low", "low_battery", "battery_range", "battery_health", "cell", "cell_max", "cell_min",
        "cycles", "counter", "count", "sequence", "uptime", "mac", "age", "interval", "firmware_version", "error_code",
        "pressure_code", "calibration_in_progress", "calibrated", "configured", "settings_revision", "device_type_id",
        "device_chain", "network_state", "port_index", "reading_quality",
        "acceleration_x", "acceleration_y", "acceleration_z", "accelerometer_x", "accelerometer_y", "accelerometer_z",
    ]

    /// The formats and recipes whose `battery_voltage` is what they measure: monitors of batteries.
    static let batteryMonitors: Set = ["Victron", "Garnet", "renogy-controller"]
}
