import Blekeep
import BlekeepOutputs

/// A user's name for a characteristic: a UUID, an official name or a handle. If that is ambiguous, `service/` precedes it,
/// or `#2` follows it.
struct CharacteristicName: Sendable, Hashable {
    let text: String
    private let service: Part?
    private let part: Part
    /// The number among several, from 1.
    private let place: Int?
    /// The field of the same name in the history; `nil` for none.
    private(set) var field: String?

    private struct Part: Sendable, Hashable {
        var uuid: BluetoothUUID?
        var handle: Int?

        func matches(_ uuid: BluetoothUUID, handle: Int?) -> Bool {
            self.uuid == uuid || self.handle != nil && self.handle == handle
        }
    }

    /// - Throws: `usage`, with the most similar name.
    init(_ text: String) throws(Failure) {
        self.text = text
        let shown = Untrusted(text)
        var rest = Substring(text)
        var place: Int?
        if let mark = rest.lastIndex(of: "#") {
            guard let number = Int(rest[rest.index(after: mark)...]), number >= 1 else {
                throw Failure(.usage, "'\(shown)': after # comes a number of 1 or more, such as 2a19#2")
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
        part = Part(uuid: BluetoothUUID(name) ?? AssignedNumbers.characteristic(named: name), handle: Self.handle(name))
        guard part.uuid != nil || part.handle != nil else {
            let meant = AssignedNumbers.closestCharacteristic(to: name).map { "did you mean '\($0)'?" }
            throw Failure(
                .usage,
                "no characteristic is called '\(Untrusted(name))'; "
                    + (meant ?? "give its UUID, such as 2a6e, its official name or its handle, such as 0x0010"))
        }
    }

    /// A characteristic, or a field, also of a device that only advertises.
    /// Throws `usage`, also for a handle, because the history doesn't store handles.
    init(inHistory text: String) throws(Failure) {
        let named = Result { () throws(Failure) in try Self(text) }
        let name = text.replacing("-", with: "_").lowercased()
        let isField = name.first?.isLetter == true && name.isWord(max: .max)
        switch named {
        case .success(let known) where known.uuid != nil:
            self = known
            field = isField ? name : nil
        case .failure(let error):
            guard isField, text.contains("_") || AssignedNumbers.closestCharacteristic(to: text) == nil else {
                throw error
            }
            (self.text, service, part, place, field) = (text, nil, Part(), nil, name)
        case .success:
            throw Failure(.usage, "the history has no handles; name the characteristic, or give its UUID, such as 2a6e")
        }
    }

    /// Whether a series of the history is of this characteristic, or has this field.
    func admits(_ key: SeriesKey) -> Bool {
        if let uuid, uuid == key.source.characteristic {
            return matches(key.source.service, instance: key.source.instance)
        }
        return key.field != nil && key.field == field
    }

    /// Returns the number of one to four hex digits, with or without `0x`.
    private static func handle(_ text: String) -> Int? {
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
        guard 1...4 ~= digits.utf8.count, digits.utf8.allSatisfy(\.isHexDigit) else { return nil }
        return Int(digits, radix: 16)
    }

    /// The UUID; `nil` for a handle that isn't one.
    var uuid: BluetoothUUID? { part.uuid }

    /// Whether the name matches a series of the history with the same UUID.
    ///
    /// - Parameter instance: the number among the characteristics of one service, from 1.
    func matches(_ service: BluetoothUUID?, instance: Int) -> Bool {
        (self.service.map { $0.uuid != nil && $0.uuid == service } ?? true) && (place.map { $0 == instance } ?? true)
    }

    /// Returns the characteristic with this name.
    /// Throws `notFound` with the device's characteristics, or `usage` with the choices when several match.
    func resolve(among all: [Link.Characteristic]) throws(Failure) -> Link.Characteristic {
        let found = all.filter { characteristic in
            part.matches(characteristic.uuid, handle: characteristic.handle)
                && service.map { $0.matches(characteristic.service, handle: characteristic.serviceHandle) } ?? true
        }
        if let place {
            guard place <= found.count else {
                throw Failure(.notFound, "there is no \(Untrusted(text)): the device has only \(found.count)")
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
                "'\(Untrusted(text))' is ambiguous; write one of\n  \(choices.joined(separator: "\n  "))")
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

extension [CharacteristicName] {
    /// Whether a stored characteristic is one of these. Without names, any is.
    func admit(_ key: SeriesKey) -> Bool { isEmpty || contains { $0.admits(key) } }
}
