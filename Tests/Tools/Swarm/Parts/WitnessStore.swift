import Blekeep
import BlekeepSimulation
import RunLoop

/// The store of all runs of the poller, which outlives them: compares the stored readings with the values that the
/// devices sent, and the ledger with what the poller does.
final class WitnessStore {
    private unowned let witness: Witness
    // Touched with every value, on the loop's thread only.
    private(set) var accounts: [BluetoothAddress: DeviceAccount] = [:]
    /// The devices with unstored values.
    private var debtors: Set<BluetoothAddress> = []
    /// The newest readings, the oldest first, as a history with a bound keeps them.
    private var log: [StoredReading] = []
    /// The number of readings that were ever stored.
    private(set) var readings: Int64 = 0
    private(set) var ledger = LedgerAccount()
    var sinks = SinkAccounts()
    var completeTicks = CompleteTicks()
    private(set) var commits: [PowerInvariants.Commit] = []
    private var lastTimes: [Field: Int64] = [:]
    /// The thermometer that only advertises.
    var broadcaster: SimulatedPeripheral?
    /// The devices whose battery level BlueZ reads itself, so that the witness sees no read.
    var served: Set<BluetoothAddress> = []
    /// The devices whose objects may be missing, so that the poller takes the battery level from BlueZ.
    var mayLackObjects: Set<BluetoothAddress> = []
    /// The devices that a recipe asks.
    var asked: Set<BluetoothAddress> = []
    /// Whether the last write failed.
    private(set) var hasFailed = false
    /// When a write succeeded after failures for the last time.
    private var mended: Uptime?
    /// How long the machine had slept by then.
    private var asleepAtMend: Duration = .zero
    /// The times in which the store fails.
    private(set) var refusals: [Uptime] = []
    private(set) var isDirty = false
    /// The times of the writes that took long.
    var slowWrites: [(begin: Uptime, end: Uptime)] = []

    struct Full: Error {}

    /// A field of a device, or its failures.
    private struct Field: Hashable {
        var device: BluetoothAddress
        var service: BluetoothUUID?
        var characteristic: BluetoothUUID?
        var instance: Int
        var name: String?

        init(_ reading: Reading) {
            (device, service, characteristic) = (reading.address, reading.service, reading.characteristic)
            instance = reading.instance
            if case .value(let measurement, _) = reading.outcome { name = measurement.field }
        }
    }

    /// The number of readings that the log holds, at least: a few minutes.
    private static let kept = 500

    init(_ witness: Witness) {
        self.witness = witness
    }

    var now: Uptime { witness.loop.now }

    // MARK: Sent values

    /// Whether the store fails, as far as the poller can know: a slow write says at its end that it succeeded, and one just
    /// before a sleep says so after it.
    var isRefusing: Bool {
        if hasFailed || slowWrites.last.map({ $0.begin == mended && now <= $0.end }) == true { return true }
        let slept = witness.loop.timeAsleep - asleepAtMend
        return slept > .zero && mended.map { $0 + slept } == now
    }

    /// Whether a slow write is in progress.
    var isWriting: Bool { slowWrites.last.map { now <= $0.end } == true }

    func sent(_ bytes: [UInt8], by device: BluetoothAddress, isRead: Bool) {
        accounts[device, default: DeviceAccount(isAsked: asked.contains(device))].sends(bytes, at: now, isRead: isRead)
        if isRead, !asked.contains(device) { debtors.insert(device) }
    }

    /// Whether the store failed recently, so that the poller may still be pausing, or was slow.
    private var isRecovering: Bool {
        witness.isFull || slowWrites.last.map { now - $0.end < .seconds(5) } == true
            || lastRefusal.map { now - $0 < .seconds(65) } == true
    }

    /// When the poller knew that the last write failed.
    private var lastRefusal: Uptime? {
        guard let last = refusals.last else { return nil }
        return slowWrites.last(where: { $0.begin <= last }).map { $0.begin == last ? $0.end : last } ?? last
    }

    /// Checks that no value is unstored for longer than a commit may wait.
    func checkLoss() {
        if debtors.isEmpty { return }
        let limit: Duration = isRecovering ? .never : .seconds(5)
        for device in debtors.sorted() {
            guard let moment = accounts[device]?.loss(after: limit, at: now) else { continue }
            witness.violate(.noLoss, "\(device) was read at \(moment), and it is not kept")
            debtors.remove(device)
        }
    }

    /// Checks that the stored status of the devices is what the poller says of them.
    func checkStatus(_ status: PollerStatus) {
        if isRecovering { return ledger.excuse() }
        let flaws = ledger.flaws(of: status, at: now) { device in
            accounts[device]?.lastGood.map { Uptime.start + $0 } ?? .start
        }
        for what in flaws { witness.violate(.truth, what) }
    }

    /// S18 claim: the ledger doesn't say that blekeep connects the device.
    func unclaimed(_ device: BluetoothAddress) -> String? {
        isRecovering || ledger.claims(device)
            ? nil : "\(device) is connected, and the ledger says \(ledger.statuses[device]?.link.rawValue ?? "nothing")"
    }

    /// The devices that the ledger claims.
    var claimed: Set<BluetoothAddress> { Set(ledger.statuses.keys.filter(ledger.claims)) }

    /// The poller slept, or another run begins, which has yet to store what it finds.
    func excuse() { ledger.excuse() }

    /// A run ended that couldn't store all that it had read.
    func forgetUnstored() {
        for device in debtors { accounts[device]?.forgetUnstored() }
        debtors = []
        ledger.excuse()
    }

    // MARK: Stored records

    func append(
        _ new: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool
    ) throws -> [StoredReading] {
        if witness.isFull {
            hasFailed = true
            refusals.append(now)
            throw Full()
        }
        if hasFailed { (mended, asleepAtMend) = (now, witness.loop.timeAsleep) }
        hasFailed = false
        let accepted = new.map { Uptime(nanoseconds: $0.time &* 1_000_000) }
        commits.append(PowerInvariants.Commit(moment: now, isDurable: durable, accepted: accepted))
        isDirty = durable ? false : isDirty || !new.isEmpty
        let stored = new.map { reading in
            readings += 1
            check(reading)
            return StoredReading(sequence: readings, reading: reading)
        }
        log += stored
        if log.count > 2 * Self.kept { log.removeFirst(log.count - Self.kept) }
        note(changes)
        for what in ledger.take(changes, heartbeat) { witness.violate(.order, what) }
        for status in changes.sinks {
            for what in sinks.flaws(of: status, oldest: bounds.oldest) { witness.violate(.noLoss, what) }
        }
        return stored
    }

    var bounds: (oldest: Int64, newest: Int64) { (log.first?.sequence ?? readings + 1, readings) }

    func readings(after sequence: Int64, limit: Int) -> [StoredReading] {
        guard let first = log.first?.sequence else { return [] }
        return Array(log.dropFirst(Int(max(0, sequence + 1 - first))).prefix(limit))
    }

    func beginTurns() { for device in accounts.keys { accounts[device]?.beginTurns() } }

    func endTurns() { for device in accounts.keys { accounts[device]?.endTurns(at: now) } }

    private func check(_ reading: Reading) {
        witness.note("\(reading.address) \(reading.tick) \(reading.time)", in: .readings)
        let raw: [UInt8]?
        let isValue: Bool
        switch reading.outcome {
        case .value(_, let bytes):
            witness.note(bytes.span, in: .readings)
            (raw, isValue) = (bytes, true)
        case .failure(let failure, let bytes):
            witness.note(failure.code.caseName, in: .readings)
            (raw, isValue) = (bytes, false)
        }
        let field = Field(reading)
        if reading.time < lastTimes[field] ?? .min {
            witness.violate(.order, "\(reading.device)'s \(field.name ?? "failures") went back in time")
        }
        lastTimes[field] = reading.time
        witness.stored(reading)
        if let flaw = completeTicks.take(reading) { witness.violate(.complete, flaw) }
        guard let raw, !(reading.characteristic == BluetoothUUID(0x2A19) && served.contains(reading.address)) else {
            return
        }
        let moment = Duration.milliseconds(reading.time)
        let (hasPaid, isTrue) = accounts[
            reading.address, default: DeviceAccount(isAsked: asked.contains(reading.address))
        ]
        .keeps(raw, isValue ? (moment, reading.tick) : nil)
        if hasPaid { debtors.remove(reading.address) }
        if reading.address == broadcaster?.address {
            if isValue, !wasAdvertised(raw, at: moment) {
                witness.violate(.truth, "\(reading.device) did not advertise \(raw) at \(moment)")
            }
        } else if !isTrue,
            !(reading.characteristic == BluetoothUUID(0x2A19) && mayLackObjects.contains(reading.address))
        {
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

    /// Adds changes of the ledger to the digest.
    private func note(_ changes: LedgerChanges) {
        for entry in changes.entries {
            let device = entry.device?.address ?? "all"
            let (failure, remedy) = (entry.failure?.code.caseName ?? "good", entry.remedy?.caseName ?? "none")
            witness.note(
                "\(device) \(entry.number) \(entry.phase.caseName) \(failure) \(remedy) \(entry.count)", in: .outcomes)
        }
        for status in changes.statuses {
            let code = status.failure?.code.caseName ?? "good"
            witness.note("\(status.address) \(status.state) \(status.link.claim) \(code)", in: .statuses)
        }
        if let poller = changes.poller {
            witness.note("\(poller.outage?.code.caseName ?? "well") \(poller.adapters.map(\.isOn))", in: .statuses)
        }
        for sink in changes.sinks {
            witness.note("\(sink.name) \(sink.position ?? -1) \(sink.failure == nil)", in: .statuses)
        }
    }
}

extension DeviceStatus.Link {
    /// What the next run takes it for. What blekeep does with a connection changes between two commits.
    fileprivate var claim: String {
        isIdle ? "none" : isOurs ? isConnected ? "held" : "making" : "foreign"
    }
}

extension OpenEnum {
    /// The name of Swift's case, which doesn't depend on its spelling for users.
    var caseName: String { known.map { "\($0)" } ?? rawValue }
}

extension OpenEnum<FailureCode> {
    /// What a device needs of its user counts as one.
    var caseName: String {
        switch known {
        case .needsPairing?, .lostKeys?, .crashesBluez?, .staleCache?, .noPermission?: "needsUser"
        case let code?: "\(code)"
        case nil: rawValue
        }
    }
}

extension Duration {
    fileprivate static let never: Duration = .seconds(1 << 40)
}
