import BlekeepRecords

/// Readable names of measured fields.
package enum MeasuredName {
    /// Returns the name of a reading's value; that of what failed without one.
    package static func text(_ reading: Reading) -> String { text(reading.key, name: reading.name) }

    /// Returns the characteristic's name, and the field's where it adds something: `Temperature#2`, `Heart Rate body`. The
    /// fields of an advertisement or a recipe need no other name: `Cell 3`.
    package static func text(_ key: SeriesKey, name: String) -> String {
        let characteristic = key.source.characteristic
        let name = name.isEmpty ? characteristic?.description ?? "" : Untrusted(name).description
        guard let field = key.field else { return name }
        let label = Reading.fieldLabel(field, instance: key.source.instance)
        let number = label.dropFirst(field.count)
        let parts = Untrusted(field).description.split(separator: "_")
        guard characteristic != nil || field == "value" else { return text(field: field) }
        let words = name.lowercased().split { !$0.isLetter && !$0.isNumber }
        let isInName = field == "value" || parts.allSatisfy { words.contains(Substring($0.lowercased())) }
        return (isInName ? name : "\(name) \(parts.joined(separator: " "))") + number
    }

    /// Returns the name of a field by itself: `Battery voltage`, `CO2`.
    private static func text(field: String) -> String {
        let parts = Untrusted(field).description.replacing("pm2_5", with: "pm2.5").split(separator: "_")
        let words = parts.enumerated().map { index, part in
            let upper = part.uppercased()
            if abbreviations.contains(upper) { return upper }
            return index == 0 ? String(upper.prefix(1)) + String(part.dropFirst()) : String(part)
        }
        return words.joined(separator: " ")
    }

    /// Words that people write in upper case.
    private static let abbreviations: Set = [
        "AC", "AQI", "BMS", "CO", "CO2", "DC", "LPG", "MAC", "MQTT", "PM1", "PM10", "PM2.5", "PM4", "PV", "TVOC", "TX",
        "URL",
        "UUID",
        "UV", "VOC",
    ]
}
