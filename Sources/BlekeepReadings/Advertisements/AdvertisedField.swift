/// The correction of a field's numbers.
package struct FieldCalibration: Sendable, Hashable {
    /// The field's name, such as `temperature`.
    package var name: String
    /// `nil` for none.
    package var calibration: Calibration?

    package init(name: String, calibration: Calibration? = nil) { (self.name, self.calibration) = (name, calibration) }

    /// Returns all measurements, those of the named fields corrected.
    package static func corrected(_ measurements: [Measurement], by fields: [FieldCalibration]) -> [Measurement] {
        guard fields.contains(where: { $0.calibration != nil }) else { return measurements }
        return measurements.map { measurement in
            let field = fields.first { $0.name == measurement.field && $0.calibration != nil }
            return field?.calibration?.corrected([measurement]).first ?? measurement
        }
    }

    /// Returns what is stored of a packet: the fields that are listed, or all if none is, corrected; and the derived values.
    package static func chosen(
        _ fields: [String], calibration: [FieldCalibration] = [], derived: Set<DerivedValue>,
        from measurements: [Measurement]
    ) -> [Measurement] {
        let corrected = corrected(measurements, by: calibration)
        let kept = fields.isEmpty ? corrected : corrected.filter { fields.contains($0.field) }
        return kept + DerivedValue.allCases.filter(derived.contains).compactMap { $0.value(of: corrected) }
    }
}

/// The names of the fields that packets can have; `#` stands for a number.
package struct AdvertisedFieldNames: Sendable {
    package let names: Set<String>
    /// The units of those whose notation has one.
    let units: [String: Set<String>]
    private let numbered: Set<String>

    private init(_ names: Set<String>, units: [String: Set<String>] = [:]) {
        self.names = names
        self.units = units
        numbered = Set(names.filter { $0.contains("#") }.map(Self.numberless))
    }

    private static let all: [BroadcastFormat: AdvertisedFieldNames] = Dictionary(
        uniqueKeysWithValues: BroadcastFormat.allCases.map { ($0, AdvertisedFieldNames($0, of: nil)) })

    /// Returns those of a format, or of a SwitchBot's model.
    package static func of(_ format: BroadcastFormat, model: SwitchBotModel? = nil) -> AdvertisedFieldNames {
        model == nil ? all[format] ?? AdvertisedFieldNames([]) : AdvertisedFieldNames(format, of: model)
    }

    private init(_ format: BroadcastFormat, of model: SwitchBotModel?) {
        let notations: [String] =
            switch format {
            case .switchbot: SwitchBot.models.filter { $0.model == model ?? $0.model }.flatMap(\.allNotation)
            case .victron: Array(Victron.texts.values)
            default: [PlainFormatTable.texts[format], FieldNameTable.texts[format]].compactMap(\.self)
            }
        var names = Set(notations.flatMap(Self.names))
        names.formUnion(FieldNameTable.names[format] ?? [])
        if format == .bthome {
            names = Set(names.flatMap { [$0, "\($0)_#"] })
            names.formUnion(["dimmer_steps", "dimmer_#_steps", "command_steps", "command_#_steps"])
        }
        let known = Set(Quantity.unitSymbols)
        var units: [String: Set<String>] = [:]
        for words in notations.flatMap(Self.words) {
            guard let name = words.first, let unit = words.dropFirst().first(where: { known.contains(String($0)) })
            else { continue }
            units[String(name), default: []].insert(String(unit))
        }
        self.init(names, units: units)
    }

    /// Whether packets can have a field.
    package func contains(_ name: String) -> Bool { names.contains(name) || numbered.contains(Self.numberless(name)) }

    /// Returns the names of the fields in a notation, without those that aren't values.
    fileprivate static func names(in notation: String) -> [String] {
        words(in: notation).compactMap { $0.first.map { String($0) } }
            .filter { !$0.hasPrefix("_") && $0 != "packet_id" && $0 != "unused" }
    }

    private static func words(in notation: String) -> [[Substring]] {
        let lines = notation.split(separator: "\n").filter { line in
            !["company", "service"].contains { line.hasPrefix($0) }
        }
        return lines.flatMap { $0.split(separator: ";") }.map { $0.split(separator: " ") }
    }

    fileprivate static func numberless(_ name: String) -> String {
        let parts: [Substring] = name.split(separator: "_", omittingEmptySubsequences: false).map { part in
            (1...3).contains(part.utf8.count) && UInt16(part) != nil ? "#" : part
        }
        return parts.joined(separator: "_")
    }
}

/// The names of the fields of values that come over a connection.
package struct ConnectedFieldNames: Sendable {
    package let names: Set<String>

    private static let assigned = Set(
        CharacteristicTable.table.rows.flatMap { AdvertisedFieldNames.names(in: String($0[2])) })

    /// - Parameter more: those of layouts and recipes; `#` stands for a number.
    package init(more: [String]) { names = Self.assigned.union(more) }

    package func contains(_ name: String) -> Bool {
        names.contains(name) || names.contains(AdvertisedFieldNames.numberless(name))
    }
}

extension BroadcastFormat {
    /// Whether packets of this format can have a field.
    package func hasField(_ name: String) -> Bool { AdvertisedFieldNames.of(self).contains(name) }
}

/// Why a device that only advertises can't have what its user wants of it, such as a misspelled field.
package enum FieldMisfit: Sendable, Hashable {
    /// No packet has the field; perhaps the user means another one.
    case field(String, meant: String?)
    /// The values that are missing for the derived values.
    case derived(missing: [String])

    /// Returns what doesn't fit some formats; empty formats stand for any.
    package static func all(
        _ fields: [String], derived: Set<DerivedValue>, in formats: Set<BroadcastFormat>,
        model: SwitchBotModel? = nil
    ) -> [FieldMisfit] {
        let lists = (formats.isEmpty ? BroadcastFormat.allCases : Array(formats)).map { format in
            AdvertisedFieldNames.of(format, model: format == .switchbot ? model : nil)
        }
        func exists(_ name: String) -> Bool { lists.contains { $0.contains(name) } }
        let missing = derived.isEmpty ? [] : ["temperature", "humidity"].filter { !exists($0) }
        return fields.filter { !exists($0) }.map { field in
            let names = Set(lists.flatMap(\.names)).filter { !$0.contains("#") }
            return .field(field, meant: Spelling.closest(to: field, among: names.sorted()))
        } + (missing.isEmpty ? [] : [.derived(missing: missing)])
    }

    /// One sentence.
    ///
    /// - Parameter owner: what lacks the field, such as `Ruuvi`; `nil` for all formats.
    package func message(of owner: String?) -> String {
        switch self {
        case .field(let name, let meant):
            (owner.map { "\($0) has no field" } ?? "no advertising format has a field") + " `\(name)`"
                + (meant.map { "; did you mean `\($0)`?" } ?? "")
        case .derived(let missing):
            "`derive` needs a temperature and a humidity; \(owner ?? "no format") has no \(missing.joined(separator: " and no "))"
        }
    }
}

/// The fields of formats that aren't in `PlainFormatTable`.
private enum FieldNameTable {
    /// In notations with more than names.
    static let texts: [BroadcastFormat: String] = [
        .bthome: BTHomeTable.table.rows.map { $0[2] }.joined(separator: "\n"),
        .qingping: Qingping.fields.values.joined(separator: "\n"),
        .mibeacon: MiBeaconTable.table.rows.filter { ["fields", "idle", "leak", "motion"].contains($0[1]) }
            .map { $0[2] }.joined(separator: "\n"),
    ]

    static let names: [BroadcastFormat: [String]] = [
        .ruuvi: [
            "temperature", "humidity", "pressure", "acceleration_x", "acceleration_y", "acceleration_z",
            "battery_voltage", "tx_power", "movement_counter", "measurement_sequence", "mac", "pm1", "pm2_5", "pm4",
            "pm10", "co2", "voc_index", "nox_index", "luminosity", "calibration_in_progress",
        ],
        .eddystone: [
            "tx_power", "namespace", "instance", "url", "eid", "battery_voltage", "temperature", "advertising_count",
            "uptime",
        ],
        .ibeacon: ["uuid", "major", "minor", "tx_power"],
        .govee: [
            "temperature", "humidity", "battery", "co2", "pm2_5", "temperature_probe_#", "humidity_probe_#",
            "temperature_remote", "humidity_remote", "battery_remote", "temperature_alarm_probe_#",
            "low_temperature_alarm_probe_#", "occupancy", "motion", "window", "vibration", "presence", "button_#",
        ],
        .thermopro: [
            "temperature", "humidity", "battery", "temperature_probe_#", "ambient_temperature_probe_#",
            "temperature_center_probe_#", "temperature_end_probe_#", "battery_probe_#",
        ],
        .inkbird: ["temperature", "humidity", "battery", "co2", "temperature_probe_#"],
        .qingping: ["door", "door_left_open"],
        .mopeka: [
            "temperature", "tank_level", "reading_quality", "battery", "battery_voltage", "button_pressed",
            "accelerometer_x", "accelerometer_y",
        ],
        .sensorpush: ["temperature", "humidity", "pressure"],
        .inode: [
            "power", "energy", "volume_flow_rate", "volume", "count_per_minute", "count", "battery", "battery_voltage",
            "light_level", "last_day_count", "battery_low",
        ],
        .mibeacon: [
            "motion", "fingerprint", "key_id", "door", "door_stuck", "door_left_open", "knock_on_the_door",
            "pry_the_door", "armed", "unlocked", "antilock", "childlock", "lock", "lock_method", "error", "light",
            "illuminance", "toothbrush", "counter", "score", "opening", "device_forcibly_removed", "temperature",
            "battery", "profile_id", "mass", "stabilized", "heart_rate", "impedance_high", "impedance_low",
            "charging_state", "occupancy_close_range", "device_reset", "asleep", "wearing", "moisture_detected",
            "bottom_submersion", "top_splash", "cube", "dimmer", "dimmer_steps", "power",
        ] + MiBeaconObject.buttonFields,
    ]
}

/// A value that follows from a temperature and a humidity. The raw value is the field's name.
///
/// The sources are the WMO's Guide to Instruments and Methods of Observation (WMO-No. 8, 2018, annex 4.B) for the pressure of
/// saturated vapor over water, 6.112 hPa · exp(17.62 t / (243.12 °C + t)), and the gas constant of vapor, 461.5 J/(kg K).
package enum DerivedValue: String, Sendable, CaseIterable {
    case dewPoint = "dew_point"
    case absoluteHumidity = "absolute_humidity"
    case vaporPressureDeficit = "vapor_pressure_deficit"

    var unit: String {
        switch self {
        case .dewPoint: "°C"
        case .absoluteHumidity: "g/m³"
        case .vaporPressureDeficit: "Pa"
        }
    }

    /// Computes the value; `nil` without a temperature between -45 and 60 °C, where the formula holds, and a humidity.
    package func value(of measurements: [Measurement]) -> Measurement? {
        func number(_ field: String, _ unit: String) -> Double? {
            switch measurements.first(where: { $0.field == field && $0.unit == unit })?.value {
            case .integer(let number)?: Double(number)
            case .number(let number)?: number
            default: nil
            }
        }
        guard let temperature = number("temperature", "°C"), let humidity = number("humidity", "%"),
            (-45...60).contains(temperature), humidity > 0, humidity <= 100
        else { return nil }
        let exponent = 17.62 * temperature / (243.12 + temperature)
        let saturated = 611.2 * exponential(exponent)
        let share = humidity / 100
        return switch self {
        case .dewPoint:
            SensorFields.rounded(
                rawValue, number: Self.temperature(exponent + Self.logarithm(share)), unit: unit, decimals: 1)
        case .absoluteHumidity:
            SensorFields.rounded(
                rawValue, number: share * saturated / (461.5 * (temperature + 273.15)) * 1000, unit: unit, decimals: 1
            )
        case .vaporPressureDeficit:
            SensorFields.rounded(rawValue, number: saturated * (1 - share), unit: unit, decimals: 0)
        }
    }

    private static func temperature(_ exponent: Double) -> Double { 243.12 * exponent / (17.62 - exponent) }

    /// Returns the natural logarithm of a number from 0 to 1, by Halley's method. log() would link libm.
    private static func logarithm(_ number: Double) -> Double {
        (0..<20).reduce(number - 1) { guess, _ in
            let power = exponential(guess)
            return guess + 2 * (number - power) / (number + power)
        }
    }
}
