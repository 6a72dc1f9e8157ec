import BlekeepRecords

/// The key of a field in messages: its service, characteristic, instance and field, such as `181a_2a6e_temperature`, or its
/// recipe and field, such as `jbd_cell_1`.
/// It never changes, because it contains no name that a device or a user chose.
struct FieldKey: Hashable, Sendable, CustomStringConvertible {
    let description: String

    /// Creates the key of what is no field of a reading, such as `rssi`.
    init(_ word: String) { description = word }

    init(_ reading: Reading, field: String) {
        let point = [reading.service, reading.characteristic].compactMap { $0?.description.filter { $0 != "-" } }
        // A manufacturer's advertisement has only a format.
        let start = point.isEmpty ? [Self.word(reading.recipe ?? reading.name)] : point
        let number = reading.instance == 1 ? [] : ["\(reading.instance)"]
        description = (start + number + [Self.word(field)]).joined(separator: "_")
    }

    /// Lower-case letters, digits and `_`.
    private static func word(_ text: String) -> String {
        String(
            text.lowercased().unicodeScalars.prefix(64).map { scalar -> Character in
                ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) ? Character(scalar) : "_"
            })
    }
}
