/// A user's rule on values of devices: when it fires, and when it is over.
///
/// A rule is written in words, such as `temperature of tag:freezer > -10 °C for 15m`:
///
/// | words | the rule fires when |
/// |---|---|
/// | `FIELD of DEVICE > NUMBER UNIT for TIME` | all values are so for this time; also `<`, `>=`, `<=`; `for` may be missing |
/// | `FIELD of DEVICE is WORD for TIME` | the values are this word or number, such as `open`; also `is not` |
/// | `FIELD of DEVICE falls NUMBER UNIT in TIME` | the value falls so far within this time; also `rises` |
/// | `no value of DEVICE for TIME` | no value arrives for this time; also `no FIELD of …` |
///
/// `DEVICE` is an alias, an address, an ID, `tag:TAG` or `all`. Each device counts by itself.
package struct Rule: Sendable, Hashable {
    package var name: String
    package var when: Condition
    /// When it is over; `nil` as soon as `when` doesn't hold.
    package var until: End?

    package init(name: String, when: Condition, until: End? = nil) {
        self.name = name
        self.when = when
        self.until = until
    }

    /// A rule without words, for a reader to fill.
    package static let blank = Rule(
        name: "",
        when: Condition(test: .silence(field: nil), subject: .all, length: silences.upperBound, text: ""))

    /// All that the rule's state depends on.
    package var text: String { until.map { "\(when)\(Self.untilWord)\($0)" } ?? when.text }

    static let untilWord = ", until "

    /// A number to compare values with.
    package struct Limit: Sendable, Hashable {
        package enum Comparison: String, Sendable, CaseIterable {
            case above = ">"
            case below = "<"
            case atLeast = ">="
            case atMost = "<="
        }

        package var comparison: Comparison
        package var number: DecimalNumber
        /// `nil` for a plain number.
        package var unit: String?

        /// Whether a value is beyond the limit; `nil` for one that can't be compared.
        func isMet(by measurement: Measurement) -> Bool? {
            guard let value = measurement.number(in: unit, isDifference: false) else { return nil }
            let limit = number.nearest
            return switch comparison {
            case .above: value > limit
            case .below: value < limit
            case .atLeast: value >= limit
            case .atMost: value <= limit
            }
        }

        /// The limit in words, such as `above -10 °C`.
        var words: String {
            let word =
                switch comparison {
                case .above: "above"
                case .below: "below"
                case .atLeast: "at least"
                case .atMost: "at most"
                }
            return "\(word) \(number)\(unit.map { " \($0)" } ?? "")"
        }
    }

    /// Which devices it is about.
    package enum Subject: Sendable, Hashable {
        case all
        case tag(String)
        /// An alias, an address or an ID.
        case device(String)

        /// The devices, of those that this gateway polls or may poll.
        package func members(of devices: [DeviceConfiguration]) -> [DeviceConfiguration] { devices.filter(includes) }

        package func includes(_ device: DeviceConfiguration) -> Bool {
            switch self {
            case .all: true
            case .tag(let tag): device.tags.contains(tag)
            case .device(let name): device.isCalled(name) || device.address.description == name.uppercased()
            }
        }
    }

    package enum Direction: String, Sendable, CaseIterable {
        case falls, rises
    }

    package enum Test: Sendable, Hashable {
        case limit(field: String, Limit)
        case word(field: String, String, isNegated: Bool)
        /// - Parameter by: a positive number.
        case move(field: String, Direction, by: DecimalNumber, unit: String?)
        /// - Parameter field: `nil` for any value.
        case silence(field: String?)
    }

    package struct Condition: Sendable, Hashable, CustomStringConvertible {
        package var test: Test
        package var subject: Subject
        /// For how long it must be so, or how long the value may take to move.
        package var length: Duration
        /// As the user wrote it.
        package var text: String
        package var description: String { text }

        /// The field that it is about; `nil` for any.
        package var field: String? {
            switch test {
            case .limit(let field, _), .word(let field, _, _), .move(let field, _, _, _): field
            case .silence(let field): field
            }
        }

        /// Whether a field is the one that the rule means. `battery` is also the Battery Level.
        package func isAbout(_ field: String, instance: Int) -> Bool {
            guard let own = self.field else { return true }
            let label = Reading.fieldLabel(field, instance: instance)
            return label == own || own == "battery" && label == "battery_level"
        }

        /// Whether it compares numbers, and in which unit.
        package var number: (unit: String?, isDifference: Bool)? {
            switch test {
            case .limit(_, let limit): (limit.unit, false)
            case .move(_, _, _, let unit): (unit, true)
            // A number without a unit is in the one of the value.
            case .word(_, let word, _): RuleWords.number(in: word).flatMap { $0.unit }.map { ($0, false) }
            case .silence: nil
            }
        }

        /// Whether it compares with a word, not with a number.
        package var hasWord: Bool {
            if case .word(_, let word, _) = test { RuleWords.number(in: word) == nil } else { false }
        }
    }

    package struct End: Sendable, Hashable, CustomStringConvertible {
        package var limit: Limit
        package var length: Duration
        package var text: String
        package var description: String { text }
    }

    package static let maxRules = 64
    /// The most pairs of a rule and a device.
    package static let maxPairs = 1000
    package static let lengths: ClosedRange<Duration> = .zero ... .seconds(30 * 86_400)
    /// A shorter silence is usual between two ticks.
    package static let silences: ClosedRange<Duration> = .seconds(60) ... .seconds(30 * 86_400)
    package static let moves: ClosedRange<Duration> = .seconds(60) ... .seconds(7 * 86_400)

    /// Returns the value that the rule is about; `nil` for another reading.
    func measurement(of reading: Reading) -> Measurement? {
        guard case .value(let measurement, _) = reading.outcome, measurement.value != nil,
            when.isAbout(measurement.field, instance: reading.instance)
        else { return nil }
        return measurement
    }
}

// MARK: Reading the words

extension Rule.Condition {
    package static let forms = """
        `FIELD of DEVICE > 5 °C for 15m`, `FIELD of DEVICE is open for 10m`, `FIELD of DEVICE falls 5 °C in 30m` or \
        `no value of DEVICE for 2h`
        """

    /// - Throws: `UserError`, a sentence without the text itself.
    package init(_ text: String) throws(UserError) {
        var words = RuleWords(text)
        self.text = words.text
        guard let of = words.all.firstIndex(of: "of"), of > 0 else { throw UserError("write \(Self.forms)") }
        let first = words.all[..<of]
        words.all.removeSubrange(...of)
        if first.first == "no", first.count == 2, let what = first.last {
            length = try words.length(after: "for", in: Rule.silences) ?? .zero
            guard length > .zero else { throw UserError("say how long without a value, such as `for 2h`") }
            subject = try words.subject(until: words.all.count)
            test = .silence(field: what == "value" ? nil : what)
            return
        }
        guard first.count == 1, let field = first.first else {
            throw UserError("a field is one word in front of `of`; write \(Self.forms)")
        }
        guard let operation = words.all.lastIndex(where: RuleWords.operations.contains) else {
            throw UserError("after the device, write \(Self.forms)")
        }
        if let direction = Rule.Direction(rawValue: words.all[operation]) {
            guard let window = try words.length(after: "in", in: Rule.moves) else {
                throw UserError("say in which time the value \(direction.rawValue), such as `in 30m`")
            }
            length = window
            let (number, unit) = try words.number(after: operation)
            guard number.digits > 0 else {
                throw UserError("say how far the value \(direction.rawValue) as a number above 0")
            }
            test = .move(field: field, direction, by: number, unit: unit)
        } else {
            length = try words.length(after: "for", in: Rule.lengths) ?? .zero
            if let comparison = Rule.Limit.Comparison(rawValue: words.all[operation]) {
                let (number, unit) = try words.number(after: operation)
                test = .limit(field: field, Rule.Limit(comparison: comparison, number: number, unit: unit))
            } else {
                var rest = words.all[(operation + 1)...]
                let isNegated = rest.first == "not"
                if isNegated { rest = rest.dropFirst() }
                guard !rest.isEmpty else { throw UserError("say the word that the value is, such as `is open`") }
                test = .word(field: field, rest.joined(separator: " "), isNegated: isNegated)
            }
        }
        subject = try words.subject(until: operation)
    }
}

extension Rule.Condition {
    /// Returns the same condition about a device that has another name now; `nil` when a rule can't say that name.
    package func naming(_ device: String) -> Self? {
        guard case .device(let name) = subject else { return nil }
        var words = text.split(separator: " ")
        guard let start = words.firstIndex(of: "of").map({ $0 + 1 }) else { return nil }
        let end = min(start + name.split(separator: " ").count, words.count)
        words.replaceSubrange(start..<end, with: device.split(separator: " "))
        guard let new = try? Self(words.joined(separator: " ")), new.subject == .device(device),
            new.hasSameTest(as: self)
        else { return nil }
        return new
    }

    /// Whether it asks the same of a device, however that is chosen.
    func hasSameTest(as other: Self) -> Bool { test == other.test && length == other.length }
}

extension Rule.End {
    /// - Throws: `UserError`, a sentence without the text itself.
    package init(_ text: String) throws(UserError) {
        var words = RuleWords(text)
        self.text = words.text
        guard let first = words.all.first, let comparison = Rule.Limit.Comparison(rawValue: first) else {
            throw UserError("write a comparison such as `< -12 °C`, or `< -12 °C for 5m`")
        }
        length = try words.length(after: "for", in: Rule.lengths) ?? .zero
        let (number, unit) = try words.number(after: 0)
        limit = Rule.Limit(comparison: comparison, number: number, unit: unit)
    }
}

private struct RuleWords {
    var all: [String]
    let text: String

    static let operations = Set(
        Rule.Limit.Comparison.allCases.map(\.rawValue) + Rule.Direction.allCases.map(\.rawValue) + ["is"])

    init(_ text: String) {
        var spaced = ""
        for character in text {
            switch character {
            case ">", "<": spaced += " \(character)"
            case "=" where spaced.last == ">" || spaced.last == "<": spaced += "= "
            case "≥": spaced += " >= "
            case "≤": spaced += " <= "
            case "−": spaced += "-"
            default:
                if spaced.last == ">" || spaced.last == "<" { spaced += " " }
                spaced.append(character)
            }
        }
        all = spaced.split(whereSeparator: \.isWhitespace).map(String.init)
        self.text = all.joined(separator: " ")
    }

    /// Removes a time at the end, with its preposition. Returns `nil` without one.
    mutating func length(after word: String, in range: ClosedRange<Duration>) throws(UserError) -> Duration? {
        guard all.count >= 2, all[all.count - 2] == word else { return nil }
        let length: Duration
        do { length = try DurationText.parse(all[all.count - 1]) } catch {
            throw UserError("after `\(word)`, \(error.message)")
        }
        guard range.contains(length) else {
            throw UserError(
                "the time after `\(word)` is \(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))"
            )
        }
        all.removeLast(2)
        return length
    }

    func subject(until end: Int) throws(UserError) -> Rule.Subject {
        let name = all[..<end].joined(separator: " ")
        guard !name.isEmpty else { throw UserError("say a device, `tag:TAG` or `all` after `of`") }
        guard let group = DeviceGroup(name) else { return .device(name) }
        return group.tag.map { .tag($0) } ?? .all
    }

    /// Reads a number and its unit, which may touch.
    func number(after operation: Int) throws(UserError) -> (DecimalNumber, unit: String?) {
        guard let (number, unit) = Self.number(in: all[(operation + 1)...].joined(separator: " ")) else {
            throw UserError("after `\(all[operation])`, write a number and its unit, such as `-10 °C`")
        }
        guard unit?.contains(where: \.isWhitespace) != true else {
            throw UserError("after the number, write one unit, and `for` with a time")
        }
        return (number, unit)
    }

    /// Reads a number and what follows it; `nil` for a text that doesn't begin with a number.
    static func number(in text: String) -> (DecimalNumber, unit: String?)? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || "+-.".contains($0)) }
        guard let number = DecimalNumber(String(digits.first == "+" ? digits.dropFirst() : digits)) else { return nil }
        let unit = text.dropFirst(digits.count).drop(while: \.isWhitespace)
        // No other quantity of a sensor has these letters.
        let degrees = ["C": "°C", "F": "°F"][unit]
        return (number, unit.isEmpty ? nil : degrees ?? String(unit))
    }
}

extension Measurement {
    /// The value as a number in a unit; `nil` if it is none, or in no such unit.
    func number(in unit: String?, isDifference: Bool) -> Double? {
        let number: Double? =
            switch value {
            case .integer(let integer)?: Double(integer)
            case .number(let number)?: number
            case .text?, .boolean?, .list?, nil: nil
            }
        return number.flatMap {
            Quantity.convert($0, from: self.unit ?? "", to: unit ?? "", isDifference: isDifference)
        }
    }

    /// Whether the value is a word or a number, as users see it or as it is stored; `nil` for one that can't be compared.
    func isWord(_ word: String, of characteristic: BluetoothUUID?) -> Bool? {
        let lowercased = word.lowercased()
        switch value {
        case .boolean(let flag)?:
            let words = flag ? ["true", "on", "open", "yes", "1"] : ["false", "off", "closed", "no", "0"]
            return words.contains(lowercased)
        case .text(let text)?: return text.lowercased() == lowercased
        case .integer?, .number?:
            let human = DisplayUnit.human(self, of: characteristic)
            let whole = "\(human.value)\(human.unit.isEmpty ? "" : " \(human.unit)")".lowercased()
            if lowercased == whole || lowercased == human.value.lowercased() { return true }
            guard let (wanted, unit) = RuleWords.number(in: word) else {
                // A number that has no word can't be one.
                return Double(human.value) == nil ? false : nil
            }
            guard let own = number(in: unit ?? self.unit, isDifference: false) else { return nil }
            return abs(own - wanted.nearest) <= 1e-9 * max(1, abs(own))
        case .list?, nil: return nil
        }
    }
}
