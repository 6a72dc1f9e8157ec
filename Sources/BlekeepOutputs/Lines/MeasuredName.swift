import Blekeep

/// What was measured, for people.
enum MeasuredName {
    /// The characteristic's name, and the field's where the name does not say it already.
    ///
    /// - Parameter field: `nil` for failed reads.
    static func text(_ name: String, _ characteristic: BluetoothUUID?, field: String?, instance: Int) -> String {
        let name = name.isEmpty ? characteristic?.description ?? "" : Untrusted(name).description
        guard let field else { return name }
        let parts = Untrusted(Reading.fieldLabel(field, instance: instance)).description.split(separator: "_")
        let words = name.lowercased().split { !$0.isLetter && !$0.isNumber }
        if parts.allSatisfy({ words.contains(Substring($0.lowercased())) }) { return name }
        return "\(name) \(parts.joined(separator: " "))"
    }
}
