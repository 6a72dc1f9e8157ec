import Blekeep
import BlekeepOutputs
import FoundationEssentials

/// Decodes values for programs: a line of JSON in, a line of JSON out.
enum DecodeBatch: String {
    /// `uuid` and `hex`: a characteristic's value.
    case gatt
    /// `service_data` and `manufacturer_data`; `name` and `services` for formats that need them; `key` and `mac` for
    /// encrypted data; `format` to choose one; `medium` of a tank sensor; `model` of a
    /// SwitchBot.
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
        var name: String?
        var services: [String]?
        var format: String?
        var key: String?
        var medium: String?
        var model: String?
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
            return try broadcasts(question)
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

    private func data(_ question: Question) throws -> AdvertisedData {
        // Decryption needs the address.
        guard let address = BluetoothAddress(question.mac ?? "00:00:00:00:00:00") else { throw BadInput() }
        var data = AdvertisedData(address: address, name: question.name)
        data.services = (question.services ?? []).compactMap { BluetoothUUID($0) }
        for (service, hex) in question.service_data ?? [:] {
            guard let service = BluetoothUUID(service) else { throw BadInput() }
            data.serviceData[service] = try bytes(hex)
        }
        for (company, hex) in question.manufacturer_data ?? [:] {
            guard let company = UInt16(company, radix: 16) else { throw BadInput() }
            data.manufacturerData[company] = try bytes(hex)
        }
        return data
    }

    /// Returns the values of each format. `more` has those of the second and later formats. The values of a sensor may come
    /// from several sources.
    private func broadcasts(_ question: Question) throws -> JSON {
        var decoder = BroadcastDecoder(
            format: question.format.flatMap { BroadcastFormat(rawValue: $0) },
            key: question.key.flatMap { AdvertisementKey(hex: $0) },
            medium: question.medium.flatMap { TankMedium(rawValue: $0) },
            model: question.model.flatMap { SwitchBotModel(rawValue: $0) })
        let packets = decoder.decode(try data(question))
        var answers: [JSON] = []
        var sensors: [(format: BroadcastFormat, measurements: [Measurement])] = []
        for broadcast in packets.compactMap(\.broadcast) {
            guard case .sensor(let packet) = broadcast else {
                answers.append(answer(to: broadcast))
                continue
            }
            if let index = sensors.firstIndex(where: { $0.format == packet.format }) {
                sensors[index].measurements += packet.measurements
            } else {
                sensors.append((packet.format, packet.measurements))
            }
        }
        answers += sensors.map { .object(["format": .text($0.format.name), "fields": .fields($0.measurements)]) }
        guard case .object(let first)? = answers.first else {
            for packet in packets { _ = try packet.result?.get() }
            throw DecodeError.format(0)
        }
        return answers.count == 1 ? answers[0] : .object(first + [("more", .array(Array(answers.dropFirst())))])
    }

    private func answer(to broadcast: Broadcast) -> JSON {
        switch broadcast {
        case .bthome(let packet): Self.json(packet)
        case .ruuvi(let packet):
            .object(["format": .integer(Int(packet.format)), "fields": .fields(packet.measurements)])
        case .eddystone(let frame):
            .object(["frame": .text(frame.frame.rawValue), "fields": .fields(frame.measurements)])
        case .iBeacon(let beacon): .object(["fields": .fields(beacon.measurements)])
        case .sensor(let packet):
            .object(["format": .text(packet.format.name), "fields": .fields(packet.measurements)])
        }
    }

    // Named values spare the compiler seconds.
    private static func json(_ packet: BTHome) -> JSON {
        let counter = packet.counter.map { JSON.integer(Int($0)) }
        let objects = packet.objects.map { json($0) }
        let incomplete: JSON? = packet.isIncomplete ? .boolean(true) : nil
        return .object([
            "encrypted": .boolean(packet.isEncrypted), "trigger": .boolean(packet.isTriggered), "version": .integer(2),
            "counter": counter, "objects": .array(objects), "incomplete": incomplete,
        ])
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
        case .replay: "replay"
        case .plain: "plain"
        }
    }
}
