// swift-format-ignore-file
import BlekeepRecords

/// Home Assistant's device classes of binary sensors, one per line: `class|names`.
///
/// The first line counts that has the end of the field's name: see `FieldName`. Most fields of advertisements have the name
/// of their class. With `=` are the classes that mean less, or the opposite, behind other words: an unlocked lock is on.
///
/// Source: Home Assistant's BinarySensorDeviceClass (2024.3).
enum HomeAssistantTable {
    static let binary = """
        problem|problem door_left_open
        battery|=battery battery_low low_battery
        battery_charging|battery_charging
        carbon_monoxide|carbon_monoxide
        cold|=cold
        connectivity|connectivity
        garage_door|garage_door garage_door_open
        door|door door_open
        window|window window_open
        opening|opening open
        gas|=gas gas_detected
        heat|=heat
        light|=light
        lock|=lock
        moisture|=moisture moisture_detected
        motion|motion
        moving|moving
        occupancy|occupancy
        plug|=plug
        power|=power
        presence|presence
        running|running
        safety|=safety
        smoke|smoke
        sound|=sound
        tamper|tamper
        vibration|vibration
        """

    /// What can happen, by the beginning of a field's name: `name|events`.
    private static let events = """
        button|press double_press triple_press long_press long_double_press long_triple_press hold_press hold_release
        dimmer|rotate_left rotate_right press long_press rotate_left_pressed rotate_right_pressed
        cube|rotate_left rotate_right
        """

    /// Returns what can happen to a button or the like.
    static func events(of field: String) -> [String] {
        let line = events.split(separator: "\n").first { field.hasPrefix($0.prefix { $0 != "|" }) }
        return line?.split(separator: "|").last?.split(separator: " ").map(String.init) ?? []
    }

    private static let classes = binary.split(separator: "\n").map { line in
        let columns = line.split(separator: "|")
        return (name: String(columns[0]), fields: columns[1].split(separator: " "))
    }

    /// Returns the device class of a binary sensor.
    static func binaryClass(of field: String) -> String? {
        classes.first { FieldName.ends(field, with: $0.fields) }?.name
    }
}
