/// A packet whose values have fixed places, described in text.
///
/// A line without a space in front says which packets these are; the indented lines below it are their fields. `#` starts a
/// comment.
///
///     company 0133; 14 bytes; starts 17; big endian
///       battery uint8 @1 %
///       temperature sint16 @6 *1e-1 °C
///
/// | part of the first line | packets |
/// | --- | --- |
/// | `company 0133, 84__` | the manufacturer data of these companies; `__` is any byte |
/// | `company any` | manufacturer data with a value as its number; places count from the number |
/// | `service f525` | the service data of these services |
/// | `named iBBQ, xBBQ` | of devices with such a beginning of their name, unless the user chose the format |
/// | `advertises fff0` | of devices that advertise this service, unless the user chose the format |
/// | `9 bytes`, `12, 14 bytes`, `17...20 bytes`, `20 bytes or more` | of these lengths |
/// | `starts 01__ff` | that begin with these bytes |
/// | `address at 4`, `reversed address at 4` | that have the device's address there |
/// | `masked a0` | whose bytes are decoded after an exclusive or with this one |
/// | `big endian` | whose numbers have their most significant byte first |
///
/// The fields are those of characteristics in `FieldNotation.swift`, with these words more:
///
/// | word | meaning |
/// | --- | --- |
/// | `bit` as the type | a truth value |
/// | `@8`, `@8.3`, `@-2` | byte 8, its bits from bit 3 up, the second byte from the end; without it, behind the field before |
/// | `÷65535` | divided by this, after the multiplier and before the offset, and rounded to three decimals |
/// | `2:idle` | the number 2 stands for this word, number or truth value |
/// | `bool` as the unit | all numbers but 0 are true |
/// | `+_name` | plus the value of an earlier field |
/// | `~2100:0,3000:100` | goes through the points of this curve, after scaling |
/// | `?3`, `?!3` | only if bit 3 of the field `_flags` is set; isn't set |
/// | `?_kind=2`, `≠`, `≥`, `<` | only if an earlier field has this value, or `size`, the number of bytes |
///
/// A field with `_` in front isn't a value of its own.
struct PacketLayout: Sendable {
    private(set) var companies: [UInt16] = []
    private(set) var services: [BluetoothUUID] = []
    /// Whether the company number is a part of the values.
    private(set) var companyIsValue = false
    private(set) var names: [String] = []
    private(set) var advertised: [BluetoothUUID] = []
    private(set) var lengths: [ClosedRange<Int>] = []
    /// `nil` for any byte.
    private(set) var start: [UInt8?] = []
    private(set) var addressPlace: (byte: Int, isReversed: Bool)?
    private var endian = Endian.little
    private var mask: UInt8 = 0
    private(set) var fields: [RecipeField] = []

    private init() {}

    // MARK: Decoding

    /// - Returns: `nil` for a packet of another kind.
    /// - Throws: `short`.
    func decode(_ input: BroadcastInput) throws(DecodeError) -> [Measurement]? {
        guard hasSource(input.source) else { return nil }
        let bytes = companyIsValue ? input.bytesWithCompany : input.bytes
        guard lengths.isEmpty || lengths.contains(where: { $0.contains(bytes.count) }), hasStart(bytes),
            hasAddress(bytes, of: input.data.address), input.isChosen || isRecognized(input.data)
        else { return nil }
        return try SensorFields.decode(fields, bytes: bytes.map { $0 ^ mask }, endian: endian)
    }

    private func hasSource(_ source: AdvertisedData.Source) -> Bool {
        switch source {
        case .company(let company): companyIsValue || companies.contains(company)
        case .service(let service): services.contains(service)
        }
    }

    private func hasStart(_ bytes: [UInt8]) -> Bool {
        bytes.count >= start.count && zip(start, bytes).allSatisfy { $0 == nil || $0 == $1 }
    }

    private func hasAddress(_ bytes: [UInt8], of address: BluetoothAddress) -> Bool {
        guard let place = addressPlace else { return true }
        let own = place.isReversed ? address.bytes.reversed() : address.bytes
        return bytes.dropFirst(place.byte).starts(with: own)
    }

    private func isRecognized(_ data: AdvertisedData) -> Bool {
        (names.isEmpty || data.name.map { name in names.contains { name.hasPrefix($0) } } ?? false)
            && (advertised.isEmpty || advertised.contains(where: data.services.contains))
    }

    // MARK: Notation

    /// Reads layouts. `fault` gets each line that isn't in the notation, which a test does.
    static func list(_ text: String, fault: (Substring) -> Void = { _ in }) -> [PacketLayout] {
        var layouts: [PacketLayout] = []
        for line in text.split(separator: "\n") {
            let content = line.split(separator: "#", omittingEmptySubsequences: false)[0]
            if content.allSatisfy({ $0 == " " }) { continue }
            if content.first != " " {
                var layout = PacketLayout()
                let isRead = content.split(separator: ";").allSatisfy { layout.add(clause: $0) }
                if !isRead { fault(line) }
                layouts.append(layout)
            } else {
                if layouts.isEmpty {
                    fault(line)
                } else {
                    layouts[layouts.count - 1].fields += fields(content, fault: fault)
                }
            }
        }
        return layouts
    }

    /// Reads fields with `;` or the end of a line between them.
    static func fields(_ text: some StringProtocol, fault: (Substring) -> Void = { _ in }) -> [RecipeField] {
        var fields: [RecipeField] = []
        for text in Substring(text).split(whereSeparator: { $0 == ";" || $0 == "\n" })
        where text.contains(where: { $0 != " " }) {
            if let field = RecipeField(notation: text) { fields.append(field) } else { fault(text) }
        }
        return fields
    }

    private mutating func add(clause: Substring) -> Bool {
        let words = clause.split(separator: " ")
        guard let first = words.first else { return false }
        let rest = Self.list(clause[first.endIndex...])
        switch first {
        case "company" where rest == ["any"]: companyIsValue = true
        case "company":
            companies = rest.flatMap(Self.numbers)
            return !companies.isEmpty && !rest.map(Self.numbers).contains([])
        case "service":
            services = Self.services(rest)
            return services.count == rest.count
        case "advertises":
            advertised = Self.services(rest)
            return advertised.count == rest.count
        case "named": names = rest.map { String($0) }
        case "starts":
            guard let text = words.last, words.count == 2, let bytes = Self.bytes(text) else { return false }
            start = bytes
        case "address", "reversed":
            guard words.count == (first == "address" ? 3 : 4), let byte = words.last.flatMap({ UInt8($0) }) else {
                return false
            }
            addressPlace = (Int(byte), first == "reversed")
        case "masked":
            guard words.count == 2, let byte = words.last.flatMap({ UInt8($0, radix: 16) }) else { return false }
            mask = byte
        case "big": endian = .big
        default: return addLengths(words)
        }
        return true
    }

    private static func list(_ text: Substring) -> [Substring] {
        text.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ")[...] }
    }

    private static func services(_ list: [Substring]) -> [BluetoothUUID] {
        list.compactMap { BluetoothUUID(String($0)) }
    }

    /// Returns the bytes of hexadecimal digits, with `nil` for `__`; `nil` for other text.
    private static func bytes(_ text: Substring) -> [UInt8?]? {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8?] = []
        var rest = text
        while !rest.isEmpty {
            let digits = rest.prefix(2)
            rest = rest.dropFirst(2)
            if digits == "__" {
                bytes.append(nil)
            } else {
                guard let byte = UInt8(digits, radix: 16) else { return nil }
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// Returns the company numbers of a pattern of four digits; none for other text.
    private static func numbers(_ pattern: Substring) -> [UInt16] {
        guard let parts = bytes(pattern), parts.count == 2 else { return [] }
        func choices(_ part: UInt8?) -> [UInt16] { part.map { [UInt16($0)] } ?? (0...255).map { UInt16($0) } }
        return choices(parts[0]).flatMap { high in choices(parts[1]).map { high << 8 | $0 } }
    }

    private mutating func addLengths(_ words: [Substring]) -> Bool {
        guard let end = words.firstIndex(where: { $0.hasPrefix("byte") }) else { return false }
        let isOpen = words[(end + 1)...].elementsEqual(["or", "more"])
        guard isOpen || end == words.count - 1 else { return false }
        for word in words[..<end] {
            let bounds = word.split(separator: ".").map { UInt8($0.filter { $0 != "," }).map { Int($0) } }
            guard let low = bounds.first ?? nil, let high = bounds.last ?? nil, low <= high else { return false }
            lengths.append(low...(isOpen ? Int.max : high))
        }
        return !lengths.isEmpty
    }
}

extension RecipeField {
    /// Reads a field in the notation of `PacketLayout`; `nil` for other text.
    init?(notation: Substring) {
        let words = notation.split(separator: " ")
        guard words.count >= 2 else { return nil }
        let isBit = words[1] == "bit"
        guard let type = isBit ? FieldType.unsigned(bits: 1) : FieldType(words[1]) else { return nil }
        self.init(Field(name: String(words[0]), type: type))
        if isBit { content = .bit }
        var offset: Substring?
        for word in words.dropFirst(2) {
            switch word.first {
            case "@":
                let place = word.dropFirst().split(separator: ".")
                guard let byte = place.first.flatMap({ Int($0) }), place.count <= 2 else { return nil }
                at = RecipeNumber(byte)
                if place.count == 2 {
                    guard let first = UInt8(place[1]), first < 8 else { return nil }
                    bit = Int(first)
                }
            case "÷":
                guard let number = DecimalNumber(String(word.dropFirst())), number.digits > 0 else { return nil }
                divisor = number
            case "~":
                guard let points = Self.points(word.dropFirst()) else { return nil }
                curve = points
            case "?":
                guard let condition = Self.condition(word.dropFirst()) else { return nil }
                conditions.append(condition)
            case "+" where word.dropFirst().first == "_": addend = String(word.dropFirst())
            case "+": offset = word.dropFirst()
            default:
                if let colon = word.firstIndex(of: ":"), let raw = field.raw(word[..<colon]) {
                    table.append(TableRow(raw: raw, value: Self.value(word[word.index(after: colon)...])))
                } else {
                    guard field.add(word) else { return nil }
                }
            }
        }
        // Floats have their scale here: see `RecipeDecoder`.
        if type.isFloat, field.scale != Scale(), divisor == nil { divisor = .one }
        guard let offset else { return }
        if divisor != nil {
            guard let number = DecimalNumber(String(offset)) else { return nil }
            self.offset = number
        } else {
            guard let number = Int64(offset) else { return nil }
            field.scale.offset = number
        }
    }

    private static func value(_ text: Substring) -> MeasuredValue {
        switch text {
        case "true": .boolean(true)
        case "false": .boolean(false)
        default: Int64(text).map { .integer($0) } ?? .text(String(text))
        }
    }

    private static func points(_ text: Substring) -> [CurvePoint]? {
        var points: [CurvePoint] = []
        for pair in text.split(separator: ",") {
            let parts = pair.split(separator: ":")
            guard parts.count == 2, let number = Double(parts[0]), let value = Double(parts[1]) else { return nil }
            points.append(CurvePoint(number: number, value: value))
        }
        return points.count >= 2 && zip(points, points.dropFirst()).allSatisfy { $0.number < $1.number } ? points : nil
    }

    private static func condition(_ text: Substring) -> RecipeCondition? {
        if let mark = text.firstIndex(where: { "=≠≥<".contains($0) }) {
            let (name, value) = (text[..<mark], String(text[text.index(after: mark)...]))
            let test: RecipeCondition.Test =
                switch text[mark] {
                case "=": .equals(value)
                case "≠": .differs(value)
                case "≥": .atLeast(value)
                default: .below(value)
                }
            return name == "size"
                ? .number(RecipeNumber(terms: [.init(source: .size)]), test) : .field(String(name), test)
        }
        let isClear = text.first == "!"
        guard let bit = UInt8(text.dropFirst(isClear ? 1 : 0)), bit < 63 else { return nil }
        return .field("_flags", .bit(Int(bit), isSet: !isClear))
    }
}
