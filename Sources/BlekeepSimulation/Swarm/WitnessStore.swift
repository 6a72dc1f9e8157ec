import Blekeep
import RunLoop

/// Watches what a keeper keeps, and holds it against what the devices have sent.
final class WitnessStore: Store, Sink {
    private unowned let witness: Witness
    /// When each device was last read well, and the longest time between two good reads since `beginTurns`.
    private(set) var lastGood: [BluetoothAddress: Duration] = [:]
    private(set) var longestWait: [BluetoothAddress: Duration] = [:]
    private(set) var readings: Int64 = 0
    /// When each device had ticks that gave a value.
    private(set) var ticks: [BluetoothAddress: [Uptime]] = [:]
    private var lastTick: [BluetoothAddress: Int] = [:]
    private(set) var commits: [PowerInvariants.Commit] = []
    /// What each device has sent of late, whichever of its characteristics sent it.
    private var sent: [BluetoothAddress: [(moment: Uptime, octets: [UInt8])]] = [:]
    /// What was read and is not kept yet.
    private var unkept: [BluetoothAddress: [(moment: Uptime, octets: [UInt8])]] = [:]
    private var lastTime = Int64.min
    private var published: Int64 = 0
    private var refused: Uptime?
    /// When the store would take nothing.
    private(set) var refusals: [Uptime] = []
    private(set) var isDirty = false

    /// More than a device sends while the longest full disk and the pause after it last.
    private static let mostSent = 2048

    struct Full: Error {}

    init(_ witness: Witness) {
        self.witness = witness
    }

    private var now: Uptime { witness.loop.now }

    // MARK: What is sent

    func sent(_ octets: [UInt8], by device: BluetoothAddress, isRead: Bool) {
        sent[device, default: []].append((now, octets))
        if (sent[device]?.count ?? 0) > Self.mostSent { sent[device]?.removeFirst(Self.mostSent / 2) }
        if isRead { unkept[device, default: []].append((now, octets)) }
    }

    /// A value was read and not kept for longer than any commit may wait.
    func checkLoss() {
        if unkept.isEmpty { return }
        let patience: Duration =
            witness.isFull || refused.map { now - $0 < .seconds(65) } == true ? .never : .seconds(5)
        for (device, values) in unkept.sorted(by: { $0.key < $1.key }) {
            guard let first = values.first, now - first.moment > patience else { continue }
            witness.violate(.noLoss, "\(device) was read at \(first.moment), and it is not kept")
            unkept[device] = nil
        }
    }

    // MARK: What is kept

    func append(_ new: [Reading], durable: Bool) throws -> [StoredReading] {
        if witness.isFull {
            refused = now
            refusals.append(now)
            throw Full()
        }
        let accepted = new.map { Uptime(nanoseconds: $0.time &* 1_000_000) }
        commits.append(PowerInvariants.Commit(moment: now, isDurable: durable, accepted: accepted))
        isDirty = durable ? false : isDirty || !new.isEmpty
        return new.map { reading in
            readings += 1
            check(reading)
            return StoredReading(sequence: readings, reading: reading)
        }
    }

    func publish(_ new: [StoredReading]) throws {
        for reading in new {
            if reading.sequence != published + 1 {
                witness.violate(.noLoss, "reading \(reading.sequence) is published after \(published)")
            }
            published = reading.sequence
        }
    }

    /// From now on the longest waits count.
    func beginTurns() { longestWait = [:] }

    /// Who has not had its turn until now has waited so long.
    func endTurns() {
        for (device, last) in lastGood {
            longestWait[device] = max(longestWait[device] ?? .zero, now.sinceStart - last)
        }
    }

    private func check(_ reading: Reading) {
        witness.note(reading.device.utf8)
        switch reading.outcome {
        case .value(_, let raw): witness.note(raw)
        case .failure(let failure, _): witness.note(failure.code.utf8)
        }
        if reading.time < lastTime { witness.violate(.order, "\(reading.device) went back in time") }
        lastTime = reading.time
        let device = reading.address
        if let raw = Self.raw(reading) {
            if let place = unkept[device]?.firstIndex(where: { $0.octets == raw }) { unkept[device]?.remove(at: place) }
            if unkept[device]?.isEmpty == true { unkept[device] = nil }
        }
        guard case .value(_, let raw) = reading.outcome else { return }
        let moment = Duration.milliseconds(reading.time)
        if let last = lastGood[device] { longestWait[device] = max(longestWait[device] ?? .zero, moment - last) }
        lastGood[device] = moment
        if reading.tick > 0, lastTick.updateValue(reading.tick, forKey: device) != reading.tick {
            ticks[device, default: []].append(.start + moment)
        }
        let isTrue = sent[device]?.last { $0.octets == raw && abs($0.moment.sinceStart - moment) < .seconds(2) }
        if isTrue == nil { witness.violate(.truth, "\(reading.device) never sent \(raw)") }
    }

    private static func raw(_ reading: Reading) -> [UInt8]? {
        switch reading.outcome {
        case .value(_, let raw): raw
        case .failure(_, let raw): raw
        }
    }
}

private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }

extension Duration {
    fileprivate static let never: Duration = .seconds(1 << 40)
}
