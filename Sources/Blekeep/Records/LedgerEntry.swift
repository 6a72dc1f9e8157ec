/// Attempts that ended alike, one after another: a line of `blekeep why`.
package struct LedgerEntry: Sendable, Hashable {
    /// What it was about; `nil`: every device.
    package var device: BluetoothAddress?
    /// Counts the device's entries from 1 on; never given again.
    package var number: Int64
    package var phase: OpenEnum<Attempt.Phase>
    /// What went wrong; `nil`: it went well.
    package var failure: ReadingFailure?
    /// What the failure asks for; `nil`: nothing.
    package var remedy: OpenEnum<Remedy>?
    /// The first and the last end, in milliseconds since 1970.
    package var first: Int64
    package var last: Int64
    package var count: Int64 = 1
    /// How long after the last end it is tried again; `nil`: at the next tick, or when something happens.
    package var pause: Duration?

    package init(
        device: BluetoothAddress?, number: Int64, phase: OpenEnum<Attempt.Phase>, failure: ReadingFailure?,
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

    init(_ attempt: Attempt, of device: BluetoothAddress?, number: Int64, at time: Int64) {
        self.init(
            device: device, number: number, phase: .known(attempt.phase), failure: attempt.failure?.cut,
            remedy: attempt.remedy.map { .known($0) }, first: time, last: time, pause: attempt.nextTry)
    }

    /// Whether another attempt ended in the same way, so that it only counts.
    func isLike(_ other: LedgerEntry) -> Bool {
        phase == other.phase && failure?.code == other.failure?.code && remedy == other.remedy
    }

    /// What goes well counts on tick by tick: that is kept with the device's standing, which is written anyway, and
    /// here only when it ends.
    var isRewrittenByStanding: Bool { failure == nil && device != nil }

    /// The entry as it is by now, if it is the device's last.
    package func continued(by standing: StoredDeviceStatus?) -> LedgerEntry {
        guard let standing, standing.address == device, standing.entries == number, isRewrittenByStanding
        else { return self }
        var entry = self
        entry.count = max(count, standing.lastCount)
        entry.last = standing.lastEnd
        return entry
    }

    /// When it is tried again, in milliseconds since 1970; `nil`: at the next tick, or when something happens.
    package var next: Int64? {
        guard let pause else { return nil }
        return last.addingReportingOverflow(pause.wholeMilliseconds).partialValue
    }
}

extension ReadingFailure {
    /// Bounded, as it is kept: a peripheral, or BlueZ in its place, chose these words.
    fileprivate var cut: ReadingFailure {
        ReadingFailure(
            code: OpenEnum(rawValue: String(code.rawValue.unicodeScalars.prefix(64))),
            message: String(message.unicodeScalars.prefix(400)))
    }
}

extension Duration {
    /// Parts of a millisecond are dropped; what is too long for the number is the longest.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflowToo) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return overflow || overflowToo ? (seconds < 0 ? .min : .max) : sum
    }
}
