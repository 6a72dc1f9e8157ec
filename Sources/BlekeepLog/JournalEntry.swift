/// A line of the log with fields, in the form of journald's native protocol.
///
/// Source: systemd's `docs/JOURNAL_NATIVE_PROTOCOL.md`.
struct JournalEntry: Equatable {
    private(set) var bytes: [UInt8] = []

    /// Adds a field.
    ///
    /// - Parameter name: capital letters, digits and `_`.
    mutating func add(_ name: String, value: String) {
        bytes += name.utf8
        let text = Array(value.utf8)
        if text.contains(UInt8(ascii: "\n")) {
            bytes.append(UInt8(ascii: "\n"))
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: UInt64(text.count) >> shift))
            }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += text
        bytes.append(UInt8(ascii: "\n"))
    }
}
