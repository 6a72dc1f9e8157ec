import BlekeepOutputs
import BlekeepRecords
import Yams

/// Reads a user's layout: its fields, and its tests.
struct LayoutParser {
    static let keys = ["uuid", "name", "endian", "fields", "tests"]

    private var reader: YAMLReader

    private let entries: [String: YAMLEntry]
    private let place: ConfigurationLocation

    /// Returns the layout and the place of its characteristic; `nil` without a characteristic, and after noting mistakes.
    static func layout(_ node: Node, in reader: inout YAMLReader) -> (OwnLayout, ConfigurationLocation)? {
        guard let entries = reader.mapping(node, what: "a layout", keys: keys) else { return nil }
        let place = reader.place(of: node)
        let entry = entries["uuid"]
        if entry == nil {
            reader.note("a layout needs the `uuid` of its characteristic; add one, such as `uuid: fff1`", at: place)
        }
        let characteristic = entry.flatMap { Form<BluetoothUUID>.characteristic.read($0, &reader) }
        var parser = LayoutParser(reader: reader, entries: entries, place: place)
        let layout = parser.layout(of: characteristic)
        reader = parser.reader
        return layout.map { ($0, entry?.valuePlace ?? place) }
    }

    private mutating func layout(of characteristic: BluetoothUUID?) -> OwnLayout? {
        let problems = reader.problems.count
        let name = reader.text(entries["name"], what: "a name for the characteristic") ?? ""
        let endian = endian()
        if entries["fields"].map({ $0.node.sequence?.isEmpty == true }) ?? true {
            reader.note("a layout needs `fields`; add them, such as `fields: [{name: level, type: uint8}]`", at: place)
        }
        let nodes = reader.list(entries["fields"], what: "fields")
        var fields = LayoutFields(endian: endian, reader: reader)
        for node in nodes { fields.read(node) }
        if fields.reader.problems.count == problems {
            fields.finish(at: nodes.last.map { reader.place(of: $0) } ?? place)
        }
        reader = fields.reader
        guard reader.problems.count == problems, let characteristic else { return nil }
        let layout = OwnLayout(characteristic: characteristic, name: name, endian: endian, fields: fields.all)
        for node in reader.list(entries["tests"], what: "tests") { test(layout, on: node) }
        return layout
    }

    private mutating func endian() -> Endian {
        guard let entry = entries["endian"], let text = reader.text(entry, what: "little or big") else {
            return .little
        }
        if let endian = Endian(rawValue: text) { return endian }
        reader.note("`endian` is \(Quoted.text(text)); write little or big", at: entry.valuePlace)
        return .little
    }

    // MARK: Tests

    /// Decodes a test's bytes, and notes unexpected values.
    private mutating func test(_ layout: OwnLayout, on node: Node) {
        guard let entries = reader.mapping(node, what: "a test", keys: ["hex", "expect", "error"]) else { return }
        reader.layoutTests += 1
        let place = reader.place(of: node)
        guard let hex = reader.text(entries["hex"], what: "bytes as hex digits") else {
            if entries["hex"] == nil { reader.note("a test needs `hex`, the bytes to decode; add it", at: place) }
            return
        }
        guard let bytes = [UInt8](hex: hex) else {
            reader.note(
                "\(Quoted.text(hex)) isn't a value; write two hex digits a byte",
                at: entries["hex"]?.valuePlace ?? place)
            return
        }
        let error = reader.text(entries["error"], what: "short or long")
        do {
            let measurements = try LayoutDecoder(layout).decode(bytes)
            if let error {
                return reader.note("this test expects the error \(error), but the bytes decode", at: place)
            }
            guard let expected = entries["expect"] else {
                return reader.note("a test needs `expect`, the fields and their values, or `error`; add it", at: place)
            }
            compare(measurements, with: expected, of: layout)
        } catch {
            let word = error == .long ? "long" : "short"
            if entries["error"]?.node.string == word { return }
            reader.note("the bytes of this test are too \(word) for the layout; check both", at: place)
        }
    }

    private mutating func compare(_ measurements: [Measurement], with entry: YAMLEntry, of layout: OwnLayout) {
        let names = layout.fields.map(\.name).filter { !$0.isEmpty }
        guard let expected = reader.mapping(entry.node, what: "what a test expects", keys: names) else { return }
        for (name, cell) in expected.sorted(by: { $0.value.place.precedes($1.value.place) }) {
            let place = cell.valuePlace
            guard let measurement = measurements.first(where: { $0.field == name }) else {
                reader.note("the bytes of this test have no `\(name)`; check both", at: place)
                continue
            }
            if !Self.isSame(measurement, as: cell.node) {
                reader.note(
                    "the bytes of this test say that `\(name)` is \(Self.text(measurement)); check both", at: place)
            }
        }
    }

    static func text(_ measurement: Measurement) -> String {
        guard let value = measurement.value else { return measurement.state ?? "" }
        var bytes: [UInt8] = []
        JSONText.append(measured: value, to: &bytes)
        return Quoted.text(String(decoding: bytes, as: UTF8.self))
    }

    static func isSame(_ measurement: Measurement, as node: Node) -> Bool {
        guard let value = measurement.value else { return node.string == measurement.state }
        return isSame(value, as: node)
    }

    private static func isSame(_ value: MeasuredValue, as node: Node) -> Bool {
        switch value {
        case .integer(let integer): node.string.flatMap { Double($0) } == Double(integer)
        case .number(let number): node.string.flatMap { Double($0) }.map { isNear($0, number) } ?? false
        case .text(let text): node.string == text
        case .boolean(let boolean): node.string == String(boolean)
        case .list(let values):
            node.sequence.map { $0.count == values.count && zip(values, $0).allSatisfy { isSame($0, as: $1) } } ?? false
        }
    }

    private static func isNear(_ left: Double, _ right: Double) -> Bool {
        abs(left - right) <= 1e-9 * max(abs(left), abs(right))
    }
}
