import BlekeepRecords

/// The newest values of devices. Pure.
package struct NewestValues: Sendable {
    package struct Device: Sendable {
        /// In the order of their places, without the battery's charge.
        package var values: [Value]
        package var charge: Value?
        /// When blekeep last read or heard its values, in milliseconds since 1970.
        package var time: Int64
        /// The voltage of its battery, where the user says what it runs on and the device doesn't say its charge; in V.
        package var voltage: Double?
        /// Whether the battery has less charge, or a lower voltage, than the limit.
        package var isBatteryLow = false

        /// For example `84 %`, or `2.94 V`.
        package var batteryText: String? {
            if let battery { return "\(battery) %" }
            return voltage.flatMap { _ in values.first { $0.measurement.field == "battery_voltage" }?.shown.number }
        }

        /// In percent.
        package var battery: Int? { charge?.battery }

        /// The values that lists show: the main ones; all of a device that has no others.
        package var main: ArraySlice<Value> {
            let main = values.prefix(while: \.shown.place.isMain)
            return main.isEmpty ? values[...] : main
        }

        /// The others, which lists only count.
        package var others: ArraySlice<Value> { values.dropFirst(main.count) }

        package var fields: [String] { numbers.map(\.measurement.field) }

        /// Returns the number of a field, in its base unit; `nil` without one.
        package func number(of field: String) -> Double? {
            numbers.first { $0.measurement.field == field }?.measurement.value?.plottedNumber
        }

        private var numbers: [Value] { all.filter { $0.measurement.value?.plottedNumber != nil } }

        package var all: [Value] { values + [charge].compactMap(\.self) }

        /// For example `20.51 °C, 42.02 %, Dew point 7.26 °C, 5 more`.
        package var text: String {
            let shown = main.prefix(Self.maxShown)
            return ShownValue.text(shown.map(\.shown), more: values.count - shown.count)
        }

        /// A device may have thousands of values.
        private static let maxShown = 12
    }

    package let devices: [DeviceID: Device]

    /// A value that is so much older than the device's newest one isn't measured any more.
    private static let oldest: Int64 = 86_400_000

    /// - Parameters:
    ///   - readings: the newest of each field.
    ///   - decimals: those of stored values.
    ///   - statuses: those of the devices. What another sensor measured before it was replaced is past.
    package init(
        _ readings: [Reading], _ decimals: LayoutDecimals = LayoutDecimals(),
        limits: BatteryLimits = BatteryLimits(), statuses: [DeviceStatus] = []
    ) {
        var decimals = decimals
        let known = Self.byID(statuses)
        let values = readings.filter { Self.isCurrent($0, known[$0.id]) }.compactMap {
            Value(decimals.complete($0), time: Self.confirmed($0, known[$0.id]))
        }
        devices = Dictionary(grouping: values, by: \.reading.id).compactMapValues {
            guard var device = Self.device($0) else { return nil }
            if let battery = device.battery {
                device.isBatteryLow = battery < limits.percent
            } else if let id = $0.first?.reading.id, let voltage = device.number(of: "battery_voltage"),
                let limit = limits.voltage(of: id, at: device.number(of: "temperature"))
            {
                (device.voltage, device.isBatteryLow) = (voltage, voltage < limit)
            }
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
        guard reading.isAdvertised, case .value = reading.outcome, let status else { return reading.time }
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

    private static func device(_ values: [Value]) -> Device? {
        guard let last = values.map(\.reading).max(by: { $0.time < $1.time }) else { return nil }
        // What another sensor with this ID measured before it was replaced is past.
        let current = values.filter {
            last.time - $0.reading.time <= oldest && $0.reading.address == last.address
        }.sorted { $0.shown.place < $1.shown.place }
        return Device(
            values: current.filter { $0.battery == nil }, charge: current.first { $0.battery != nil },
            time: current.reduce(last.time) { max($0, $1.time) })
    }
}

extension NewestValues {
    /// A value that is worth showing.
    package struct Value: Sendable {
        package let reading: Reading
        package let measurement: Measurement

        package let shown: ShownValue
        /// When blekeep last read or heard it, in milliseconds since 1970: a device that advertises may repeat a value, which
        /// is stored once.
        package let time: Int64

        init?(_ reading: Reading, time: Int64) {
            guard case .value(let measurement, _) = reading.outcome, !measurement.isFlags,
                reading.service != BluetoothUUID(0x180A)
            else { return nil }
            self.reading = reading
            self.measurement = measurement
            self.time = time
            shown = ShownValue(reading, measurement)
        }

        /// The charge of the device's battery in percent; `nil` for another value.
        package var battery: Int? {
            guard shown.place.group == .charge else { return nil }
            return switch measurement.value {
            case .integer(let integer)?: Int(exactly: integer)
            case .number(let number)?: Int(exactly: number.rounded())
            default: nil
            }
        }
    }
}
