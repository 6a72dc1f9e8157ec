import BlekeepRecords
import Yams

/// Reads where an answer to a recipe begins and ends, and what proves it whole.
struct FrameParser {
    /// The byte order of a length.
    private let endian: Endian
    private var rule = FrameRule()

    /// The maximum comes first, because it bounds the length. `end` and `silence` stand for a length.
    private static let keys: [PartKey<Self>] = [
        PartKey("max") { $2.rule.max = $1.integer($0, in: 1...FrameRule.maxBytes) ?? $2.rule.max },
        PartKey("start") { $2.rule.start = $1.bytes($0, isPattern: true) },
        PartKey("end") { entry, reader, parser in
            parser.rule.end = reader.bytes(entry)
            parser.rule.length = .terminator
        },
        PartKey("silence") { entry, reader, parser in
            guard let time = reader.duration(entry, in: .milliseconds(50) ... .seconds(10)) else { return }
            parser.rule.length = .silence(time)
        },
        PartKey("length") { $2.readLength($0, in: &$1) },
        PartKey("junk") { $2.rule.junk = $1.bytes($0) },
        PartKey("check") { entry, reader, parser in
            for node in entry.node.items { parser.readCheck(node, in: &reader) }
        },
    ]

    /// - Parameter endian: the byte order of a length.
    static func rule(_ entry: YAMLEntry, endian: Endian, in reader: inout YAMLReader) -> FrameRule {
        var parser = FrameParser(endian: endian)
        _ = reader.part(entry.node, what: "a frame", keys: keys, into: &parser)
        return parser.rule
    }

    /// Reads `16`, `[16, 24]`, or where the answer has its length.
    private mutating func readLength(_ entry: YAMLEntry, in reader: inout YAMLReader) {
        if case .silence = rule.length {
            reader.note("a frame has a `length` or a `silence`; remove one", at: entry.place)
        }
        rule.length = .notification
        switch entry.node {
        case .sequence(let items):
            let max = rule.max
            rule.sizes = items.compactMap { reader.integer(reader.item($0, of: entry.key), in: 1...max) }
            if items.isEmpty { reader.note("`length` has no number; write one", at: entry.valuePlace) }
        case .mapping:
            guard let entries = reader.mapping(entry.node, what: "a length", keys: ["at", "type", "add", "endian"])
            else { return }
            for key in ["at", "type"] where entries[key] == nil {
                reader.note("a length needs `at` and `type`; add `\(key)`", at: entry.valuePlace)
            }
            guard let at = reader.integer(entries["at"], in: 0...255), let bits = reader.wholeBytes(entries["type"])
            else { return }
            rule.length = .field(
                at: at, bits: bits, endian: reader.word(entries["endian"], "an endian") ?? endian,
                add: reader.integer(entries["add"], in: -255...255) ?? 0)
        default:
            guard let count = reader.integer(entry, in: 1...rule.max) else { return }
            rule.length = .fixed(count)
        }
    }

    private mutating func readCheck(_ node: Node, in reader: inout YAMLReader) {
        let keys = ["kind", "from", "to", "at", "endian"]
        guard let entries = reader.mapping(node, what: "a check", keys: keys) else { return }
        if entries["kind"] == nil {
            reader.note("a check needs a `kind`; add one, such as `kind: sum8`", at: reader.place(of: node))
        }
        guard let kind: Checksum = reader.word(entries["kind"], "a check") else { return }
        rule.checks.append(
            FrameRule.Check(
                kind, from: reader.integer(entries["from"], in: -511...511) ?? 0,
                to: reader.integer(entries["to"], in: -511...511), at: reader.integer(entries["at"], in: -511...511),
                endian: reader.word(entries["endian"], "an endian")))
    }
}
