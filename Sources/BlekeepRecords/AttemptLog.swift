import Logging

/// The ledger's log of attempts: the entries that the store doesn't hold yet. Pure.
struct AttemptLog: Sendable {
    /// The last entry about all devices.
    private var common: LedgerEntry?
    /// The new and changed entries, up to 100 per device.
    private(set) var pending: [LedgerEntry] = []
    /// Those of them that the commit in progress has, as they were when it began.
    private var offered: [LedgerEntry] = []
    let hasLedger: Bool

    init(hasLedger: Bool) { self.hasLedger = hasLedger }

    /// Continues the log of an earlier run. Attempts of this run come after its attempts.
    mutating func resume(_ entries: [LedgerEntry]) {
        let last = entries.first { $0.device == nil }
        renumber(nil, after: last?.number ?? 0)
        if common != nil { common?.number.add(last?.number ?? 0) } else { common = last }
    }

    fileprivate mutating func renumber(_ device: DeviceID?, after number: Int64) {
        for index in pending.indices where pending[index].device == device { pending[index].number.add(number) }
    }

    /// Gives the entries to a commit.
    mutating func offer() -> [LedgerEntry] {
        offered = pending
        return pending
    }

    /// Call this when the store holds the offer.
    mutating func committed() {
        if offered == pending { pending = [] } else { pending.removeAll(where: offered.contains) }
        offered = []
    }

    /// Records the end of an attempt that concerns all devices.
    mutating func record(_ attempt: Attempt, at time: Int64) {
        common = enter(attempt, device: nil, after: common, number: (common?.number ?? 0).next, at: time)
    }

    fileprivate mutating func enter(
        _ attempt: Attempt, device: DeviceID?, after last: LedgerEntry?, number: Int64, at time: Int64
    ) -> LedgerEntry {
        var entry = LedgerEntry(attempt, of: device, number: number, at: time)
        if let before = last {
            if before.isLike(entry) {
                entry.number = before.number
                entry.first = before.first
                entry.count = before.count.next
            } else if before.isRewrittenByStatus {
                change(before)
            }
        }
        if entry.count == 1 || !entry.isRewrittenByStatus { change(entry) }
        return entry
    }

    private mutating func change(_ entry: LedgerEntry) {
        guard hasLedger else { return }
        if let index = pending.lastIndex(where: { $0.device == entry.device && $0.number == entry.number }) {
            pending[index] = entry
            return
        }
        pending.append(entry)
        if pending.count(where: { $0.device == entry.device }) > Int(LedgerChanges.maxEntries),
            let oldest = pending.firstIndex(where: { $0.device == entry.device })
        {
            pending.remove(at: oldest)
        }
    }
}

/// The attempts of a device: the status that they give it, and a few lines for the log of the program. Pure.
struct DeviceAttempts: Sendable {
    /// A line for the log of the program.
    struct Line: Sendable, Hashable {
        var level: Logger.Level
        var text: String
        var event: NoticeEvent?
        /// What failed; `nil` when the device is read again.
        var code: OpenEnum<FailureCode>?
    }

    var status: DeviceStatus
    private var last: LedgerEntry?
    private var repeats = Repeats()
    /// When the consecutive failures began.
    private var lostSince: Int64?

    init(_ device: DeviceConfiguration, at time: Int64) { status = DeviceStatus(device, since: time) }

    /// Takes a device that joined, with its attempts in an earlier run or before it left.
    init(_ device: DeviceConfiguration, after earlier: EarlierRun.Legacy, in log: AttemptLog, at time: Int64) {
        self.init(device, at: time)
        // What the store doesn't hold yet is newer than what it holds, and has its numbers already.
        let last = log.pending.last { $0.device == device.id } ?? earlier.entries.first { $0.device == device.id }
        resume(earlier.statuses.first { $0.id == device.id }, before: last)
        status.entries = max(status.entries, last?.number ?? 0)
    }

    /// Numbers the attempts after those of another device that had the ID until now.
    mutating func number(after newest: Int64) {
        guard newest > status.entries else { return }
        status.entries = newest
        last = nil
    }

    /// Continues the attempts of an earlier run. Those of this run come after them.
    mutating func resume(_ statuses: [DeviceStatus], entries: [LedgerEntry], in log: inout AttemptLog) {
        let known = statuses.first { $0.id == status.id }
        let last = entries.first { $0.device == status.id }
        log.renumber(status.id, after: max(known?.entries ?? 0, last?.number ?? 0))
        resume(known, before: last)
    }

    private mutating func resume(_ known: DeviceStatus?, before: LedgerEntry?) {
        // Another sensor with this ID, which this one replaces, had a state of its own. Only the numbers go on.
        if let known, known.address != status.address {
            let earlier = max(known.entries, before?.number ?? 0)
            status.entries.add(earlier)
            last?.number.add(earlier)
            return
        }
        guard status.entries > 0 else {
            if var known {
                known.name = status.name
                known.link = .released
                known.rssi = nil
                known.next = nil
                status = known
                lostSince = known.state == .lost ? known.since : nil
            }
            last = before
            return
        }
        let earlier = max(known?.entries ?? 0, before?.number ?? 0)
        status.entries.add(earlier)
        last?.number.add(earlier)
        guard let known else { return }
        status.lastValue = status.lastValue ?? known.lastValue
        status.identity = status.identity ?? known.identity
        // The state didn't change since the earlier run.
        guard status.state == known.state else { return }
        status.since = known.since
        status.condition = status.condition.resuming(known.condition)
        if known.state == .lost { lostSince = known.since }
    }

    /// Records the end of an attempt, and the device's condition after it.
    ///
    /// - Returns: lines for the log of the program.
    mutating func record(
        _ attempt: Attempt, condition: DeviceCondition, in log: inout AttemptLog, at time: Int64
    ) -> [Line] {
        let entry = log.enter(attempt, device: status.id, after: last, number: status.entries.next, at: time)
        last = entry
        status.entries = entry.number
        status.lastCount = entry.count
        status.lastEnd = entry.last
        let before = status
        status.record(condition, at: time)
        if attempt.isGood { return recordSuccess(attempt, after: before, at: time) }
        if lostSince == nil { lostSince = time }
        guard let failure = attempt.failure else { return [] }
        let count = repeats.count(failure.code)
        let text = "\(status.name): \(AttemptMessages.sentence(attempt, count: status.condition.failedInARow))"
        if status.state != before.state, status.state != .trying {
            let event: NoticeEvent = status.state == .needsUser ? .deviceNeedsUser : .deviceLost
            return [Line(level: .warning, text: text, event: event, code: failure.code)]
        }
        guard let count else { return [] }
        return [Line(level: count >= 8 ? .notice : .info, text: text, code: failure.code)]
    }

    /// Whether the last tick had values, and this failure, too.
    private func isKnown(_ failure: ReadingFailure, in before: DeviceStatus) -> Bool {
        before.state == .good && before.condition.failure?.code == failure.code
    }

    private mutating func recordSuccess(_ attempt: Attempt, after before: DeviceStatus, at time: Int64) -> [Line] {
        var lines: [Line] = []
        // Another value failed. The log reports it once, as the device isn't lost.
        if let failure = attempt.failure, !isKnown(failure, in: before), let count = repeats.count(failure.code) {
            let text = AttemptMessages.sentence(attempt, count: Int64(count))
            let level: Logger.Level = attempt.needsUser ? .warning : .info
            lines.append(Line(level: level, text: "\(status.name): \(text)", code: failure.code))
        }
        switch before.state {
        case .lost, .needsUser:
            let length = AttemptMessages.span(from: lostSince ?? before.since, to: time)
            let count = before.condition.failedInARow
            let failed = count == 1 ? "1 failed attempt" : "\(count) failed attempts"
            let text = "\(status.name): reads again, after \(length) and \(failed)"
            lines.append(Line(level: .notice, text: text, event: .deviceBack))
        case .new, .good, .trying: break
        }
        lostSince = nil
        return lines
    }
}

/// Counts a device's failures, so that the log reports the 1st, 2nd, 4th, 8th … of them, and the first of each kind.
struct Repeats: Sendable, Hashable {
    private var known: Set<OpenEnum<FailureCode>> = []
    private var count = 0

    /// The number of kinds to know, so that a device can't fill the memory with new ones.
    static let maxCodes = 32

    /// Counts a failure, and returns the number of failures if the log should report it.
    mutating func count(_ code: OpenEnum<FailureCode>) -> Int? {
        count += 1
        let isNew = known.count < Self.maxCodes && known.insert(code).inserted
        return isNew || count.nonzeroBitCount == 1 ? count : nil
    }
}
