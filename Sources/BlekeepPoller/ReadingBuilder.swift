import BlekeepBluetooth
import DBus

/// Turns the values and failures of a device into readings.
final class ReadingBuilder {
    private let configuration: DeviceConfiguration
    private let id: DeviceID
    private let wallTime: () -> Int64
    private let throttled: ThrottledReadings

    /// - Parameter throttled: takes all readings.
    init(_ configuration: DeviceConfiguration, wallTime: @escaping () -> Int64, throttled: ThrottledReadings) {
        self.configuration = configuration
        id = configuration.id
        self.wallTime = wallTime
        self.throttled = throttled
    }

    /// - Parameter tick: 0 for a value that the device sent by itself.
    /// - Returns: the failure when the bytes don't match the format.
    func value(_ bytes: [UInt8], of point: BoundPoint, tick: Int) -> ReadingFailure? {
        do throws(DecodeError) {
            let measurements = FieldCalibration.corrected(try point.form.decode(bytes), by: configuration.calibration)
            var readings: [Reading] = []
            readings.reserveCapacity(measurements.count)
            let measured = measurements.span
            for index in measured.indices {
                readings.append(reading(point, tick: tick, outcome: .value(measured[index], raw: bytes)))
            }
            keep(readings, of: point, tick: tick)
            return nil
        } catch {
            let failure = ReadingFailure(error)
            keep([reading(point, tick: tick, outcome: .failure(failure, raw: bytes))], of: point, tick: tick)
            return failure
        }
    }

    private func keep(_ readings: [Reading], of point: BoundPoint, tick: Int) {
        if tick == 0 { throttled.add(readings, every: point.plan.throttle) } else { throttled.pass(readings) }
    }

    func failure(_ failure: ReadingFailure, of point: BoundPoint, tick: Int) {
        throttled.pass([reading(point, tick: tick, outcome: .failure(failure, raw: nil))])
    }

    /// Records a tick that failed before any read, before the read of this characteristic, or in a recipe's conversation.
    func failure(
        _ failure: ReadingFailure, tick: Int, of uuid: BluetoothUUID? = nil, in service: BluetoothUUID? = nil,
        by recipe: Recipe? = nil
    ) {
        throttled.pass([
            Reading(
                time: wallTime(), tick: tick, id: id, device: configuration.name,
                address: configuration.address,
                service: service, characteristic: uuid, recipe: recipe?.name,
                name: recipe?.title ?? uuid.flatMap { AssignedNumbers.characteristicName($0) } ?? "",
                outcome: .failure(failure, raw: nil))
        ])
    }

    /// Records the values of a conversation. They have the recipe in place of a characteristic.
    ///
    /// - Parameter age: the time since the last one came, which may be long when the machine slept.
    func answers(_ answers: [Conversation.Answer], by recipe: Recipe, tick: Int, age: Duration) {
        let time = wallTime() - age.wholeMilliseconds
        let readings = answers.flatMap { answer in
            FieldCalibration.corrected(answer.measurements, by: configuration.calibration).map { measurement in
                Reading(
                    time: time, tick: tick, id: id, device: configuration.name, address: configuration.address,
                    service: nil, characteristic: nil, recipe: recipe.name, name: recipe.title,
                    outcome: .value(measurement, raw: answer.raw))
            }
        }
        if !readings.isEmpty { throttled.pass(readings) }
    }

    /// Records the battery level in percent that BlueZ itself read; `nil` when it isn't known yet.
    func battery(_ percentage: UInt8?, tick: Int) {
        let level = BluetoothUUID(0x2A19)
        throttled.pass([
            Reading(
                time: wallTime(), tick: tick, id: id, device: configuration.name,
                address: configuration.address,
                service: BluetoothUUID(0x180F), characteristic: level,
                name: AssignedNumbers.characteristicName(level) ?? "",
                outcome: .value(
                    Measurement(
                        field: "battery_level", value: percentage.map { .integer(Int64($0)) },
                        state: percentage == nil ? "unknown" : nil, unit: "%"),
                    raw: [percentage ?? 0]))
        ])
    }

    private func reading(_ point: BoundPoint, tick: Int, outcome: consuming Reading.Outcome) -> Reading {
        Reading(
            time: wallTime(), tick: tick, id: id, device: configuration.name,
            address: configuration.address,
            service: point.plan.characteristic.service, characteristic: point.plan.characteristic.uuid,
            instance: point.plan.number, name: point.form.name, outcome: outcome)
    }
}

extension ReadingFailure {
    /// Converts the error of a read. The code is the last part of the D-Bus error's name.
    init(read error: BusError) {
        let name = error.name.split(separator: ".").last.map(String.init) ?? error.name
        self.init(code: OpenEnum(rawValue: name), message: ATTError(error)?.description ?? error.description)
    }

    /// The message bus, or bluetoothd itself, refuses this user.
    static let denied = ReadingFailure(.noPermission, BluetoothError.denied.description)
}
