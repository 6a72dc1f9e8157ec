// swift-format-ignore-file

/// The sensors that Home Assistant accepts, one device class per line: `class|units|state class`.
///
/// Source: Home Assistant's DEVICE_CLASS_UNITS and DEVICE_CLASS_STATE_CLASSES (2024.3). A class that isn't here, or has
/// another unit, is left out: Home Assistant would complain.
enum HomeAssistantTable {
    static let text = """
        battery|%|measurement
        temperature|K °C °F|measurement
        humidity|%|measurement
        moisture|%|measurement
        atmospheric_pressure|Pa hPa mbar mmHg|measurement
        pressure|Pa hPa mbar mmHg|measurement
        carbon_dioxide|ppm|measurement
        carbon_monoxide|ppm|measurement
        pm25|µg/m³|measurement
        pm10|µg/m³|measurement
        volatile_organic_compounds|µg/m³|measurement
        volatile_organic_compounds_parts|ppm ppb|measurement
        illuminance|lx|measurement
        irradiance|W/m²|measurement
        voltage|V mV|measurement
        current|A mA|measurement
        power|W kW|measurement
        apparent_power|VA|measurement
        energy|kWh Wh|total_increasing
        frequency|Hz kHz MHz GHz|measurement
        precipitation|mm cm|measurement
        distance|mm cm m km|measurement
        wind_speed|m/s km/h|measurement
        speed|m/s km/h|measurement
        gas|m³|total_increasing
        water|L m³|total_increasing
        volume_storage|L mL m³|measurement
        volume|L mL m³|total_increasing
        volume_flow_rate|m³/h|measurement
        weight|g kg lb|measurement
        signal_strength|dBm dB|measurement
        sound_pressure|dB|measurement
        duration|s min h d|measurement
        """

    /// Returns the device class of a binary sensor. Most fields of advertisements have its name.
    ///
    /// Source: Home Assistant's BinarySensorDeviceClass (2024.3).
    static func binaryClass(of field: String) -> String? {
        let name = otherNames[field] ?? field
        return binaryClasses.contains(name) ? name : nil
    }

    /// Fields that have other names than their classes.
    private static let otherNames = [
        "battery_low": "battery", "moisture_detected": "moisture", "gas_detected": "gas", "door_left_open": "problem",
    ]

    private static let binaryClasses: Set<String> = [
        "battery", "battery_charging", "carbon_monoxide", "cold", "connectivity", "door", "garage_door", "gas", "heat",
        "light", "lock", "moisture", "motion", "moving", "occupancy", "opening", "plug", "power", "presence", "problem",
        "running", "safety", "smoke", "sound", "tamper", "vibration", "window",
    ]
}
