import BlekeepOutputs
import BlekeepRecords
import Yams

/// Reads a user's layout: its characteristic, the fields of the value, and its tests.
struct LayoutParser {
    private var characteristic: BluetoothUUID?
    private var name = ""
    private var endian = Endian.little
    private var fields: [RecipeField] = []

    static let keys: [PartKey<Self>] = [
        PartKey("uuid") { $2.characteristic = Form<BluetoothUUID>.characteristic.read($0, &$1) },
        PartKey("name") { $2.name = $1.text($0, what: "a name for the characteristic") ?? "" },
        PartKey("endian") { $2.endian = $1.word($0, "an endian") ?? .little },
        PartKey("fields") { $2.fields = FieldParser.fields($0, endian: $2.endian, in: &$1) },
        PartKey("tests"),
    ]

    /// Returns the layout and the place of its characteristic; `nil` after noting mistakes.
    static func layout(_ node: Node, in reader: inout YAMLReader) -> (OwnLayout, ConfigurationLocation)? {
        let problems = reader.problems.count
        let place = reader.place(of: node)
        reader.fields = FieldNames()
        var parser = LayoutParser()
        guard let entries = reader.part(node, what: "a layout", keys: keys, into: &parser) else { return nil }
        if entries["uuid"] == nil {
            reader.note("a layout needs the `uuid` of its characteristic; add one, such as `uuid: fff1`", at: place)
        }
        if entries["fields"].map({ $0.node.sequence?.isEmpty == true }) ?? true {
            reader.note("a layout needs `fields`; add them, such as `fields: [{name: level, type: uint8}]`", at: place)
        }
        guard reader.problems.count == problems, let characteristic = parser.characteristic else { return nil }
        let last = entries["fields"]?.node.sequence?.last.map { reader.place(of: $0) }
        FieldParser.checkEnd(of: parser.fields, at: last ?? place, in: &reader)
        guard reader.problems.count == problems else { return nil }
        var layout = OwnLayout(
            characteristic: characteristic, name: parser.name, endian: parser.endian, fields: parser.fields)
        layout.source = reader.source(node)
        for node in reader.list(entries["tests"], what: "tests") { test(layout, on: node, in: &reader) }
        return (layout, entries["uuid"]?.valuePlace ?? place)
    }

    /// Decodes a test's bytes, and notes unexpected values.
    private static func test(_ layout: OwnLayout, on node: Node, in reader: inout YAMLReader) {
        guard let entries = reader.mapping(node, what: "a test", keys: ["hex", "expect", "error"]) else { return }
        reader.layoutTests += 1
        let place = reader.place(of: node)
        if entries["hex"] == nil { reader.note("a test needs `hex`, the bytes to decode; add it", at: place) }
        let bytes = reader.value(
            entries["hex"], what: "bytes as hex digits", { [UInt8](hex: $0) },
            else: { "\($0) isn't a value; write two hex digits a byte" })
        guard let bytes else { return }
        let error = reader.text(entries["error"], what: "short or long")
        do throws(DecodeError) {
            let measurements = try LayoutDecoder(layout).decode(bytes)
            if let error {
                reader.note("this test expects the error \(error), but the bytes decode", at: place)
            } else if let expected = entries["expect"] {
                reader.compare(measurements, with: expected, of: "the bytes")
            } else {
                reader.note("a test needs `expect`, the fields and their values, or `error`; add it", at: place)
            }
        } catch {
            let word = error == .long ? "long" : "short"
            if entries["error"]?.node.string == word { return }
            reader.note("the bytes of this test are too \(word) for the layout; check both", at: place)
        }
    }
}

extension Measurement {
    /// The value as JSON, or its state.
    var text: String {
        guard let value else { return state ?? "" }
        var bytes: [UInt8] = []
        JSONText.append(measured: value, to: &bytes)
        return Quoted.text(String(decoding: bytes, as: UTF8.self))
    }

    /// Whether a test expects this value, or the state in its place.
    func isSame(as node: Node) -> Bool { value?.isSame(as: node) ?? (node.string == state) }
}

extension MeasuredValue {
    fileprivate func isSame(as node: Node) -> Bool {
        switch self {
        case .integer(let integer): node.string.flatMap { Double($0) } == Double(integer)
        case .number(let number): node.string.flatMap { Double($0) }.map { Self.isNear($0, number) } ?? false
        case .text(let text): node.string == text
        case .boolean(let boolean): node.string == String(boolean)
        case .list(let values):
            node.sequence.map { $0.count == values.count && zip(values, $0).allSatisfy { $0.isSame(as: $1) } } ?? false
        }
    }

    private static func isNear(_ left: Double, _ right: Double) -> Bool {
        abs(left - right) <= 1e-9 * max(abs(left), abs(right))
    }
}
