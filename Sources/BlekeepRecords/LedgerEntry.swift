/// Consecutive attempts with the same result: a line of `blekeep why`.
package struct LedgerEntry: Sendable, Hashable {
    /// `nil` for all devices.
    package var device: DeviceID?
    /// The number of the entry among the device's entries, from 1.
    package var number: Int64
    package var phase: OpenEnum<Attempt.Phase>
    /// `nil` after a success.
    package var failure: ReadingFailure?
    /// What blekeep does about the failure; `nil` for nothing.
    package var remedy: OpenEnum<Remedy>?
    /// When the first and the last attempt ended, in milliseconds since 1970.
    package var first: Int64
    package var last: Int64
    package var count: Int64 = 1
    /// The time from the last end to the next attempt; `nil` until the next tick or an event.
    package var pause: Duration?

    package init(
        device: DeviceID?, number: Int64, phase: OpenEnum<Attempt.Phase>, failure: ReadingFailure?,
        remedy: OpenEnum<Remedy>?, first: Int64, last: Int64, count: Int64 = 1, pause: Duration? = nil
    ) {
        self.device = device
        self.number = number
        self.phase = phase
        self.failure = failure
        self.remedy = remedy
        self.first = first
        self.last = last
        self.count = count
        self.pause = pause
    }

    package init(_ attempt: Attempt, of device: DeviceID?, number: Int64, at time: Int64) {
        self.init(
            device: device, number: number, phase: .known(attempt.phase), failure: attempt.failure?.cut,
            remedy: attempt.remedy.map { .known($0) }, first: time, last: time, pause: attempt.nextTry)
    }

    /// Whether the other entry has the same result, so that blekeep only counts it.
    func isLike(_ other: LedgerEntry) -> Bool {
        phase == other.phase && failure?.code == other.failure?.code && remedy == other.remedy
    }

    /// Whether the device's status keeps the count while it grows. The status of successes is written anyway, so the entry
    /// is written only when they end.
    var isRewrittenByStatus: Bool { failure == nil && device != nil }

    /// Returns the entry with the count from the device's status.
    package func continued(by status: DeviceStatus?) -> LedgerEntry {
        guard let status, status.id == device, status.entries == number, isRewrittenByStatus
        else { return self }
        var entry = self
        entry.count = max(count, status.lastCount)
        entry.last = status.lastEnd
        return entry
    }

    /// The time of the next attempt, in milliseconds since 1970; `nil` at the next tick or after an event.
    package var next: Int64? {
        guard let pause else { return nil }
        return last.addingReportingOverflow(pause.wholeMilliseconds).partialValue
    }
}

extension ReadingFailure {
    /// The failure with a bounded length, because a device may choose these texts.
    fileprivate var cut: ReadingFailure {
        ReadingFailure(
            code: OpenEnum(rawValue: String(code.rawValue.unicodeScalars.prefix(64))),
            message: String(message.unicodeScalars.prefix(400)))
    }
}

extension Duration {
    /// The whole milliseconds, or the limits of `Int64`.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflowToo) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return overflow || overflowToo ? (seconds < 0 ? .min : .max) : sum
    }
}
