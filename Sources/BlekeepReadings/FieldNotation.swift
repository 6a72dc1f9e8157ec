/// The notation of the characteristic table: fields with `; ` between them, each a name, a type and further words.
///
///     temperature sint16 *1e-2 °C 0x8000=unknown -27315...32767
///
/// | Part | Meaning |
/// | --- | --- |
/// | `uint12`, `sint16`, `bits8`, `medfloat16`, `datetime`, `utf8s(16)` … | the type: see ``FieldType`` |
/// | `uint16[]` | repeats to the end |
/// | `*15`, `*125e-5`, `*1e3`, `/64` | the scale: value = number × 15, × 125·10⁻⁵, × 10³, ÷ 64 (a power of two) |
/// | `+50000`, `+-40` | an offset, added after the multiplier: `*2e-3 +-40` is (number × 2 - 40)·10⁻³ |
/// | `°C` | the unit after scaling; any other word |
/// | `0xFF=unknown`, `-128=unknown` | a number that stands for a word: hex of the bytes, or the number before scaling |
/// | `-27315...32767` | the numbers allowed, before scaling |
/// | `?3`, `?5,!0` | present when flag bit 3 is set; when bit 5 is set and bit 0 is not |
/// | `?=2` | present when `field_selector` is 2 |
/// | `?` | present if bytes are left |
///
/// Fields follow each other bit by bit, the least significant bit first: two `uint4` share a byte.
extension Field {
    /// Reads all fields of a line; `nil` when a field isn't in this notation.
    static func list(notation: Substring) -> [Field]? {
        var fields: [Field] = []
        for text in notation.split(separator: ";") {
            guard let field = Field(notation: text) else { return nil }
            fields.append(field)
        }
        return fields
    }

    init?(notation: Substring) {
        let words = notation.split(separator: " ")
        guard words.count >= 2 else { return nil }
        let repeats = words[1].hasSuffix("[]")
        guard let type = FieldType(words[1].dropLast(repeats ? 2 : 0)) else { return nil }
        self.init(name: String(words[0]), type: type, repeats: repeats)
        for word in words.dropFirst(2) {
            guard add(word) else { return nil }
        }
    }

    mutating func add(_ word: Substring) -> Bool {
        switch word.first {
        case "*", "/": return addScale(word)
        case "+":
            guard let offset = Int64(word.dropFirst()) else { return false }
            scale.offset = offset
            return true
        case "?": return addPresence(word.dropFirst())
        default: break
        }
        if let equals = word.firstIndex(of: "=") {
            return add(state: String(word[word.index(after: equals)...]), of: word[..<equals])
        } else if let dots = word.firstRange(of: "...") {
            guard let low = Int64(word[..<dots.lowerBound]), let high = Int64(word[dots.upperBound...]), low <= high
            else { return false }
            limits = low...high
        } else {
            unit = String(word)
        }
        return true
    }

    private mutating func addScale(_ word: Substring) -> Bool {
        if word.first == "/" {
            guard let divisor = UInt64(word.dropFirst()), divisor.nonzeroBitCount == 1 else { return false }
            scale.binary = -divisor.trailingZeroBitCount
            return true
        }
        let parts = word.dropFirst().split(separator: "e", maxSplits: 1)
        guard let multiplier = parts.first.flatMap({ Int64($0) }), let decimal = parts.count < 2 ? 0 : Int(parts[1])
        else { return false }
        scale.multiplier = multiplier
        scale.decimal = decimal
        return true
    }

    private mutating func addPresence(_ condition: Substring) -> Bool {
        if condition.isEmpty {
            presence = .ifBytesAreLeft
        } else if condition.first == "=" {
            guard let value = Int64(condition.dropFirst()) else { return false }
            presence = .ifSelected(value)
        } else {
            var mask: UInt64 = 0
            var value: UInt64 = 0
            for bit in condition.split(separator: ",") {
                let clear = bit.first == "!"
                guard let number = UInt64(bit.dropFirst(clear ? 1 : 0)) else { return false }
                mask |= 1 << number
                value |= clear ? 0 : 1 << number
            }
            presence = .ifFlags(mask: mask, value: value)
        }
        return true
    }

    /// Reads a number before scaling. Hexadecimal digits are those of the bytes: 0x80 of a `sint8` is -128.
    package func raw(_ text: Substring) -> Int64? {
        guard text.hasPrefix("0x") else { return Int64(text) }
        guard let bits = UInt64(text.dropFirst(2), radix: 16) else { return nil }
        switch type {
        case .signed(let width): return bits.signed(bits: width)
        case .signMagnitude(let width):
            let magnitude = Int64(bits & (1 << UInt64(width - 1) - 1))
            return bits >> UInt64(width - 1) & 1 == 1 ? -magnitude : magnitude
        default: return Int64(exactly: bits)
        }
    }
}
