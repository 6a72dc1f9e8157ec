import BlekeepRecords
import Yams

/// Reads what a device keeps in its own memory, and how a recipe asks for it.
struct LogParser {
    private var log = Recipe.Log(
        Recipe.Write(RecipeCharacteristic(BluetoothUUID(0)), []), from: RecipeCharacteristic(BluetoothUUID(0)), size: 0)

    /// The byte order comes before what has one, and the records before the kinds. `write` has the bytes, and `tests` need all
    /// others.
    private static let keys: [PartKey<Self>] = [
        PartKey("endian") { $2.log.endian = $1.word($0, "an endian") ?? .little },
        PartKey("fills") { $2.log.fills = $1.word($0, "a format") },
        PartKey("holds") { entry, reader, parser in
            parser.log.holds = reader.duration(entry, in: .seconds(3600) ... .seconds(400 * 86_400)) ?? .seconds(3600)
        },
        PartKey("every") { entry, reader, parser in
            parser.log.every = reader.duration(entry, in: .seconds(10) ... .seconds(86_400)) ?? .seconds(300)
        },
        PartKey("overlap") { $2.log.overlap = $1.integer($0, in: 1...100) ?? 1 },
        PartKey("session") { entry, reader, parser in
            parser.log.session = reader.duration(entry, in: .seconds(5) ... .seconds(600)) ?? .seconds(60)
        },
        PartKey("within") { entry, reader, parser in
            parser.log.within = reader.duration(entry, in: .seconds(1) ... .seconds(60)) ?? .seconds(15)
        },
        PartKey("write"), PartKey("bytes"), PartKey("response"),
        PartKey("collect") { entry, reader, parser in
            if let source = reader.characteristic(entry) { parser.log.source = source }
        },
        PartKey("control") { $2.log.control = $1.characteristic($0) },
        PartKey("names") { entry, reader, parser in
            parser.log.names = reader.list(entry, what: "names").compactMap {
                reader.text(reader.item($0, of: entry.key), what: "a name such as GVH5075*")
            }
        },
        PartKey("keep_alive") { $2.readKeepAlive($0, in: &$1) },
        PartKey("skip") { entry, reader, parser in
            for node in reader.list(entry, what: "bytes") {
                parser.log.skip.append(reader.bytes(reader.item(node, of: entry.key), isPattern: true))
            }
        },
        PartKey("length") { $2.log.size = $1.integer($0, in: 5...512) ?? 0 },
        PartKey("end") { $2.log.end = $1.bytes($0, isPattern: true) },
        PartKey("fail") { $2.log.fail = $1.bytes($0, isPattern: true) },
        PartKey("packets_at") { $2.log.countAt = $1.integer($0, in: 0...510) },
        PartKey("records") { $2.readRecords($0, in: &$1) },
        PartKey("time") { $2.readTime($0, in: &$1) },
        PartKey("kinds") { entry, reader, parser in
            for node in reader.list(entry, what: "packets of one quantity") { parser.readKind(node, in: &reader) }
        },
        PartKey("tests"),
    ]

    static func log(_ entry: YAMLEntry, in reader: inout YAMLReader) -> Recipe.Log? {
        let problems = reader.problems.count
        var parser = LogParser()
        guard let entries = reader.part(entry.node, what: "a log", keys: keys, into: &parser) else { return nil }
        if let write = reader.write(entries, endian: parser.log.endian, at: entry.place) { parser.log.request = write }
        for key in ["holds", "every", "collect", "length", "end", "time", "kinds"] where entries[key] == nil {
            reader.note("a log needs `\(key)`; add it", at: entry.place)
        }
        guard reader.problems.count == problems else { return nil }
        for test in reader.list(entries["tests"], what: "tests") { parser.test(test, in: &reader) }
        return parser.log
    }

    private mutating func readTime(_ entry: YAMLEntry, in reader: inout YAMLReader) {
        guard let entries = reader.mapping(entry.node, what: "a time", keys: ["at", "type", "clock"]) else { return }
        log.timeAt = reader.integer(entries["at"], in: 0...508) ?? 0
        log.clock = entries["clock"]?.node.string.flatMap(Recipe.Log.Clock.init) ?? .request
        for (key, word) in [("type", "\(log.clock.type)"), ("clock", log.clock.rawValue)]
        where entries[key]?.node.string != word {
            reader.note(
                "the time of a log needs `\(key): \(word)`; blekeep knows uint32 by the clock `request`, and uint16 by `back`",
                at: entry.valuePlace)
        }
    }

    private mutating func readRecords(_ entry: YAMLEntry, in reader: inout YAMLReader) {
        guard let entries = reader.mapping(entry.node, what: "records", keys: ["at", "size", "none"]) else { return }
        log.records = Recipe.Log.Records(
            at: reader.integer(entries["at"], in: 0...511) ?? 0,
            size: reader.integer(entries["size"], in: 1...512) ?? 512,
            none: entries["none"].map { reader.bytes($0) } ?? [])
        if entries["size"] == nil { reader.note("the records of a packet need `size`; add it", at: entry.valuePlace) }
    }

    private mutating func readKeepAlive(_ entry: YAMLEntry, in reader: inout YAMLReader) {
        guard let entries = reader.mapping(entry.node, what: "a sign to go on", keys: ["bytes", "packets"]) else {
            return
        }
        guard let bytes = entries["bytes"], let packets = reader.integer(entries["packets"], in: 1...65_535) else {
            return reader.note("`keep_alive` needs `bytes` and `packets`; add both", at: entry.valuePlace)
        }
        log.keepAlive = Recipe.Log.KeepAlive(
            reader.pieces(bytes, endian: log.endian, isRequest: true), packets: packets)
    }

    private mutating func readKind(_ node: Node, in reader: inout YAMLReader) {
        guard let entries = reader.mapping(node, what: "packets of one quantity", keys: ["start", "fields"]) else {
            return
        }
        for key in ["start", "fields"] where entries[key] == nil && (key == "fields" || log.records == nil) {
            reader.note("packets of one quantity need `start` and `fields`; add `\(key)`", at: reader.place(of: node))
        }
        reader.fields.beginAnswer()
        log.kinds.append(
            Recipe.Log.Kind(
                start: entries["start"].map { reader.bytes($0, isPattern: true) } ?? [],
                fields: FieldParser.fields(entries["fields"], endian: log.endian, in: &reader)))
    }

    /// Compares the request, and the values of the oldest record.
    private func test(_ node: Node, in reader: inout YAMLReader) {
        let keys = ["now", "since", "request", "packets", "expect"]
        guard let entries = reader.mapping(node, what: "a test", keys: keys) else { return }
        reader.recipeTests += 1
        let times = 0...Int(UInt32.max)
        let now = Int64(reader.integer(entries["now"], in: times) ?? 0)
        let since = Int64(reader.integer(entries["since"], in: times) ?? 0)
        if let wanted = entries["request"] {
            let request = log.bytes(now: now, since: since)
            if reader.bytes(wanted) != request {
                reader.note("this test's request is \(String(hex: request)); check both", at: wanted.valuePlace)
            }
        }
        var download = LogDownload(log, now: now, since: since)
        for packet in reader.list(entries["packets"], what: "bytes") {
            download.receive(reader.bytes(reader.item(packet, of: "packets")))
        }
        guard let expected = entries["expect"] else { return }
        reader.compare(download.records.first?.measurements ?? [], with: expected, of: "the packets")
    }
}
