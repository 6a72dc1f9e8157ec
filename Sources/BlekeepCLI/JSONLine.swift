import Blekeep
import BlekeepOutputs

/// One JSON object on a line, written key by key.
struct JSONLine {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    var text: String { String(decoding: bytes, as: UTF8.self) + "}" }

    mutating func add(_ key: String, _ value: MeasuredValue?) {
        begin(key)
        Self.append(value, to: &bytes)
    }

    /// Fields by name, each with `value`, and `unit` and `state` where it has them.
    mutating func add(_ key: String, _ measurements: [Measurement]) {
        var fields = JSONLine()
        for measurement in measurements { fields.add(measurement.field, JSONLine(measurement)) }
        add(key, fields)
    }

    mutating func add(_ key: String, _ object: JSONLine) {
        begin(key)
        bytes += object.text.utf8
    }

    mutating func add(_ key: String, _ objects: [JSONLine]) {
        begin(key)
        bytes += "[\(objects.map(\.text).joined(separator: ","))]".utf8
    }

    init() {}

    /// `value`, and `unit` and `state` where there are any.
    init(_ measurement: Measurement) {
        add("value", measurement.value)
        if let unit = measurement.unit { add("unit", .text(unit)) }
        if let state = measurement.state { add("state", .text(state)) }
    }

    private mutating func begin(_ key: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        JSONText.append(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }

    static func append(_ value: MeasuredValue?, to bytes: inout [UInt8]) {
        switch value {
        case .number(let number)?:
            // Whole numbers without a point, as in every line that blekeep writes.
            if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 {
                JSONText.append(.integer(whole), to: &bytes)
            } else {
                JSONText.append(.number(number), to: &bytes)
            }
        case let value?: JSONText.append(value, to: &bytes)
        case nil: bytes += "null".utf8
        }
    }
}
