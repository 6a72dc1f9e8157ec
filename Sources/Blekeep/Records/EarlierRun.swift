/// What was before this start: what an earlier run has left in the ledger, and how long none ran. Each is read once; what
/// can't be read yet stays to be read.
struct EarlierRun {
    /// What a ledger tells.
    struct Legacy {
        let inheritance: Inheritance
        let standings: [StoredDeviceStatus]
        let entries: [LedgerEntry]
    }

    private var unread: (configuration: Configuration, start: ClockReading)?
    private var isGapUnread = false

    /// The ledger is to be read.
    ///
    /// - Parameter start: when this run began.
    mutating func expectLegacy(for configuration: Configuration, at start: ClockReading) {
        unread = (configuration, start)
    }

    /// The last heartbeat is to be read.
    mutating func expectGap() { isGapUnread = true }

    /// - Returns: what the ledger tells; `nil` if there is nothing left to be read.
    mutating func readLegacy(in store: any Store) throws -> Legacy? {
        guard let (configuration, start) = unread, let ledger = store as? any Ledger else { return nil }
        let known = try ledger.lastKnown()
        let inheritance = try Inheritance(ledger, known, of: configuration, at: start)
        unread = nil
        return Legacy(inheritance: inheritance, standings: known.standings, entries: known.entries)
    }

    /// - Parameter tell: takes the last heartbeat; returns the gap after it, if there is one.
    /// - Returns: what to log.
    mutating func readGap(in store: any Store, tell: (Heartbeat?) -> Downtime?) throws -> String? {
        guard isGapUnread else { return nil }
        let downtime = tell(try store.lastHeartbeat())
        isGapUnread = false
        guard let downtime, downtime.cause != .stopped else { return nil }
        let length = downtime.length.map(DurationText.seconds) ?? "some time"
        return "nothing was read for \(length): \(downtime.cause.rawValue)"
    }
}
