import Blekeep
import BlekeepSimulation

/// L6 complete: after the end of all faults, each tick of a device that lacks something brings once what the device has, and
/// once what it lacks. Pure.
struct CompleteTicks: Sendable {
    /// What each tick of a device brings.
    struct Plan: Sendable {
        var values: [BluetoothUUID]
        /// Configured characteristics that the device lacks, or that can only be written.
        var failures: [BluetoothUUID] = []

        var configured: [BluetoothUUID] { values + failures }
    }

    private struct Tick: Sendable {
        let number: Int
        /// Whether it began before the check.
        let isPartial: Bool
        var values: [BluetoothUUID] = []
        var failures: [BluetoothUUID] = []
    }

    private var plans: [BluetoothAddress: Plan] = [:]
    private var ticks: [BluetoothAddress: Tick] = [:]

    private static let temperature = BluetoothUUID(0x2A6E)
    private static let battery = BluetoothUUID(0x2A19)
    private static let setting = BluetoothUUID(0x2A9A)

    static let plans: [BluetoothAddress: Plan] = [
        // It has no heart rate.
        Scenario.numbered(2, group: 9): Plan(values: [temperature], failures: [BluetoothUUID(0x2A37)]),
        // BlueZ reads its battery level itself.
        Scenario.numbered(3, group: 9): Plan(values: [temperature, battery]),
        Scenario.numbered(4, group: 9): Plan(values: [temperature], failures: [setting]),
    ]

    /// Returns the sensor as `plans` describes it.
    static func changed(_ sensor: SimulatedPeripheral) -> SimulatedPeripheral {
        var sensor = sensor
        switch sensor.address {
        case Scenario.numbered(3, group: 9):
            sensor = sensor.hidingBatteryService().behaving { $0.batteryDelay = .seconds(3) }
        case Scenario.numbered(4, group: 9):
            sensor.services[0].characteristics.append(SimulatedCharacteristic(setting, [.write], constant: [0]))
        default: break
        }
        return sensor
    }

    /// Begins to check. The tick in progress doesn't count.
    mutating func begin(_ plans: [BluetoothAddress: Plan]) { self.plans = plans }

    mutating func end() { (plans, ticks) = ([:], [:]) }

    /// Takes a stored reading.
    ///
    /// - Returns: what is wrong with the tick before it.
    mutating func take(_ reading: Reading) -> String? {
        guard let plan = plans[reading.address], reading.tick > 0, let characteristic = reading.characteristic else {
            return nil
        }
        var flaw: String?
        let tick = ticks[reading.address]
        if let tick, tick.number != reading.tick, !tick.isPartial,
            Set(tick.values) != Set(plan.values) || tick.failures.sorted() != plan.failures.sorted()
        {
            flaw = "\(reading.address) had \(tick.values) and lacked \(tick.failures) in tick \(tick.number)"
        }
        if tick?.number != reading.tick {
            ticks[reading.address] = Tick(number: reading.tick, isPartial: tick == nil)
        }
        switch reading.outcome {
        case .value: ticks[reading.address]?.values.append(characteristic)
        case .failure: ticks[reading.address]?.failures.append(characteristic)
        }
        return flaw
    }
}
