import BlekeepRecords
import Yams

/// A capture as a file. One device is in one file, which a user can read.
package enum CaptureFile {
    /// - Throws: the mistakes in it, or the reason why it can't be read.
    package static func read(_ path: String) throws(ConfigurationErrors) -> Capture {
        let text: String
        do throws(ConfigurationProblem) { text = try ConfigurationFile.read(path) } catch {
            throw ConfigurationErrors([error])
        }
        return try parse(text, file: path)
    }

    private static let version = 1

    // MARK: Writing

    package static func text(_ capture: Capture, by program: String) -> String {
        var text = "# What one device advertised and answered, as 'blekeep capture' of \(program) recorded it.\n"
        text += "# 'blekeep poll --simulate FILE' plays it. Read it before you send it.\n"
        text += "capture: \(version)\ndate: \(YAMLString.quoted(capture.date))\n"
        if let recipe = capture.recipe { text += "recipe: \(YAMLString.scalar(recipe))\n" }
        text += "replaced: \(list(capture.replaced))\n"
        text +=
            "device: "
            + mapping([
                ("address", capture.address.description), ("random", capture.isRandom.map { "\($0)" }),
                ("name", capture.name.map(YAMLString.quoted)), ("appearance", capture.appearance.map { "\($0)" }),
                ("paired", capture.isPaired ? "true" : nil),
            ]) + "\n"
        text += items(capture.packets.map(self.text), of: "advertisements", indent: "  ")
        if !capture.services.isEmpty { text += "services:\n" }
        for service in capture.services {
            text += "  - uuid: \(service.uuid)\n"
            text += items(service.characteristics.map(self.text), of: "    characteristics", indent: "      ")
        }
        text += items(capture.exchanges.map(self.text), of: "exchanges", indent: "  ")
        if let failure = capture.failure { text += "error: \(YAMLString.quoted(failure))\n" }
        let values = unique(capture.expected)
        if !values.isEmpty { text += "expect:\n" }
        for value in values {
            let isPlain = Double(value.text) != nil || Bool(value.text) != nil
            text += "  \(value.field): \(isPlain ? value.text : YAMLString.scalar(value.text))\n"
        }
        return text
    }

    /// The values as a file has them: the first one of each field.
    package static func unique(_ values: [Capture.Value]) -> [Capture.Value] {
        var seen: Set<String> = []
        return values.filter { seen.insert($0.field).inserted }
    }

    private static func items(_ items: [String], of key: String, indent: String) -> String {
        items.isEmpty ? "" : "\(key):\n" + items.map { "\(indent)- \($0)\n" }.joined()
    }

    private static func mapping(_ pairs: [(String, String?)]) -> String {
        "{\(pairs.compactMap { key, value in value.map { "\(key): \($0)" } }.joined(separator: ", "))}"
    }

    private static func list(_ texts: [String]) -> String {
        "[\(texts.map(YAMLString.quoted).joined(separator: ", "))]"
    }

    private static func hex(_ bytes: [UInt8]) -> String { bytes.isEmpty ? "\"\"" : String(hex: bytes) }

    private static func text(_ packet: Capture.Packet) -> String {
        let company = packet.manufacturerData.sorted { $0.key < $1.key }
            .map { ("0x" + String(hex: $0.key, width: 4), Optional(hex($0.value))) }
        let service = packet.serviceData.sorted { $0.key < $1.key }.map {
            ($0.key.description, Optional(hex($0.value)))
        }
        return mapping([
            ("at", DurationText.text(packet.time)), ("rssi", packet.rssi.map { "\($0)" }),
            (
                "services",
                packet.services.isEmpty ? nil : "[\(packet.services.map(\.description).joined(separator: ", "))]"
            ),
            ("manufacturer_data", company.isEmpty ? nil : mapping(company)),
            ("service_data", service.isEmpty ? nil : mapping(service)),
        ])
    }

    private static func text(_ point: Capture.Characteristic) -> String {
        mapping([
            ("uuid", point.uuid.description),
            ("flags", "[\(point.flags.map(YAMLString.scalar).joined(separator: ", "))]"),
            ("value", point.value.map(hex)), ("error", point.failure.map(YAMLString.quoted)),
            (
                "descriptors",
                point.descriptors.isEmpty ? nil : "[\(point.descriptors.map(\.description).joined(separator: ", "))]"
            ),
        ])
    }

    private static func text(_ exchange: Exchange) -> String {
        let hasBytes = exchange.kind != .subscribed && exchange.kind != .failed
        return mapping([
            ("at", DurationText.text(exchange.time)), (exchange.kind.rawValue, exchange.characteristic.description),
            ("bytes", hasBytes ? hex(exchange.bytes) : nil), ("error", exchange.failure.map(YAMLString.quoted)),
        ])
    }

    // MARK: Reading

    /// - Throws: the mistakes in it.
    package static func parse(_ text: String, file: String) throws(ConfigurationErrors) -> Capture {
        let yaml = YAMLText(text, file: file)
        var parser = Parser(
            reader: YAMLReader(
                yaml, file: file, names: CharacteristicNames(find: { _ in nil }, closest: { _ in nil })))
        let capture = yaml.root.flatMap { parser.capture($0) }
        guard parser.reader.problems.isEmpty, let capture else {
            let start = ConfigurationLocation(file: file, line: 1, column: 1)
            throw ConfigurationErrors(
                parser.reader.problems.isEmpty
                    ? [
                        ConfigurationProblem(
                            place: start, message: "the file is empty; name one that 'blekeep capture' wrote")
                    ]
                    : parser.reader.problems)
        }
        return capture
    }

    private struct Parser {
        var reader: YAMLReader

        mutating func capture(_ node: Node) -> Capture? {
            let keys = [
                "capture", "date", "recipe", "replaced", "device", "advertisements", "services", "exchanges", "error",
                "expect",
            ]
            let place = reader.place(of: node)
            guard node.mapping?["capture"] != nil else {
                reader.note("this isn't a capture; name a file that 'blekeep capture' wrote", at: place)
                return nil
            }
            guard let entries = reader.mapping(node, what: "a capture", keys: keys) else { return nil }
            _ = reader.integer(entries["capture"], in: CaptureFile.version...CaptureFile.version)
            guard let device = entries["device"],
                let facts = reader.mapping(
                    device.node, what: "a device", keys: ["address", "random", "name", "appearance", "paired"])
            else {
                if entries["device"] == nil { reader.note("a capture needs a `device`; add one", at: place) }
                return nil
            }
            let text = reader.text(facts["address"], what: "an address such as F0:00:00:00:00:01")
            guard let address = text.flatMap({ BluetoothAddress($0) }) else {
                reader.note("a device needs an `address` such as F0:00:00:00:00:01", at: device.place)
                return nil
            }
            var capture = Capture(address: address)
            capture.isRandom = reader.flag(facts["random"])
            capture.name = reader.text(facts["name"], what: "a name")
            capture.appearance = reader.integer(facts["appearance"], in: 0...0xFFFF).map { UInt16($0) }
            capture.isPaired = reader.flag(facts["paired"]) ?? false
            capture.date = reader.text(entries["date"], what: "a day") ?? ""
            capture.recipe = reader.text(entries["recipe"], what: "a recipe's name")
            capture.failure = reader.text(entries["error"], what: "a sentence")
            capture.replaced = items(entries["replaced"], of: "what was replaced", max: 64).compactMap { node in
                reader.text(node, of: "replaced", what: "text")
            }
            capture.packets = items(entries["advertisements"], of: "packets", max: Capture.Limit.packets)
                .compactMap { packet($0) }
            let services = items(entries["services"], of: "services", max: Capture.Limit.characteristics)
            capture.services = services.compactMap { service($0) }
            let exchanges = items(entries["exchanges"], of: "exchanges", max: Capture.Limit.exchanges)
            capture.exchanges = exchanges.compactMap { exchange($0) }
            capture.expected = values(entries["expect"])
            return capture
        }

        /// The items of a list, up to a number.
        private mutating func items(_ entry: YAMLEntry?, of what: String, max: Int) -> [Node] {
            let items = reader.list(entry, what: what)
            if items.count > max, let entry {
                reader.note("`\(entry.key)` has more than \(max) items; remove some", at: entry.place)
            }
            return Array(items.prefix(max))
        }

        private mutating func packet(_ node: Node) -> Capture.Packet? {
            let keys = ["at", "rssi", "services", "manufacturer_data", "service_data"]
            guard let entries = reader.mapping(node, what: "an advertisement", keys: keys) else { return nil }
            var packet = Capture.Packet(at: time(entries["at"]))
            packet.rssi = reader.integer(entries["rssi"], in: -127...20)
            packet.services = uuids(entries["services"])
            for entry in entries["manufacturer_data"].map({ reader.named($0, what: "companies") }) ?? [] {
                let number = entry.key.hasPrefix("0x") ? UInt16(entry.key.dropFirst(2), radix: 16) : nil
                if number == nil { reader.note("write a company's number such as \"0x0499\"", at: entry.place) }
                packet.manufacturerData[number ?? 0] = hex(entry)
            }
            for entry in entries["service_data"].map({ reader.named($0, what: "services") }) ?? [] {
                guard let uuid = uuid(entry.key, at: entry.place) else { continue }
                packet.serviceData[uuid] = hex(entry)
            }
            return packet
        }

        private mutating func service(_ node: Node) -> Capture.Service? {
            guard let entries = reader.mapping(node, what: "a service", keys: ["uuid", "characteristics"]),
                let uuid = uuid(entries["uuid"], of: node)
            else { return nil }
            var service = Capture.Service(uuid)
            let items = items(entries["characteristics"], of: "characteristics", max: Capture.Limit.characteristics)
            for item in items {
                let keys = ["uuid", "flags", "value", "error", "descriptors"]
                guard let entries = reader.mapping(item, what: "a characteristic", keys: keys),
                    let uuid = self.uuid(entries["uuid"], of: item)
                else { continue }
                let flags = self.items(entries["flags"], of: "words", max: 32)
                    .compactMap { reader.text($0, of: "flags", what: "a word") }
                var point = Capture.Characteristic(uuid, flags: flags)
                point.value = entries["value"].map { hex($0) }
                point.failure = reader.text(entries["error"], what: "a sentence")
                point.descriptors = uuids(entries["descriptors"])
                service.characteristics.append(point)
            }
            return service
        }

        private mutating func exchange(_ node: Node) -> Exchange? {
            let kinds = Exchange.Kind.allCases
            guard
                let entries = reader.mapping(
                    node, what: "an exchange", keys: ["at"] + kinds.map(\.rawValue) + ["bytes", "error"])
            else { return nil }
            let found = kinds.filter { entries[$0.rawValue] != nil }
            guard let kind = found.first, found.count == 1, let entry = entries[kind.rawValue] else {
                reader.note(
                    "an exchange needs one of \(kinds.map { "`\($0.rawValue)`" }.joined(separator: ", "))",
                    at: reader.place(of: node))
                return nil
            }
            guard let characteristic = reader.characteristic(entry) else { return nil }
            return Exchange(
                kind, characteristic, entries["bytes"].map { hex($0) } ?? [],
                failure: reader.text(entries["error"], what: "a sentence"), at: time(entries["at"]))
        }

        private mutating func values(_ entry: YAMLEntry?) -> [Capture.Value] {
            guard let entry else { return [] }
            return reader.named(entry, what: "fields").prefix(Capture.Limit.values).compactMap { value in
                reader.text(value, what: "a value").map { Capture.Value(field: value.key, text: $0) }
            }
        }

        private mutating func time(_ entry: YAMLEntry?) -> Duration {
            reader.duration(entry, in: .zero ... .seconds(3600)) ?? .zero
        }

        private mutating func hex(_ entry: YAMLEntry) -> [UInt8] {
            reader.value(
                entry, what: "bytes as hex digits",
                { text in [UInt8](hex: text).flatMap { $0.count <= 512 ? $0 : nil } },
                else: { "\($0) isn't bytes; write two hex digits a byte, at most 512 bytes" }) ?? []
        }

        private mutating func uuids(_ entry: YAMLEntry?) -> [BluetoothUUID] {
            guard let entry else { return [] }
            return items(entry, of: "UUIDs", max: 64).compactMap { node in
                guard let text = reader.text(node, of: entry.key, what: "a UUID") else { return nil }
                return uuid(text, at: reader.place(of: node))
            }
        }

        private mutating func uuid(_ entry: YAMLEntry?, of node: Node) -> BluetoothUUID? {
            guard let text = reader.text(entry, what: "a UUID") else {
                reader.note("this needs a `uuid`; add one", at: reader.place(of: node))
                return nil
            }
            return uuid(text, at: reader.place(of: node))
        }

        private mutating func uuid(_ text: String, at place: ConfigurationLocation) -> BluetoothUUID? {
            if let uuid = BluetoothUUID(text) { return uuid }
            reader.note("\(Quoted.text(text)) isn't a UUID; write one such as 2a6e", at: place)
            return nil
        }
    }
}
