import BlekeepRecords

/// Cells of comma-separated values as RFC 4180 quotes them, each with the comma before it.
package enum CSVText {
    package static func append(_ value: MeasuredValue?, to bytes: inout [UInt8]) {
        switch value {
        case nil:
            bytes.append(UInt8(ascii: ","))
        case .text(let text):
            append(text, to: &bytes)
        case .list(let values):
            var list: [UInt8] = []
            JSONText.append(.list(values), to: &list)
            append(String(decoding: list, as: UTF8.self), to: &bytes)
        case .number(let number):
            bytes.append(text: number.isFinite ? ",\(number)" : ",")
        case .integer(let integer):
            bytes.append(UInt8(ascii: ","))
            bytes.append(integer: integer)
        case .boolean(let flag):
            bytes.append(text: flag ? ",true" : ",false")
        }
    }

    /// How text begins that a spreadsheet would run as a formula, also in full width.
    private static let formulas: Set<Unicode.Scalar> = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]
    private static let separating = Array(",;\"".utf8)

    /// Adds a cell with text, guarded against formulas: peripherals choose names, and users take aliases from them.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: ","))
        let isFormula = text.unicodeScalars.first.map(formulas.contains) ?? false
        let shown = (isFormula ? "'" : "") + Untrusted.whole(text)
        guard
            shown.utf8.contains(where: Self.separating.contains)
                || shown.hasPrefix(" ") || shown.hasSuffix(" ")
        else {
            bytes.append(text: shown)
            return
        }
        bytes.append(UInt8(ascii: "\""))
        for byte in shown.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
