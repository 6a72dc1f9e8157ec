import BlekeepRecords

/// Readable names of measured fields.
package enum MeasuredName {
    /// Returns the characteristic's name, and the field's where it adds something: `Temperature#2`, `Heart Rate body`.
    ///
    /// - Parameter field: `nil` for failed reads.
    package static func text(_ name: String, _ characteristic: BluetoothUUID?, field: String?, instance: Int) -> String
    {
        let name = name.isEmpty ? characteristic?.description ?? "" : Untrusted(name).description
        guard let field else { return name }
        let label = Reading.fieldLabel(field, instance: instance)
        let number = label.dropFirst(field.count)
        let parts = Untrusted(field).description.split(separator: "_")
        let words = name.lowercased().split { !$0.isLetter && !$0.isNumber }
        let isInName = field == "value" || parts.allSatisfy { words.contains(Substring($0.lowercased())) }
        return (isInName ? name : "\(name) \(parts.joined(separator: " "))") + number
    }
}
