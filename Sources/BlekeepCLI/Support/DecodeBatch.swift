import Blekeep
import BlekeepOutputs
import FoundationEssentials

/// Decodes values for programs: a line of JSON in, a line of JSON out.
enum DecodeBatch: String {
    /// `uuid` and `hex`: a characteristic's value.
    case gatt
    /// `service_data` or `manufacturer_data`, with `key` and `mac` for encrypted BTHome.
    case adverts
    /// `hex` of descriptor 0x2904, and `value_hex`.
    case cpf

    func run() {
        while let line = readLine() {
            if !line.isEmpty { print(answer(to: line)) }
        }
    }

    /// A line of the input. Unknown keys are ignored.
    private struct Question: Decodable {
        var uuid: String?
        var hex: String?
        var value_hex: String?
        var service_data: [String: String]?
        var manufacturer_data: [String: String]?
        var key: String?
        var mac: String?
    }

    /// - Returns: for a value that can't be decoded, an object such as `{"error": "short"}`; `input` is the error of a
    ///   malformed line.
    func answer(to line: String) -> String {
        do {
            let question = try JSONDecoder().decode(Question.self, from: Data(line.utf8))
            return try answer(to: question).text
        } catch {
            return JSON.object(["error": .text((error as? DecodeError)?.word ?? "input")]).text
        }
    }

    private struct BadInput: Error {}

    private func answer(to question: Question) throws -> JSON {
        switch self {
        case .gatt:
            guard let uuid = question.uuid.flatMap({ BluetoothUUID($0) }) else { throw BadInput() }
            return .object(["fields": .fields(try DecoderChoice.decoder(for: uuid).decode(bytes(question.hex)))])
        case .adverts:
            return answer(to: try broadcast(question))
        case .cpf:
            let format = try PresentationFormat(bytes(question.hex))
            let measurement = try format.decode(bytes(question.value_hex))
            var pairs: [(key: String, value: JSON?)] = [
                ("value", .measured(measurement.value)), ("unit", .text(measurement.unit) ?? .null),
                ("state", .text(measurement.state)),
            ]
            pairs += [
                ("format", .integer(Int(format.format))), ("format_name", .text(format.formatName)),
                ("exponent", .integer(Int(format.exponent))),
                ("unit_uuid", .text(format.unit.description.uppercased())),
                ("namespace", .integer(Int(format.namespace))), ("description", .integer(Int(format.description))),
            ]
            return .object(pairs)
        }
    }

    private func bytes(_ text: String?) throws -> [UInt8] {
        guard let bytes = text.flatMap({ [UInt8](hex: $0) }) else { throw BadInput() }
        return bytes
    }

    // MARK: Advertisements

    private func broadcast(_ question: Question) throws -> Broadcast {
        // Decryption needs the address.
        let address = question.mac.flatMap { BluetoothAddress($0) } ?? BluetoothAddress("00:00:00:00:00:00")
        let key = question.key.flatMap { AdvertisementKey(hex: $0) }
        for (service, hex) in question.service_data ?? [:] {
            guard let service = BluetoothUUID(service), let address else { throw BadInput() }
            if let found = try Broadcast.serviceData(bytes(hex), of: service, from: address, key: key) { return found }
        }
        for (company, hex) in question.manufacturer_data ?? [:] {
            guard let company = UInt16(company, radix: 16) else { throw BadInput() }
            if let found = try Broadcast.manufacturerData(bytes(hex), of: company) { return found }
        }
        throw DecodeError.format(0)
    }

    private func answer(to broadcast: Broadcast) -> JSON {
        switch broadcast {
        case .bthome(let packet):
            .object([
                "encrypted": .boolean(packet.isEncrypted), "trigger": .boolean(packet.isTriggered), "version": 2,
                "counter": packet.counter.map { .integer(Int($0)) }, "objects": .array(packet.objects.map(Self.json)),
                "incomplete": packet.isIncomplete ? true : nil,
            ])
        case .ruuvi(let packet):
            .object(["format": .integer(Int(packet.format)), "fields": .fields(packet.measurements)])
        case .eddystone(let frame):
            .object(["frame": .text(frame.frame.rawValue), "fields": .fields(frame.measurements)])
        case .iBeacon(let beacon): .object(["fields": .fields(beacon.measurements)])
        }
    }

    private static func json(_ object: BTHome.Object) -> JSON {
        .object(
            JSON.pairs(of: object.measurement) + [
                ("id", .integer(Int(object.id))), ("name", .text(object.measurement.field)),
                ("steps", object.steps.map { .integer(Int($0)) }),
            ])
    }
}

extension DecodeError {
    /// The error in one word, as in the decoder test vectors.
    fileprivate var word: String {
        switch self {
        case .short: "short"
        case .long: "long"
        case .format: "format"
        case .version: "version"
        case .key: "key"
        case .authentication: "auth"
        case .cipher: "cipher"
        case .replay: "replay"
        }
    }
}
