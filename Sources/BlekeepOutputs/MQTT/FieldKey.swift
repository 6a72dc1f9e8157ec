import Blekeep

/// The name of a field in messages: of its service, characteristic, instance and field, such as `181a_2a6e_temperature`.
/// It is the same for all time, and nothing in it is a name that a device or a person chose.
struct FieldKey: Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(_ reading: Reading, field: String) {
        let point = [reading.service, reading.characteristic].compactMap { $0?.description.filter { $0 != "-" } }
        // An advertisement of a maker has neither, but a format.
        let start = point.isEmpty ? [Self.word(reading.name)] : point
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

/// A characteristic of a device, or an advertisement's format: what one read brings values of.
struct PointKey: Hashable, Sendable {
    let service: BluetoothUUID?
    let characteristic: BluetoothUUID?
    let instance: Int
    let format: String

    init(_ reading: Reading) {
        service = reading.service
        characteristic = reading.characteristic
        instance = reading.instance
        format = reading.service == nil && reading.characteristic == nil ? reading.name : ""
    }
}
