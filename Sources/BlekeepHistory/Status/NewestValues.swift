import BlekeepOutputs
import BlekeepRecords

/// The newest values of devices. Pure.
package struct NewestValues: Sendable {
    package struct Device: Sendable {
        /// Those that people look for come first, and words last. Without the battery's charge.
        package var values: [Value]
        /// The charge of the battery.
        package var charge: Value?
        /// When blekeep last read or heard its values, in milliseconds since 1970. A device that only advertises may repeat
        /// values that are stored once.
        package var time: Int64
        /// Whether the battery has less charge than the limit.
        package var isBatteryLow = false

        /// In percent.
        package var battery: Int? { charge?.battery }

        /// The names of the fields with a number.
        package var fields: [String] { numbers.map(\.measurement.field) }

        /// Returns the number of a field, in its base unit; `nil` without one. `battery` is the charge.
        package func number(of field: String) -> Double? {
            if field == "battery", let battery { return Double(battery) }
            return numbers.first { $0.measurement.field == field }?.measurement.value?.plottedNumber
        }

        private var numbers: [Value] {
            (values + [charge].compactMap(\.self)).filter { $0.measurement.value?.plottedNumber != nil }
        }

        /// For example `20.51 °C, 42.02 %`; `Soil temperature 20.51 °C, Air temperature 22.10 °C` where units don't tell them
        /// apart.
        package var text: String { text(first: values.count) }

        /// The most values that their units can name.
        private static let maxUnnamed = 5

        /// Returns the first values, and the number of the others.
        package func text(first count: Int) -> String {
            let shown = values.prefix(count)
            let units = shown.compactMap(\.measurement.unit)
            let isNamed = shown.count > Self.maxUnnamed || Set(units).count < units.count
            let text = shown.map { isNamed ? $0.namedText : $0.text }.joined(separator: ", ")
            return values.count > count ? "\(text), … \(values.count - count) more" : text
        }
    }

    package let devices: [DeviceID: Device]

    /// A value that is so much older than the device's newest one isn't measured any more.
    private static let oldest: Int64 = 86_400_000

    /// - Parameters:
    ///   - readings: the newest of each field.
    ///   - decimals: those of stored values.
    ///   - lowBattery: a battery with less charge is low, in percent.
    ///   - statuses: those of the devices. What another sensor measured before it was replaced is past.
    package init(
        _ readings: [Reading], _ decimals: LayoutDecimals = LayoutDecimals(),
        lowBattery: Int = NoticeConfiguration.lowBattery, statuses: [DeviceStatus] = []
    ) {
        var decimals = decimals
        let known = Self.byID(statuses)
        let values = readings.filter { Self.isCurrent($0, known[$0.id]) }.compactMap { Value(decimals.complete($0)) }
        devices = Dictionary(grouping: values, by: \.reading.id).compactMapValues {
            guard var device = Self.device($0) else { return nil }
            let times = (device.values + [device.charge].compactMap(\.self)).map { value in
                Self.confirmed(value.reading, known[value.reading.id])
            }
            device.time = times.reduce(device.time, max)
            if let battery = device.battery { device.isBatteryLow = battery < lowBattery }
            return device
        }
    }

    private static func byID(_ statuses: [DeviceStatus]) -> [DeviceID: DeviceStatus] {
        Dictionary(statuses.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Whether the device's present sensor sent a reading.
    private static func isCurrent(_ reading: Reading, _ status: DeviceStatus?) -> Bool {
        status.map { $0.address == reading.address } ?? true
    }

    /// When blekeep last read or heard a value. Of what a device advertises, only changes are stored; a repetition counts for
    /// all that it advertised.
    private static func confirmed(_ reading: Reading, _ status: DeviceStatus?) -> Int64 {
        guard reading.characteristic == nil, reading.recipe == nil, case .value = reading.outcome, let status else {
            return reading.time
        }
        return max(reading.time, status.lastValue ?? reading.time)
    }

    /// Returns the readings of the devices' present sensors that blekeep read or heard since a time.
    package static func readings(
        _ readings: [StoredReading], since oldest: Int64, statuses: [DeviceStatus]
    ) -> [StoredReading] {
        let known = byID(statuses)
        return readings.filter {
            isCurrent($0.reading, known[$0.reading.id]) && confirmed($0.reading, known[$0.reading.id]) >= oldest
        }
    }

    /// Whether a field is the charge of the device's battery in percent.
    static func isCharge(_ field: String, unit: String?) -> Bool {
        ["battery_level", "battery"].contains(field) && unit == "%"
    }

    private static func device(_ values: [Value]) -> Device? {
        guard let last = values.map(\.reading).max(by: { $0.time < $1.time }) else { return nil }
        let newest = last.time
        // What another sensor with this ID measured before it was replaced is past.
        let current = values.filter {
            newest - $0.reading.time <= oldest && $0.reading.address == last.address
        }.sorted {
            ($0.rank, $0.place) < ($1.rank, $1.place)
        }
        return Device(
            values: current.filter { $0.battery == nil }, charge: current.first { $0.battery != nil }, time: newest)
    }
}

extension NewestValues {
    /// A value that is worth showing.
    package struct Value: Sendable {
        package let reading: Reading
        package let measurement: Measurement

        init?(_ reading: Reading) {
            guard case .value(let measurement, _) = reading.outcome, !measurement.isFlags,
                reading.service != BluetoothUUID(0x180A)
            else { return nil }
            self.reading = reading
            self.measurement = measurement
        }

        /// The charge of the device's battery in percent; `nil` for another value.
        package var battery: Int? {
            guard NewestValues.isCharge(measurement.field, unit: measurement.unit) else { return nil }
            return switch measurement.value {
            case .integer(let integer)?: Int(exactly: integer)
            case .number(let number)?: Int(exactly: number.rounded())
            default: nil
            }
        }

        /// What it measures, such as `Temperature`.
        package var name: String { MeasuredName.text(reading) }

        /// The value and its unit for people. A special value is its word.
        package var shown: (value: String, unit: String) {
            let shown = DisplayUnit.human(measurement, of: reading.characteristic)
            return (Untrusted(shown.value).description, Untrusted(shown.unit).description)
        }

        /// The value with its unit; without one, with its name.
        package var text: String { shown.unit.isEmpty ? namedText : "\(shown.value) \(shown.unit)" }

        /// The value with its name and its unit.
        fileprivate var namedText: String {
            let (value, unit) = shown
            return unit.isEmpty ? "\(name) \(value)" : "\(name) \(value) \(unit)"
        }

        /// Temperature, humidity and pressure before other numbers with a unit, and those before the rest.
        fileprivate var rank: Int { Self.rank(of: measurement.unit) }

        fileprivate static func rank(of unit: String?) -> Int {
            guard let unit else { return first.count + 1 }
            return first.firstIndex(of: unit) ?? first.count
        }

        private static let first = ["°C", "%", "Pa"]

        fileprivate var place: String {
            "\(reading.service?.description ?? "") \(reading.characteristic?.description ?? reading.name) "
                + "\(reading.instance) \(measurement.field)"
        }
    }
}

extension PlottedSeries {
    /// Whether it is the charge of the device's battery.
    package var isCharge: Bool { NewestValues.isCharge(field, unit: unit) }

    /// The place of its unit among those of a device, as cards show values: the battery's charge last.
    package var rank: Int { isCharge ? .max : NewestValues.Value.rank(of: unit) }
}
