import Blekeep
import BlekeepOutputs

/// The newest values of devices, each in a few words. Pure.
struct NewestValues {
    struct Device {
        /// For example `20.51 °C, 42.02 %`.
        var text: String
        /// In percent.
        var battery: Int?
        /// The time of the newest value, in milliseconds since 1970.
        var time: Int64
    }

    let devices: [BluetoothAddress: Device]

    /// A value that is so much older than the device's newest one isn't measured any more.
    private static let oldest: Int64 = 86_400_000

    /// - Parameter readings: the newest of each field.
    init(_ readings: [Reading]) {
        devices = Dictionary(grouping: readings.compactMap(Value.init), by: \.reading.address).compactMapValues {
            Self.device($0)
        }
    }

    private static func device(_ values: [Value]) -> Device? {
        guard let newest = values.map(\.reading.time).max() else { return nil }
        let current = values.filter { newest - $0.reading.time <= oldest }.sorted { $0.place < $1.place }
        let texts = current.filter { $0.battery == nil }.map(\.text)
        return Device(
            text: texts.joined(separator: ", "), battery: current.lazy.compactMap(\.battery).first, time: newest)
    }

    /// The charge for a table, in percent.
    static func cell(battery: Int?) -> Table.Cell {
        .init(battery.map { "\($0) %" } ?? "", (battery ?? 100) < lowBattery ? .warning : .plain)
    }

    /// As `blekeep notices` has it, without a configured limit.
    private static let lowBattery = 15

    /// A value that is worth a place in the line.
    private struct Value {
        let reading: Reading
        let measurement: Measurement

        init?(_ reading: Reading) {
            guard case .value(let measurement, _) = reading.outcome, measurement.field != "flags",
                reading.service != BluetoothUUID(0x180A)
            else { return nil }
            self.reading = reading
            self.measurement = measurement
        }

        /// In percent; `nil` for another value.
        var battery: Int? {
            guard ["battery_level", "battery"].contains(measurement.field), measurement.unit == "%" else { return nil }
            return switch measurement.value {
            case .integer(let integer)?: Int(exactly: integer)
            case .number(let number)?: Int(exactly: number.rounded())
            default: nil
            }
        }

        /// The value with its unit; without one, with its name.
        var text: String {
            let shown = DisplayUnit.human(measurement, of: reading.characteristic)
            let value = Untrusted(shown.value).description
            guard shown.unit.isEmpty else { return "\(value) \(Untrusted(shown.unit))" }
            let name = MeasuredName.text(
                reading.name, reading.characteristic, field: measurement.field, instance: reading.instance)
            return "\(name) \(value)"
        }

        var place: String {
            "\(reading.service?.description ?? "") \(reading.characteristic?.description ?? reading.name) "
                + "\(reading.instance) \(measurement.field)"
        }
    }
}
