/// The content of a commit.
struct RecordCommit {
    var group: WaitingReadings.Group
    var heartbeat: Heartbeat?
    var changes = LedgerChanges()
    /// Whether the commit must survive a power cut.
    var isDurable = false

    init(group: WaitingReadings.Group) { self.group = group }

    /// Writes the commit; without the changes if the store has no ledger.
    func write(to store: any Store) throws -> [StoredReading] {
        guard let ledger = store as? any Ledger else {
            return try heartbeat.map { try store.append(group.readings, $0, durable: isDurable) }
                ?? store.append(group.readings, durable: isDurable)
        }
        var changes = changes
        changes.clocks = group.clocks
        return try ledger.append(group.readings, heartbeat, changes, durable: isDurable)
    }
}
