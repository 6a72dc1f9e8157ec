import ArgumentParser
import Blekeep
import BlekeepOutputs

/// What a person calls a characteristic by: a UUID, an official name or a handle; with `service/` before it and `#2`
/// behind it where that is not enough.
struct CharacteristicName: Sendable, Hashable {
    let text: String
    private let service: Part?
    private let part: Part
    /// Which of several, from 1.
    private let place: Int?

    private struct Part: Sendable, Hashable {
        var uuid: BluetoothUUID?
        var handle: Int?

        func matches(_ uuid: BluetoothUUID, _ handle: Int?) -> Bool {
            self.uuid == uuid || self.handle != nil && self.handle == handle
        }
    }

    /// - Throws: a sentence that says what is wrong, with what was probably meant.
    init(_ text: String) throws(Failure) {
        self.text = text
        let shown = Untrusted(text)
        var rest = Substring(text)
        var place: Int?
        if let mark = rest.lastIndex(of: "#") {
            guard let number = Int(rest[rest.index(after: mark)...]), number >= 1 else {
                throw Failure(.usage, "'\(shown)': behind # comes a number from 1 on, such as 2a19#2")
            }
            place = number
            rest = rest[..<mark]
        }
        self.place = place
        let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 {
            let name = String(parts[0])
            let uuid = BluetoothUUID(name) ?? AssignedNumbers.service(named: name)
            service = Part(uuid: uuid, handle: Self.handle(name))
            guard service?.uuid != nil || service?.handle != nil else {
                throw Failure(.usage, "no service is called '\(Untrusted(name))'; give its UUID, such as 180f")
            }
        } else {
            service = nil
        }
        let name = String(parts.last ?? "")
        part = Part(
            uuid: BluetoothUUID(name) ?? AssignedNumbers.characteristic(named: name), handle: Self.handle(name))
        guard part.uuid != nil || part.handle != nil else {
            let meant = AssignedNumbers.closestCharacteristic(to: name).map { "did you mean '\($0)'?" }
            throw Failure(
                .usage,
                "no characteristic is called '\(Untrusted(name))'; "
                    + (meant ?? "give its UUID, such as 2a6e, its official name or its handle, such as 0x0010"))
        }
    }

    /// One to four hex digits, with or without 0x.
    private static func handle(_ text: String) -> Int? {
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
        guard 1...4 ~= digits.utf8.count, digits.utf8.allSatisfy(\.isHexDigit) else { return nil }
        return Int(digits, radix: 16)
    }

    /// The UUID that it names, if it is not a handle alone.
    var uuid: BluetoothUUID? { part.uuid }

    /// Whether the history's series of the same UUID is meant.
    ///
    /// - Parameter instance: from 1, among those of one service.
    func matches(_ service: BluetoothUUID?, _ instance: Int) -> Bool {
        (self.service.map { $0.uuid != nil && $0.uuid == service } ?? true) && (place.map { $0 == instance } ?? true)
    }

    /// The one characteristic that is meant.
    ///
    /// - Throws: `notFound` with what there is, or `usage` with the choices where several are meant.
    func resolve(among all: [Link.Characteristic]) throws(Failure) -> Link.Characteristic {
        let found = all.filter { characteristic in
            part.matches(characteristic.uuid, characteristic.handle)
                && service.map { $0.matches(characteristic.service, characteristic.serviceHandle) } ?? true
        }
        if let place {
            guard place <= found.count else {
                throw Failure(
                    .notFound, "there is no \(Untrusted(text)): the device has \(found.count) of them")
            }
            return found[place - 1]
        }
        guard let only = found.first else {
            let names = all.prefix(40).map { Self.describe($0) }.joined(separator: "\n  ")
            throw Failure(.notFound, "the device has no characteristic '\(Untrusted(text))'; it has\n  \(names)")
        }
        guard found.count == 1 else {
            let choices = found.enumerated().map { index, choice in
                "\(Untrusted(text))#\(index + 1): \(Self.describe(choice)) in \(choice.service)"
                    + (AssignedNumbers.serviceName(choice.service).map { " \($0)" } ?? "")
            }
            throw Failure(
                .usage,
                "'\(Untrusted(text))' is ambiguous; say which one\n  \(choices.joined(separator: "\n  "))")
        }
        return only
    }

    private static func describe(_ characteristic: Link.Characteristic) -> String {
        [
            characteristic.uuid.description, characteristic.handle.map { HandleText.text($0) },
            AssignedNumbers.characteristicName(characteristic.uuid),
        ].compactMap { $0 }.joined(separator: " ")
    }
}
