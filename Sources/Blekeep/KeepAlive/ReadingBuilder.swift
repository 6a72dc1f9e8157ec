/// Writes down what one device says, and what went wrong with it, as readings.
final class ReadingBuilder {
    private let configuration: DeviceConfiguration
    private let wallTime: () -> Int64
    private let record: ([Reading]) -> Void
    private let throttled: ThrottledReadings

    /// - Parameter throttled: takes the values that come by themselves.
    init(
        _ configuration: DeviceConfiguration, wallTime: @escaping () -> Int64,
        record: @escaping ([Reading]) -> Void, throttled: ThrottledReadings
    ) {
        self.configuration = configuration
        self.wallTime = wallTime
        self.record = record
        self.throttled = throttled
    }

    /// - Parameter tick: 0 for a value that came by itself.
    /// - Returns: why the bytes do not fit the form that is known of the characteristic; `nil` when they do.
    func value(_ bytes: [UInt8], of point: BoundPoint, tick: Int) -> ReadingFailure? {
        do throws(DecodeError) {
            let measurements = try point.form.decode(bytes)
            var readings: [Reading] = []
            readings.reserveCapacity(measurements.count)
            let measured = measurements.span
            for place in measured.indices {
                readings.append(reading(point, tick, .value(measured[place], raw: bytes)))
            }
            take(readings, of: point, tick)
            return nil
        } catch {
            let failure = ReadingFailure(error)
            take([reading(point, tick, .failure(failure, raw: bytes))], of: point, tick)
            return failure
        }
    }

    private func take(_ readings: [Reading], of point: BoundPoint, _ tick: Int) {
        if tick == 0 { throttled.take(readings, every: point.plan.throttle) } else { record(readings) }
    }

    func failure(_ failure: ReadingFailure, of point: BoundPoint, tick: Int) {
        record([reading(point, tick, .failure(failure, raw: nil))])
    }

    /// A tick that ended before anything could be read, or before this characteristic could.
    func failure(
        _ failure: ReadingFailure, tick: Int, of uuid: BluetoothUUID? = nil, in service: BluetoothUUID? = nil
    ) {
        record([
            Reading(
                time: wallTime(), tick: tick, device: configuration.name, address: configuration.address,
                service: service, characteristic: uuid,
                name: uuid.flatMap { AssignedNumbers.characteristicName($0) } ?? "",
                outcome: .failure(failure, raw: nil))
        ])
    }

    /// What BlueZ itself has read of the device's battery, in percent.
    func battery(_ percentage: UInt8, tick: Int) {
        let level = BluetoothUUID(0x2A19)
        record([
            Reading(
                time: wallTime(), tick: tick, device: configuration.name, address: configuration.address,
                service: BluetoothUUID(0x180F), characteristic: level,
                name: AssignedNumbers.characteristicName(level) ?? "",
                outcome: .value(
                    Measurement(field: "battery_level", value: .integer(Int64(percentage)), unit: "%"),
                    raw: [percentage]))
        ])
    }

    private func reading(_ point: BoundPoint, _ tick: Int, _ outcome: consuming Reading.Outcome) -> Reading {
        Reading(
            time: wallTime(), tick: tick, device: configuration.name, address: configuration.address,
            service: point.plan.characteristic.service, characteristic: point.plan.characteristic.uuid,
            instance: point.plan.number, name: point.form.name, outcome: outcome)
    }
}
