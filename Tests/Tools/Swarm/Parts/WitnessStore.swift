import Blekeep
import BlekeepSimulation
import RunLoop

/// Compares the stored readings with the values that the devices sent.
final class WitnessStore: Store, Sink {
    private unowned let witness: Witness
    // Touched with every value, on the loop's thread only.
    private(set) var accounts: [BluetoothAddress: DeviceAccount] = [:]
    /// The devices with unstored values.
    private var debtors: Set<BluetoothAddress> = []
    private(set) var readings: Int64 = 0
    private(set) var commits: [PowerInvariants.Commit] = []
    private var lastTimes: [BluetoothAddress: Int64] = [:]
    /// The thermometer that only advertises.
    var broadcaster: SimulatedPeripheral?
    private var publications = Publications()
    private var isRefusing = false
    /// The times in which the store fails.
    private(set) var refusals: [Uptime] = []
    private(set) var isDirty = false

    struct Full: Error {}

    init(_ witness: Witness) {
        self.witness = witness
    }

    private var now: Uptime { witness.loop.now }

    // MARK: Sent values

    func sent(_ bytes: [UInt8], by device: BluetoothAddress, isRead: Bool) {
        accounts[device, default: DeviceAccount()].sends(bytes, at: now, isRead: isRead)
        if isRead { debtors.insert(device) }
    }

    /// Checks that no value is unstored for longer than a commit may wait.
    func checkLoss() {
        if debtors.isEmpty { return }
        let patience: Duration =
            witness.isFull || refusals.last.map { now - $0 < .seconds(65) } == true ? .never : .seconds(5)
        for device in debtors.sorted() {
            guard let moment = accounts[device]?.loss(after: patience, at: now) else { continue }
            witness.violate(.noLoss, "\(device) was read at \(moment), and it is not kept")
            debtors.remove(device)
        }
    }

    // MARK: Stored readings

    func append(_ new: [Reading], durable: Bool) throws -> [StoredReading] {
        if witness.isFull {
            isRefusing = true
            refusals.append(now)
            throw Full()
        }
        isRefusing = false
        let accepted = new.map { Uptime(nanoseconds: $0.time &* 1_000_000) }
        commits.append(PowerInvariants.Commit(moment: now, isDurable: durable, accepted: accepted))
        isDirty = durable ? false : isDirty || !new.isEmpty
        return new.map { reading in
            readings += 1
            check(reading)
            publications.keeps(reading, as: readings)
            return StoredReading(sequence: readings, reading: reading)
        }
    }

    func publish(_ new: [LiveReading]) throws {
        for reading in new {
            let flaw = publications.publishes(reading, isRefusing: isRefusing, kept: readings)
            if let flaw { witness.violate(.noLoss, flaw) }
        }
    }

    func beginTurns() { for device in accounts.keys { accounts[device]?.beginTurns() } }

    func endTurns() { for device in accounts.keys { accounts[device]?.endTurns(at: now) } }

    private func check(_ reading: Reading) {
        witness.note(reading.device)
        let raw: [UInt8]?
        let isValue: Bool
        switch reading.outcome {
        case .value(_, let bytes):
            witness.note(bytes.span)
            (raw, isValue) = (bytes, true)
        case .failure(let failure, let bytes):
            witness.note(failure.code.rawValue)
            (raw, isValue) = (bytes, false)
        }
        if reading.time < lastTimes[reading.address] ?? .min {
            witness.violate(.order, "\(reading.device) went back in time")
        }
        lastTimes[reading.address] = reading.time
        guard let raw else { return }
        let moment = Duration.milliseconds(reading.time)
        let (hasPaid, isTrue) = accounts[reading.address, default: DeviceAccount()]
            .keeps(raw, isValue ? (moment, reading.tick) : nil)
        if hasPaid { debtors.remove(reading.address) }
        if reading.address == broadcaster?.address {
            if isValue, !wasAdvertised(raw, at: moment) {
                witness.violate(.truth, "\(reading.device) did not advertise \(raw) at \(moment)")
            }
        } else if !isTrue {
            witness.violate(.truth, "\(reading.device) never sent \(raw)")
        }
    }
}

extension WitnessStore {
    /// Whether the thermometer sent these bytes then, or just before.
    private func wasAdvertised(_ bytes: [UInt8], at moment: Duration) -> Bool {
        [.zero, .seconds(2)].contains { age in
            broadcaster?.data(at: moment - age).manufacturerData.values.contains(bytes) == true
        }
    }
}

extension Duration {
    fileprivate static let never: Duration = .seconds(1 << 40)
}
