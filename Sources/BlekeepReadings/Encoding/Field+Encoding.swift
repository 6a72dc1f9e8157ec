extension Field {
    /// Encodes a value as users write it, such as `21.5`, `unknown` or `2024-02-29T12:00:00`.
    /// Returns the number before scaling: other fields may depend on it.
    func write(_ text: Substring, to writer: inout ByteWriter) throws(UserError) -> Int64? {
        switch type {
        case .unsigned(let bits), .signed(let bits):
            let raw = try integer(text)
            writer.append(UInt64(bitPattern: raw), bits: bits)
            return raw
        case .signMagnitude(let bits):
            let raw = try integer(text)
            writer.append(raw.magnitude | (raw < 0 ? 1 << UInt64(bits - 1) : 0), bits: bits)
            return raw
        case .real(let format): writer.append(try real(text, format: format), bits: format.bits)
        case .exponentialTime: writer.append(UInt64(bitPattern: try exponent(text)), bits: 8)
        case .dateTime: try writeDateTime(text, to: &writer)
        case .text(let count): writer.append(try bytes(of: text, count))
        case .terminatedText:
            guard !text.utf8.contains(0) else { throw UserError("\(name) can't contain NUL") }
            writer.append(Array(text.utf8) + [0])
        case .hex(let count): writer.append(try hex(text, count: count))
        case .eui64: writer.append(try hex(text, count: 8).reversed())
        case .uuid: try writeUUID(text, to: &writer)
        }
        return nil
    }

    /// Writes zeros for bytes without a meaning.
    func writeNothing(to writer: inout ByteWriter) {
        if case .hex(let count) = type { writer.append([UInt8](repeating: 0, count: count ?? 0)) }
        if case .unsigned(let bits) = type { writer.append(0, bits: bits) }
    }

    // MARK: Numbers

    private func integer(_ text: Substring) throws(UserError) -> Int64 {
        if let state = states.first(where: { $0.word == text }) { return state.raw }
        let number = try number(text)
        switch scale.raw(of: number) {
        case .exact(let raw):
            guard range.contains(raw) else { throw outOfRange(text) }
            if let word = state(of: raw) { throw UserError("\(text) means '\(word)' here; write that") }
            return raw
        // A value is printed as its shortest text, which may lack some digits.
        case .between(let near, _) where range.contains(near) && scale.number(near, exponent: 0) == number.nearest:
            return near
        case .between(let near, let far):
            guard range.contains(near), range.contains(far) else { throw outOfRange(text) }
            throw UserError("\(name) has no step at \(text); next to it are \(shown(near)) and \(shown(far))")
        case .beyond: throw outOfRange(text)
        }
    }

    /// Converts a number to the field's unit, if it was written in the unit that users see.
    private func number(_ text: Substring) throws(UserError) -> ExactDecimal {
        guard let written = NumberText(text) else { throw UserError("\(quoted(text)) isn't a number\(words)") }
        let unit = unit ?? ""
        let other = DisplayUnit.shown(for: unit)
        if written.unit.isEmpty {
            guard let other else { return written.number }
            throw UserError("\(text) of what? Write \(text)\(unit) or \(text)\(other.unit)")
        }
        if written.unit == unit { return written.number }
        guard let other, other.unit == written.unit else {
            let wanted = unit.isEmpty ? "a number without a unit" : "\(unit)\(other.map { " or \($0.unit)" } ?? "")"
            throw UserError("\(quoted(text)): \(name) is in \(wanted)\(words)")
        }
        var number = written.number
        number.exponent += other.power
        return number
    }

    /// The possible numbers before scaling, without states at either end.
    var range: ClosedRange<Int64> {
        var (low, high): (Int64, Int64) =
            switch type {
            case .signed(let bits): (-1 << Int64(bits - 1), 1 << Int64(bits - 1) - 1)
            case .unsigned(let bits): (0, 1 << Int64(bits) - 1)
            case .signMagnitude(let bits): (1 - 1 << Int64(bits - 1), 1 << Int64(bits - 1) - 1)
            default: (0, 255)
            }
        if let limits { (low, high) = (max(low, limits.lowerBound), min(high, limits.upperBound)) }
        while low < high, states.contains(where: { $0.raw == low }) { low += 1 }
        while low < high, states.contains(where: { $0.raw == high }) { high -= 1 }
        return low...max(low, high)
    }

    private func outOfRange(_ text: Substring) -> UserError {
        let (first, last) = (digits(range.lowerBound), shown(range.upperBound))
        return UserError("\(text) is out of range: \(name) goes from \(first) to \(last)\(words)")
    }

    private func shown(_ raw: Int64) -> String { digits(raw) + (unit.map { " \($0)" } ?? "") }

    private func digits(_ raw: Int64) -> String {
        let value: String =
            switch scale.value(of: raw) {
            case .integer(let integer): String(integer)
            case .number(let number): "\(number)"
            case .text(let text): text
            case .boolean, .list: ""
            }
        return value.hasSuffix(".0") ? String(value.dropLast(2)) : value
    }

    /// The words that the field accepts instead of a number.
    private var words: String {
        var all = states.map(\.word)
        if case .real(let format) = type {
            all += ["nan", "nres", "pos_inf", "neg_inf"].filter { format.bits(of: $0) != nil }
        }
        return all.isEmpty ? "" : "; or \(all.joined(separator: ", "))"
    }

    private func real(_ text: Substring, format: RealFormat) throws(UserError) -> UInt64 {
        if let bits = format.bits(of: String(text)) { return bits }
        guard let bits = format.bits(of: try number(text), scale: scale) else {
            throw UserError("\(name) can't hold \(text): it has too many digits, or is too large or too small")
        }
        return bits
    }

    /// Returns the nearest step. Each step is a tenth longer than the previous one.
    private func exponent(_ text: Substring) throws(UserError) -> Int64 {
        if let state = states.first(where: { $0.word == text }) { return state.raw }
        let wanted = try number(text).nearest
        if wanted == 0 { return 0 }
        let steps = (Int64(1)...255).compactMap { raw -> (raw: Int64, seconds: Double)? in
            guard case .value(.number(let seconds)) = exponentialTime(raw) else { return nil }
            return (raw, seconds)
        }
        guard let first = steps.first, let last = steps.last, first.seconds...last.seconds ~= wanted,
            let nearest = steps.min(by: { abs($0.seconds - wanted) < abs($1.seconds - wanted) })
        else { throw UserError("\(text) is out of range: \(name) goes from 0.0025 s to 66 million s\(words)") }
        return nearest.raw
    }

    // MARK: Other values

    private func bytes(of text: Substring, _ count: Int?) throws(UserError) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard let count else { return bytes }
        guard bytes.count <= count else {
            throw UserError("\(name) holds \(count) bytes of text, and this text has \(bytes.count)")
        }
        return bytes + [UInt8](repeating: 0, count: count - bytes.count)
    }

    private func hex(_ text: Substring, count: Int?) throws(UserError) -> [UInt8] {
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text
        guard let bytes = [UInt8](hex: digits), bytes.count == count ?? bytes.count else {
            let size = count.map { "\(2 * $0) hex digits" } ?? "hex digits, two for each byte"
            throw UserError("\(quoted(text)): \(name) is \(size)")
        }
        return bytes
    }

    private func writeUUID(_ text: Substring, to writer: inout ByteWriter) throws(UserError) {
        guard let uuid = BluetoothUUID(text) else { throw UserError("\(quoted(text)) isn't a UUID") }
        if let short = uuid.short { return writer.append(UInt64(short), bits: 16) }
        writer.append(uuid.low, bits: 64)
        writer.append(uuid.high, bits: 64)
    }

    private func writeDateTime(_ text: Substring, to writer: inout ByteWriter) throws(UserError) {
        if text == "unknown" { return writer.append([UInt8](repeating: 0, count: 7)) }
        let shape = text.map { "0"..."9" ~= $0 ? "0" : String($0) }.joined()
        let numbers = text.split { "-T:".contains($0) }.compactMap { UInt64($0) }
        guard shape == "0000-00-00T00:00:00", numbers.count == 6 else {
            throw UserError("\(quoted(text)): \(name) is a date and time such as 2026-02-28T12:00:00, or unknown")
        }
        var bytes = ByteWriter(endian: writer.endian)
        for (number, bits) in zip(numbers, [16, 8, 8, 8, 8, 8]) { bytes.append(number, bits: bits) }
        var reader = ByteReader(bytes.bytes, endian: writer.endian)
        guard let moment = try? DateTime(&reader), case .value = moment.value else {
            throw UserError("\(quoted(text)) isn't a date of the calendar, which begins with 1582")
        }
        writer.append(bytes.bytes)
    }

    private func quoted(_ text: Substring) -> String { ValueText.quoted(text) }
}
