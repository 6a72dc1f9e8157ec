// swift-format-ignore-file

/// The numbers that advertised values can have, one range per line: `format|field|unit|lowest|highest|state`.
///
/// The first matching line counts; a number outside its range becomes its state. `*` in a field matches any text, and as
/// the format any format. An empty bound is none. A format's own vectors rule: a Ruuvi may send 163.835 % of humidity, and
/// BTHome's table gives no ranges but those of its integers.
/// Sources: the descriptions of the formats, and else the ranges of sensors with much room. What they catch is a number
/// that stands for a fault, such as 0x7FFF.
enum LimitTable {
    static let text = """
        *|battery*|%|0|100|prohibited
        bthome|humidity*|%|0||prohibited
        bthome|moisture*|%|0||prohibited
        ruuvi|humidity|%|0|163.835|prohibited
        ruuvi|temperature_hundredths||0|99|prohibited
        *|humidity*|%|0|100|prohibited
        *|moisture*|%|0|100|prohibited
        *|consumable|%|0|100|prohibited
        *|reading_quality|%|0|100|prohibited
        bthome|*|°C|-273.15||prohibited
        ruuvi|*|°C|-273.15||prohibited
        sensorpush|temperature|°C|-200|1800|prohibited
        chefiq|*|°C|-40|600|prohibited
        garnet|*_tank*|%|0|100|prohibited
        *|*_probe_*|°C|-100|1000|prohibited
        *|*|°C|-100|200|prohibited
        qingping|pressure|Pa|30000|120000|prohibited
        switchbot|co2|ppm|0|9999|over
        *|co2|ppm|0|40000|prohibited
        *|illuminance|lx|0||prohibited
        """

    /// Whether a field matches a pattern, where `*` at either end matches any text.
    static func fits(_ pattern: Substring, field: String) -> Bool {
        if pattern == "*" { return true }
        let begins = pattern.hasPrefix("*")
        let ends = pattern.hasSuffix("*")
        let word = pattern.dropFirst(begins ? 1 : 0).dropLast(ends ? 1 : 0)
        return switch (begins, ends) {
        case (false, false): field == pattern
        case (false, true): field.hasPrefix(word)
        case (true, false): field.hasSuffix(word)
        case (true, true): field.firstRange(of: word) != nil
        }
    }

    static let rows = text.split(separator: "\n").compactMap(Row.init)

    struct Row: Sendable {
        /// `nil` for all formats.
        let format: BroadcastFormat?
        let field: Substring
        let unit: Substring
        let lowest: Double
        let highest: Double
        let state: String

        init?(_ line: Substring) {
            let columns = line.split(separator: "|", omittingEmptySubsequences: false)
            guard columns.count == 6, let lowest = columns[3].isEmpty ? -.infinity : Double(columns[3]),
                let highest = columns[4].isEmpty ? .infinity : Double(columns[4]), lowest < highest
            else { return nil }
            format = BroadcastFormat(rawValue: String(columns[0]))
            guard format != nil || columns[0] == "*" else { return nil }
            (field, unit, state) = (columns[1], columns[2], String(columns[5]))
            (self.lowest, self.highest) = (lowest, highest)
        }
    }
}

extension Measurement {
    /// Returns this measurement or, if a packet of the format can't mean this number, one with a state instead.
    func limited(in format: BroadcastFormat) -> Measurement {
        let number: Double
        switch value {
        case .integer(let integer): number = Double(integer)
        case .number(let real): number = real
        case .text, .boolean, .list, nil: return self
        }
        let row = LimitTable.rows.first {
            $0.unit == unit ?? "" && ($0.format ?? format) == format && LimitTable.fits($0.field, field: field)
        }
        guard let row, !(row.lowest...row.highest).contains(number) else { return self }
        return Measurement(field: field, value: nil, state: row.state, unit: unit, decimals: decimals)
    }
}
