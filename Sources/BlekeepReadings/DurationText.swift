/// Durations as users write them: `500ms`, `30s`, `5m`, `1h30m`, `24h`, `2d`. A number without a unit is seconds.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
    ]

    /// Reads whole numbers with their units, the longest unit first, or a single number of seconds.
    /// Throws `UserError`, which says how to write a duration, without the text itself.
    package static func parse(_ text: some StringProtocol) throws(UserError) -> Duration {
        var rest = Substring(text)
        guard !rest.isEmpty else { throw UserError("say a duration, such as 30s") }
        if rest.allSatisfy(isDigit) { return .milliseconds(try add(rest, of: 1000, to: 0)) }
        var milliseconds: Int64 = 0
        var allowed = units[...]
        while !rest.isEmpty {
            let digits = rest.prefix(while: isDigit)
            rest = rest.dropFirst(digits.count)
            let unit = rest.prefix { !isDigit($0) }
            rest = rest.dropFirst(unit.count)
            guard !digits.isEmpty else { throw UserError("say a whole number and a unit, such as 30s") }
            guard !unit.isEmpty else { throw UserError("say a unit, such as \(digits.prefix(6))s") }
            guard units.contains(where: { $0.name == unit }) else {
                throw UserError("write whole numbers with the units d, h, m, s or ms, such as 1h30m")
            }
            guard let index = allowed.firstIndex(where: { $0.name == unit }) else {
                throw UserError("write each unit once, the greater ones first, such as 1h30m")
            }
            milliseconds = try add(digits, of: allowed[index].milliseconds, to: milliseconds)
            allowed = allowed[(index + 1)...]
        }
        return .milliseconds(milliseconds)
    }

    /// Returns the shortest text that `parse` reads as the same duration, such as `1h30m`. Drops parts of a millisecond.
    package static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let parts = Int64(attoseconds / 1_000_000_000_000_000)
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflowToo) = scaled.addingReportingOverflow(parts)
        if overflow || overflowToo { return "\(seconds < 0 ? "-" : "")\(seconds.magnitude)s" }
        var rest = sum.magnitude
        var text = ""
        for unit in units {
            let (count, remainder) = rest.quotientAndRemainder(dividingBy: unit.milliseconds.magnitude)
            if count > 0 { text += "\(count)\(unit.name)" }
            rest = remainder
        }
        return text.isEmpty ? "0s" : sum < 0 ? "-\(text)" : text
    }

    /// Returns the whole seconds of a duration: `2m10s`.
    package static func seconds(_ duration: Duration) -> String { text(.seconds(duration.components.seconds)) }

    /// Returns a duration rounded down: to seconds below ten minutes, otherwise to minutes. A negative one gives `0s`.
    package static func rounded(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        return text(.seconds(seconds < 600 ? seconds : seconds / 60 * 60))
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

    private static func add(_ digits: Substring, of unit: Int64, to sum: Int64) throws(UserError) -> Int64 {
        guard let count = Int64(digits) else { throw UserError("that is too long a time; say less") }
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        let (total, overflowToo) = sum.addingReportingOverflow(product)
        guard !overflow, !overflowToo else { throw UserError("that is too long a time; say less") }
        return total
    }
}
