/// The reason in a server's answer: the text of `error` or `message` in its JSON object.
enum ServerReason {
    /// The most scalars that a message shows.
    static let limit = 200

    /// - Returns: `nil` when the answer has no such text.
    static func text(in body: [UInt8]) -> String? {
        ["error", "message"].lazy.compactMap { text(of: $0, in: body) }.first
    }

    private static func text(of key: String, in body: [UInt8]) -> String? {
        let wanted = Array("\"\(key)\"".utf8)
        var index = body.startIndex
        while let found = body[index...].firstRange(of: wanted) {
            index = found.upperBound
            var rest = body[index...].drop(while: isSpace)
            guard rest.popFirst() == UInt8(ascii: ":") else { continue }
            rest = rest.drop(while: isSpace)
            if rest.popFirst() == UInt8(ascii: "\"") { return string(rest) }
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// The text up to the next quotation mark, without escapes.
    private static func string(_ rest: ArraySlice<UInt8>) -> String {
        var rest = rest
        var text: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
                text.append(byte)
                continue
            }
            switch escaped {
            case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): text.append(UInt8(ascii: " "))
            case UInt8(ascii: "u"):
                let digits = String(decoding: rest.prefix(4), as: UTF8.self)
                rest = rest.dropFirst(4)
                let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) ?? "\u{FFFD}"
                text += Array(String(Character(scalar)).utf8)
            default: text.append(escaped)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
