// swift-format-ignore-file

/// The numbers that advertised values can have, one range per line: `format|field|unit|lowest|highest|state|cropped`.
///
/// The first matching line counts; a number outside its range becomes its state, and one in `cropped` the nearest number in
/// the range. `*` in a field matches any text, and as the format any format. An empty bound is none. `#` starts a comment.
///
/// A range needs a document: a description of the format, or the datasheet of its sensor. A number that only seems odd is a
/// reading. What a format's own vectors have stays: a Ruuvi may send 163.835 % of humidity, and BTHome any integer.
enum LimitTable {
    static let text = """
        # Battery Service of the Bluetooth SIG: a charge is a percentage.
        *|battery*|%|0|100|prohibited
        # Objects of BTHome v2: numbers without a range.
        bthome|humidity*|%|0||prohibited
        bthome|moisture*|%|0||prohibited
        # Ruuvi's format 3: two digits behind the point. Format 5: 0 to 163.835 %.
        ruuvi|humidity|%|0|163.835|prohibited
        ruuvi|temperature_hundredths||0|99|prohibited
        # Datasheets of SHT4x and Si7021: noise leads beyond 0 and 100 %, and such a number is to be cropped. Their formulas give
        # -6 to 119 %.
        *|humidity*|%|0|100|prohibited|-6...119
        # Objects of MiBeacon, and the flash of b-parasite: percentages.
        *|moisture*|%|0|100|prohibited
        *|consumable|%|0|100|prohibited
        # The least temperature there is. 0x7FFF stands for none in the documents that name such a number: of hundredths, 327.67.
        bthome|*|°C|-273.15||prohibited
        ruuvi|*|°C|-273.15||prohibited
        # chefiq-ble: what a disconnected sensor sends lies beyond.
        chefiq|*|°C|-40|600|prohibited
        # Thermocouples of type K, IEC 60584-1, whose formula the TC.x has up to 1800 °C.
        sensorpush|temperature|°C|-200|1800|prohibited
        *|*_probe_*|°C|-270|1372|prohibited
        *|*|°C|-273.15|327.66|prohibited
        # victron-seelevel-python: levels are percentages.
        garnet|*_tank*|%|0|100|prohibited
        # pySwitchbot: the range of the Meter Pro CO2.
        switchbot|co2|ppm|0|9999|over
        # Datasheets of SCD30 and SCD4x.
        sensirion|co2|ppm|0|40000|prohibited
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

    static let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    static let rows = lines.compactMap(Row.init)

    struct Row: Sendable {
        /// `nil` for all formats.
        let format: BroadcastFormat?
        let field: Substring
        let unit: Substring
        let lowest: Double
        let highest: Double
        let state: String
        /// The numbers around the range that stand for its bounds.
        var cropped: ClosedRange<Double>?

        init?(_ line: Substring) {
            let columns = line.split(separator: "|", omittingEmptySubsequences: false)
            guard (6...7).contains(columns.count), let lowest = columns[3].isEmpty ? -.infinity : Double(columns[3]),
                let highest = columns[4].isEmpty ? .infinity : Double(columns[4]), lowest < highest
            else { return nil }
            if columns.count == 7 {
                let bounds = columns[6].split(separator: "...").compactMap { Double($0) }
                guard bounds.count == 2, bounds[0] <= lowest, highest <= bounds[1] else { return nil }
                cropped = bounds[0]...bounds[1]
            }
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
        let isInteger: Bool
        switch value {
        case .integer(let integer): (number, isInteger) = (Double(integer), true)
        case .number(let real): (number, isInteger) = (real, false)
        case .text, .boolean, .list, nil: return self
        }
        let row = LimitTable.rows.first {
            $0.unit == unit ?? "" && ($0.format ?? format) == format && LimitTable.fits($0.field, field: field)
        }
        guard let row, !(row.lowest...row.highest).contains(number) else { return self }
        if row.cropped?.contains(number) == true {
            let bound = number < row.lowest ? row.lowest : row.highest
            let value: MeasuredValue = Int64(exactly: bound).flatMap { isInteger ? .integer($0) : nil } ?? .number(bound)
            return Measurement(field: field, value: value, unit: unit, decimals: decimals)
        }
        return Measurement(field: field, value: nil, state: row.state, unit: unit, decimals: decimals)
    }
}
