/// A type signature: zero or more complete types, such as `a{sv}`.
package struct Signature: CheckedName {
    package let text: String
    package init(unchecked text: String) { self.text = text }

    package static let empty = Signature(unchecked: "")

    package static func isValid(_ text: String) -> Bool { split(text) != nil }

    /// The complete types in order.
    package var types: [Signature] { Self.split(text) ?? [] }

    /// Returns the complete types of `text`; `nil` when it isn't a signature: unknown codes, open brackets, nesting of
    /// more than 32 arrays or 32 structures, more than 255 bytes.
    private static func split(_ text: String) -> [Signature]? {
        let codes = Array(text.utf8)
        guard codes.count <= 255 else { return nil }
        var types: [Signature] = []
        var index = 0
        while index < codes.count {
            guard let end = endOfType(codes, from: index, arrays: 0, structures: 0) else { return nil }
            types.append(Signature(unchecked: String(decoding: codes[index..<end], as: UTF8.self)))
            index = end
        }
        return types
    }

    private static let basic = Set("ybnqiuxtdsogh".utf8)

    private static func endOfType(_ codes: [UInt8], from start: Int, arrays: Int, structures: Int) -> Int? {
        guard start < codes.count, arrays <= 32, structures <= 32 else { return nil }
        switch codes[start] {
        case UInt8(ascii: "v"): return start + 1
        case let code where basic.contains(code): return start + 1
        case UInt8(ascii: "a"):
            guard start + 1 < codes.count, codes[start + 1] == UInt8(ascii: "{") else {
                return endOfType(codes, from: start + 1, arrays: arrays + 1, structures: structures)
            }
            let key = start + 2
            guard key < codes.count, basic.contains(codes[key]),
                let end = endOfType(codes, from: key + 1, arrays: arrays + 1, structures: structures + 1),
                end < codes.count, codes[end] == UInt8(ascii: "}")
            else { return nil }
            return end + 1
        case UInt8(ascii: "("):
            var index = start + 1
            while index < codes.count, codes[index] != UInt8(ascii: ")") {
                guard let end = endOfType(codes, from: index, arrays: arrays, structures: structures + 1)
                else { return nil }
                index = end
            }
            return index < codes.count && index > start + 1 ? index + 1 : nil
        default: return nil
        }
    }
}
