/// Reads what an earlier run left in the store: the ledger, and the gap since its last heartbeat. Each is read once, and
/// again later if reading fails.
package struct EarlierRun {
    /// The content of the ledger.
    package struct Legacy: Sendable {
        package var inheritance = Inheritance()
        var statuses: [DeviceStatus] = []
        var entries: [LedgerEntry] = []
    }

    private var unread: (configuration: PollConfiguration, start: ClockReading)?
    private var isGapUnread = false

    /// Requests the ledger.
    ///
    /// - Parameter start: when this run began.
    mutating func expectLegacy(for configuration: PollConfiguration, at start: ClockReading) {
        unread = (configuration, start)
    }

    /// Requests the last heartbeat.
    mutating func expectGap() { isGapUnread = true }

    /// - Returns: the content of the ledger; `nil` when it wasn't requested, or was read before.
    mutating func readLegacy(in store: any Store) throws -> Legacy? {
        guard let (configuration, start) = unread, let ledger = store as? any Ledger else { return nil }
        let known = try ledger.lastKnown()
        let inheritance = try Inheritance(ledger, known, of: configuration, at: start)
        unread = nil
        return Legacy(inheritance: inheritance, statuses: known.statuses, entries: known.entries)
    }

    /// - Parameter gapAfter: returns the gap after the last heartbeat, if there is one.
    /// - Returns: a line for the log.
    mutating func readGap(in store: any Store, gapAfter: (Heartbeat?) -> Downtime?) throws -> String? {
        guard isGapUnread else { return nil }
        let downtime = gapAfter(try store.lastHeartbeat())
        isGapUnread = false
        guard let downtime, downtime.cause != .stopped else { return nil }
        let length = downtime.length.map(DurationText.seconds) ?? "some time"
        let doubt = downtime.isMeasuredByUnsetClock ? ", by a clock that isn't set" : ""
        return "nothing was read for \(length)\(doubt): \(downtime.cause.words)"
    }
}
