import Blekeep
import FoundationEssentials

/// Answers lines of JSON with lines of JSON, one each, in their order: decoding without a person.
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

    /// What is asked; keys that say nothing here are ignored.
    private struct Question: Decodable {
        var uuid: String?
        var hex: String?
        var value_hex: String?
        var service_data: [String: String]?
        var manufacturer_data: [String: String]?
        var key: String?
        var mac: String?
    }

    /// - Returns: `{"error": "short"}` and so on for what cannot be decoded; `input` for a line that is no question.
    func answer(to line: String) -> String {
        do {
            let question = try JSONDecoder().decode(Question.self, from: Data(line.utf8))
            return try answer(to: question).text
        } catch {
            var answer = JSONLine()
            answer.add("error", .text((error as? DecodeError)?.word ?? "input"))
            return answer.text
        }
    }

    private struct BadInput: Error {}

    private func answer(to question: Question) throws -> JSONLine {
        var answer = JSONLine()
        switch self {
        case .gatt:
            guard let uuid = question.uuid.flatMap({ BluetoothUUID($0) }) else { throw BadInput() }
            answer.add("fields", try DecoderChoice.decoder(for: uuid).decode(octets(question.hex)))
        case .adverts:
            answer = try self.answer(to: broadcast(question))
        case .cpf:
            let format = try PresentationFormat(octets(question.hex))
            let measurement = try format.decode(octets(question.value_hex))
            answer = JSONLine(measurement)
            if measurement.unit == nil { answer.add("unit", nil) }
            answer.add("format", .integer(Int64(format.format)))
            answer.add("format_name", .text(format.formatName))
            answer.add("exponent", .integer(Int64(format.exponent)))
            answer.add("unit_uuid", .text(format.unit.description.uppercased()))
            answer.add("namespace", .integer(Int64(format.namespace)))
            answer.add("description", .integer(Int64(format.description)))
        }
        return answer
    }

    private func octets(_ text: String?) throws -> [UInt8] {
        guard let octets = text.flatMap({ [UInt8](hex: $0) }) else { throw BadInput() }
        return octets
    }

    // MARK: Advertisements

    private func broadcast(_ question: Question) throws -> Broadcast {
        // Without an address nothing encrypted fits its key.
        let address = question.mac.flatMap { BluetoothAddress($0) } ?? BluetoothAddress("00:00:00:00:00:00")
        let key = question.key.flatMap { AdvertisementKey(hex: $0) }
        for (service, hex) in question.service_data ?? [:] {
            guard let service = BluetoothUUID(service), let address else { throw BadInput() }
            if let found = try Broadcast.serviceData(octets(hex), of: service, from: address, key: key) { return found }
        }
        for (company, hex) in question.manufacturer_data ?? [:] {
            guard let company = UInt16(company, radix: 16) else { throw BadInput() }
            if let found = try Broadcast.manufacturerData(octets(hex), of: company) { return found }
        }
        throw DecodeError.format(0)
    }

    private func answer(to broadcast: Broadcast) -> JSONLine {
        var answer = JSONLine()
        switch broadcast {
        case .bthome(let packet):
            answer.add("encrypted", .boolean(packet.isEncrypted))
            answer.add("trigger", .boolean(packet.isTriggered))
            answer.add("version", .integer(2))
            if let counter = packet.counter { answer.add("counter", .integer(Int64(counter))) }
            answer.add("objects", packet.objects.map(Self.line))
            if packet.isIncomplete { answer.add("incomplete", .boolean(true)) }
        case .ruuvi(let packet):
            answer.add("format", .integer(Int64(packet.format)))
            answer.add("fields", packet.measurements)
        case .eddystone(let frame):
            answer.add("frame", .text(frame.frame.rawValue))
            answer.add("fields", frame.measurements)
        case .iBeacon(let beacon):
            answer.add("fields", beacon.measurements)
        }
        return answer
    }

    private static func line(_ object: BTHome.Object) -> JSONLine {
        var line = JSONLine(object.measurement)
        line.add("id", .integer(Int64(object.id)))
        line.add("name", .text(object.measurement.field))
        if let steps = object.steps { line.add("steps", .integer(Int64(steps))) }
        return line
    }
}

extension DecodeError {
    /// One word, as in the decoder test vectors.
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
