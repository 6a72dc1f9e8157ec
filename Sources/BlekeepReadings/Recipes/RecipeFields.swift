/// A whole number that an answer determines, such as `34 + 2*_cells`: a constant, and terms with earlier fields.
package struct RecipeNumber: Sendable, Hashable, CustomStringConvertible {
    package enum Source: Sendable, Hashable {
        /// The value of an earlier field.
        case field(String)
        /// The number of bits that are set in an earlier field.
        case bits(String)
        /// The number of bytes of the answer.
        case size
    }

    /// `factor` times the source, divided by `divisor` and rounded toward zero.
    package struct Term: Sendable, Hashable {
        package var factor = 1
        package var source: Source
        package var divisor = 1
    }

    package var constant = 0
    package var terms: [Term] = []

    package init(_ constant: Int = 0, terms: [Term] = []) { (self.constant, self.terms) = (constant, terms) }

    /// Reads text such as `16`, `-2`, `_cells`, `size / 2 - 4`, `34 + 2*_cells` or `bits(_mask)`; `nil` for other text.
    package init?(_ text: String) {
        var sign = 1
        // A sign in front of each term.
        let spaced = text.replacing("-", with: " - ").replacing("+", with: " + ").replacing("*", with: " * ")
            .replacing("/", with: " / ")
        var words = spaced.split(separator: " ")[...]
        if words.first == "-" { (sign, words) = (-1, words.dropFirst()) }
        guard !words.isEmpty else { return nil }
        while true {
            guard var word = words.popFirst() else { return nil }
            var number: Int?
            if let value = UInt16(word).map({ Int($0) }) {
                number = value
                if words.first == "*" {
                    guard words.popFirst() != nil, let next = words.popFirst() else { return nil }
                    word = next
                }
            }
            if number != nil, UInt16(word) != nil {
                constant += sign * (number ?? 0)
            } else {
                guard let source = Source(word) else { return nil }
                var term = Term(factor: sign * (number ?? 1), source: source)
                if words.first == "/" {
                    guard words.popFirst() != nil, let divisor = words.popFirst().flatMap({ UInt8($0) }), divisor > 0
                    else { return nil }
                    term.divisor = Int(divisor)
                }
                terms.append(term)
            }
            switch words.popFirst() {
            case nil: return
            case "+": sign = 1
            case "-": sign = -1
            default: return nil
            }
        }
    }

    package var description: String {
        var parts = terms.map { term in
            let factor = abs(term.factor) == 1 ? "" : "\(abs(term.factor))*"
            let divisor = term.divisor == 1 ? "" : "/\(term.divisor)"
            return (isNegative: term.factor < 0, text: "\(factor)\(term.source)\(divisor)")
        }
        if constant != 0 || parts.isEmpty { parts.insert((constant < 0, "\(constant.magnitude)"), at: 0) }
        return parts.enumerated().map { index, part in
            index == 0 ? (part.isNegative ? "-" : "") + part.text : (part.isNegative ? " - " : " + ") + part.text
        }.joined()
    }

    /// The earlier fields that it needs.
    package var fields: [String] {
        terms.compactMap { term in
            switch term.source {
            case .field(let name), .bits(let name): name
            case .size: nil
            }
        }
    }

    /// Returns the number; `nil` when a field isn't a whole number, or the result doesn't fit.
    func value(_ values: RecipeValues, size: Int) -> Int? {
        var sum = constant
        for term in terms {
            let number: Int64
            switch term.source {
            case .size: number = Int64(size)
            case .field(let name):
                guard let value = values.integer(name) else { return nil }
                number = value
            case .bits(let name):
                guard let value = values.integer(name) else { return nil }
                number = Int64(value.nonzeroBitCount)
            }
            guard abs(number) < 1 << 40 else { return nil }
            sum += Int(number) * term.factor / term.divisor
            guard abs(sum) < 1 << 40 else { return nil }
        }
        return sum
    }
}

extension RecipeNumber.Source: CustomStringConvertible {
    fileprivate init?(_ word: Substring) {
        if word == "size" {
            self = .size
        } else if word.hasPrefix("bits("), word.hasSuffix(")") {
            self = .bits(String(word.dropFirst(5).dropLast()))
        } else if let first = word.utf8.first,
            first == UInt8(ascii: "_") || first.isSmallLetter,
            !word.contains("(")
        {
            self = .field(String(word))
        } else {
            return nil
        }
    }

    package var description: String {
        switch self {
        case .field(let name): name
        case .bits(let name): "bits(\(name))"
        case .size: "size"
        }
    }
}

/// What a conversation knows so far: the values of its answers, by the names of their fields.
package struct RecipeValues: Sendable {
    private var values: [String: MeasuredValue] = [:]

    package init() {}

    package subscript(name: String) -> MeasuredValue? {
        get { values[name] }
        set { values[name] = newValue }
    }

    func integer(_ name: String) -> Int64? {
        switch values[name] {
        case .integer(let number)?: number
        case .boolean(let flag)?: flag ? 1 : 0
        default: nil
        }
    }
}

/// A condition on earlier fields, for a field, a step, or the refusal of an answer.
package enum RecipeCondition: Sendable, Hashable {
    /// What a value is compared with. Numbers compare as numbers, and text such as 2.10.1 as a version.
    package enum Test: Sendable, Hashable {
        case bit(Int, isSet: Bool)
        case equals(String)
        case differs(String)
        case atLeast(String)
        case below(String)
    }

    case field(String, Test)
    case number(RecipeNumber, Test)
    case has(RecipeCharacteristic, Bool)

    /// What it is about, for sentences.
    package var subject: String {
        switch self {
        case .field(let field, _): field
        case .number(let number, _): "\(number)"
        case .has(let characteristic, _): "\(characteristic)"
        }
    }

    /// - Parameter size: the number of bytes of the answer; 0 outside of answers.
    func holds(_ values: RecipeValues, size: Int, has: (RecipeCharacteristic) -> Bool) -> Bool {
        switch self {
        case .field(_, let test), .number(_, let test): Self.holds(value(values, size: size), test: test)
        case .has(let characteristic, let wanted): has(characteristic) == wanted
        }
    }

    /// What it compares; `nil` for what isn't there.
    func value(_ values: RecipeValues, size: Int) -> MeasuredValue? {
        switch self {
        case .field(let field, _): values[field]
        case .number(let number, _): number.value(values, size: size).map { .integer(Int64($0)) }
        case .has: nil
        }
    }

    /// Of a field that isn't there, each bit is 0, and it differs from everything.
    private static func holds(_ value: MeasuredValue?, test: Test) -> Bool {
        guard let value else {
            switch test {
            case .bit(_, let isSet): return !isSet
            case .differs: return true
            case .equals, .atLeast, .below: return false
            }
        }
        return switch test {
        case .bit(let bit, let isSet):
            if case .integer(let number) = value { (number >> Int64(bit) & 1 == 1) == isSet } else { false }
        case .equals(let text): order(value, text) == 0
        case .differs(let text): order(value, text) != 0
        case .atLeast(let text): order(value, text).map { $0 >= 0 } ?? false
        case .below(let text): order(value, text).map { $0 < 0 } ?? false
        }
    }

    /// Returns -1, 0 or 1; `nil` when they can't be compared.
    private static func order(_ value: MeasuredValue, _ text: String) -> Int? {
        func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int { left < right ? -1 : left > right ? 1 : 0 }
        switch value {
        case .integer(let number): return Double(text).map { order(Double(number), $0) }
        case .number(let number): return Double(text).map { order(number, $0) }
        case .boolean(let flag): return order("\(flag)", text)
        case .text(let own):
            let (left, right) = (version(own), version(text))
            guard let left, let right else { return order(own, text) }
            for index in 0..<max(left.count, right.count) {
                let numbers = (index < left.count ? left[index] : 0, index < right.count ? right[index] : 0)
                if numbers.0 != numbers.1 { return order(numbers.0, numbers.1) }
            }
            return 0
        case .list: return nil
        }
    }

    private static func version(_ text: String) -> [Int]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).prefix(9).map {
            UInt32($0).map { Int($0) }
        }
        return parts.contains(nil) ? nil : parts.compactMap { $0 }
    }
}

/// A field of an answer: that of a layout, at any place, perhaps repeated.
package struct RecipeField: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// A number or text of the layout's types.
        case value
        /// A decimal number in text, behind this text; behind nothing when empty.
        case text(after: String)
        /// A bit, true or false.
        case bit
        /// Fields that repeat together.
        case group([RecipeField])
    }

    /// Its name, type, scale, unit and special values. A name with `_` in front isn't published.
    package var field: Field
    package var content = Content.value
    /// The first byte; behind the field before it when `nil`. Negative numbers count from the end of the answer.
    package var at: RecipeNumber?
    /// The lowest bit, 0 to 7, in the byte; `nil` for the first.
    package var bit: Int?
    /// How often it repeats; its name then has a `#` for the number.
    package var count: RecipeNumber?
    /// The number before scaling that ends the repetition.
    package var until: Int64?
    /// The numbers that stand for other values.
    package var table: [TableRow] = []
    /// What the number is divided by after the scale's multiplication, and before its offset; `nil` for 1. The result is
    /// rounded to three decimals.
    package var divisor: DecimalNumber?
    /// What a whole number is divided by before all else: by the first, what remains counts, and by the second, the quotient
    /// does. Some sensors have two quantities in one number. `nil` for neither.
    package var modulus, quotient: Int64?
    /// What is added to a divided number.
    package var offset = DecimalNumber.zero
    /// The earlier field whose value is added, such as one with the hundredths.
    package var addend: String?
    /// The bounds of the value; beyond them, it is `prohibited`.
    package var min, max: DecimalNumber?
    /// Points of a curve that the value goes through, by rising numbers; between them, it is a line. Empty for none.
    package var curve: [CurvePoint] = []
    package var conditions: [RecipeCondition] = []

    package struct TableRow: Sendable, Hashable {
        package var raw: Int64
        package var value: MeasuredValue

        package init(raw: Int64, value: MeasuredValue) { (self.raw, self.value) = (raw, value) }
    }

    package struct CurvePoint: Sendable, Hashable {
        package var number, value: Double

        package init(number: Double, value: Double) { (self.number, self.value) = (number, value) }
    }

    package init(_ field: Field) { self.field = field }

    /// The maximum number of repetitions of a field.
    package static let maxRepeats = 64
    /// The maximum number of values of an answer.
    static let maxValues = 512

    /// Whether it is at the place behind the field before it.
    var isInSequence: Bool { if case .text = content { false } else { at == nil } }

    /// Whether it is that of an assigned layout, but for its conditions: its value can then be written.
    var isPlain: Bool {
        var plain = RecipeField(field)
        plain.conditions = conditions.filter { if case .field = $0 { true } else { false } }
        return plain == self
    }

    /// The number of decimals that show each step; `nil` for whole numbers, and for an estimate by a curve.
    var decimals: Int? {
        guard curve.isEmpty else { return nil }
        // A fraction is rounded.
        return divisor == nil ? field.decimals : 3
    }

    /// Whether its value is a sum or an estimate.
    var isComposed: Bool { addend != nil || !curve.isEmpty }

    /// Its name, or those of the fields that repeat together.
    package var names: [String] {
        if case .group(let fields) = content { fields.flatMap(\.names) } else { [field.name] }
    }

    /// Whether its value is for the recipe alone.
    var isHidden: Bool { field.name.isEmpty || field.name.utf8.first == UInt8(ascii: "_") }
}

/// A sentence about an answer that doesn't fit.
struct RecipeFlaw: Error, CustomStringConvertible {
    let description: String
    init(_ sentence: String) { description = sentence }
}

struct RecipeDecoder {
    private let bytes: [UInt8]
    private let has: (RecipeCharacteristic) -> Bool
    private var reader: ByteReader
    private(set) var values: RecipeValues
    private(set) var measurements: [Measurement] = []
    /// The number in place of a `#` in names.
    private var number: Int?
    private var presence = PresenceContext()

    /// - Parameter number: that of the round, for a repeated step.
    init(
        _ bytes: [UInt8], endian: Endian, values: RecipeValues, number: Int?,
        has: @escaping (RecipeCharacteristic) -> Bool
    ) {
        self.bytes = bytes
        self.has = has
        self.values = values
        self.number = number
        reader = ByteReader(bytes, endian: endian)
    }

    mutating func decode(_ fields: [RecipeField]) throws(RecipeFlaw) {
        for field in fields where isPresent(field) {
            try move(to: field)
            guard let count = field.count else {
                _ = try decodeOnce(field)
                continue
            }
            guard let rounds = count.value(values, size: bytes.count) else {
                throw RecipeFlaw("the answer doesn't say how many `\(field.field.name)` there are")
            }
            guard 0...RecipeField.maxRepeats ~= rounds else {
                throw RecipeFlaw(
                    "the answer says that it has \(rounds) of `\(field.field.name)`; "
                        + "it can have \(RecipeField.maxRepeats)")
            }
            let outer = number
            defer { number = outer }
            for round in 0..<rounds {
                number = round + 1
                if try decodeOnce(field) { break }
            }
        }
    }

    /// - Throws: `long` if bytes are left.
    func finish() throws(DecodeError) { try reader.finish() }

    private func isPresent(_ field: RecipeField) -> Bool {
        field.conditions.allSatisfy { $0.holds(values, size: bytes.count, has: has) }
            && presence.isPresent(field.field, atEnd: reader.isAtEnd)
    }

    private mutating func move(to field: RecipeField) throws(RecipeFlaw) {
        if let at = field.at {
            guard let place = at.value(values, size: bytes.count) else {
                throw RecipeFlaw("the answer doesn't say where `\(field.field.name)` is")
            }
            let byte = place < 0 ? bytes.count + place : place
            guard reader.move(toByte: byte) else { throw Self.short(field) }
        }
    }

    private static func short(_ field: RecipeField) -> RecipeFlaw {
        RecipeFlaw("the answer is too short for `\(field.field.name)`")
    }

    /// - Returns: whether the field's `until` was met.
    private mutating func decodeOnce(_ field: RecipeField) throws(RecipeFlaw) -> Bool {
        if case .group(let fields) = field.content {
            try decode(fields)
            return false
        }
        let (value, raw): (FieldValue, Int64?)
        do throws(DecodeError) {
            (value, raw) = try read(field)
        } catch {
            throw Self.short(field)
        }
        presence.note(field.field, value)
        if let raw, raw == field.until { return true }
        guard !field.field.name.isEmpty else { return false }
        let name = number.map { field.field.name.replacing("#", with: "\($0)") } ?? field.field.name
        let checked = bounded(sum(value, field: field), field: field)
        values[name] = checked.value
        if field.field.name != name { values[field.field.name] = checked.value }
        guard !field.isHidden else { return false }
        guard measurements.count < RecipeField.maxValues else {
            throw RecipeFlaw("the answer has more than \(RecipeField.maxValues) values")
        }
        var decimals = field.decimals
        if case .text = field.content, case .number(let number)? = checked.value {
            decimals = "\(number)".split(separator: ".").dropFirst().first.map(\.count)
        }
        measurements.append(Measurement(field: name, checked, unit: field.field.unit, decimals: decimals))
        return false
    }

    /// Reads the value, and the number before scaling of an integer.
    private mutating func read(_ field: RecipeField) throws(DecodeError) -> (FieldValue, Int64?) {
        switch field.content {
        case .text(let key): return (try textNumber(after: key), nil)
        case .group: return (.state("unknown"), nil)
        case .bit:
            let isSet = try reader.bits(1, from: field.bit ?? 0) == 1
            return (.value(.boolean(isSet)), nil)
        case .value where field.field.repeats: return (try field.field.readAll(&reader), nil)
        case .value:
            var raw: Int64
            switch field.field.type {
            case .unsigned(let width):
                if let bit = field.bit {
                    raw = Int64(try reader.bits(width, from: bit))
                } else {
                    raw = Int64(try reader.unsigned(bits: width))
                }
            case .signed(let width): raw = try reader.signed(bits: width)
            case .signMagnitude(let width): raw = try reader.signMagnitude(bits: width)
            default:
                let value = try field.field.read(&reader)
                guard let divisor = field.divisor, case .value(.number(let number)) = value else { return (value, nil) }
                let scaled = number * field.field.scale.number(1, exponent: 0) / divisor.nearest + field.offset.nearest
                return (.number(Self.rounded(scaled)), nil)
            }
            if let modulus = field.modulus { raw = Int64(raw.magnitude % UInt64(max(1, modulus))) }
            if let quotient = field.quotient { raw /= max(1, quotient) }
            if let row = field.table.first(where: { $0.raw == raw }) { return (.value(row.value), raw) }
            guard field.field.state(of: raw) == nil, let divisor = field.divisor else {
                return (field.field.value(of: raw), raw)
            }
            let quotient = field.field.scale.number(raw, exponent: 0) / divisor.nearest + field.offset.nearest
            return (.number(Self.rounded(quotient)), raw)
        }
    }

    /// Rounds to three decimals: a fraction or a float rarely has an exact one.
    private static func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }

    /// Finds a decimal number in text.
    private func textNumber(after key: String) throws(DecodeError) -> FieldValue {
        let key = Array(key.utf8)
        var rest = bytes[...]
        if !key.isEmpty {
            guard let found = rest.firstRange(of: key) else { throw .short }
            rest = rest[found.upperBound...]
            while rest.first == UInt8(ascii: " ") { rest.removeFirst() }
        }
        func isSign(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") }
        if key.isEmpty {
            guard let first = rest.firstIndex(where: \.isDigit) else { throw .short }
            let isSigned = first > rest.startIndex && isSign(rest[first - 1])
            rest = rest[(isSigned ? first - 1 : first)...]
        }
        let sign = isSign(rest.first) ? 1 : 0
        let digits = rest.dropFirst(sign).prefix { $0.isDigit || $0 == UInt8(ascii: ".") }.prefix(16)
        var text = String(decoding: digits, as: UTF8.self)
        if text.hasSuffix(".") { text.removeLast() }
        guard !text.contains(".."), let number = DecimalNumber(rest.first == UInt8(ascii: "-") ? "-" + text : text)
        else { throw .short }
        return .number(number.nearest)
    }

    /// Adds the value of an earlier field.
    private func sum(_ value: FieldValue, field: RecipeField) -> FieldValue {
        guard let addend = field.addend, let number = value.value?.double, let more = values[addend]?.double else {
            return value
        }
        return .number(number + more)
    }

    private func bounded(_ value: FieldValue, field: RecipeField) -> FieldValue {
        guard let number = value.value?.double else { return value }
        if field.min.map({ number < $0.nearest }) ?? false { return .state("prohibited") }
        if field.max.map({ number > $0.nearest }) ?? false { return .state("prohibited") }
        guard let first = field.curve.first, let last = field.curve.last else { return value }
        guard number > first.number else { return .number(first.value) }
        guard number < last.number else { return .number(last.value) }
        let next = field.curve.firstIndex { $0.number > number } ?? field.curve.count - 1
        let (low, high) = (field.curve[max(0, next - 1)], field.curve[next])
        let share = (number - low.number) / (high.number - low.number)
        // A curve is an estimate.
        return .number((low.value + share * (high.value - low.value)).rounded())
    }
}

extension MeasuredValue {
    fileprivate var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        case .text, .boolean, .list: nil
        }
    }
}
