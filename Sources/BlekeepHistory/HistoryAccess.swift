import BlekeepRecords
internal import GRDB

/// Opens the database of a history when needed, and appends to it.
struct HistoryAccess: Sendable {
    let path: String
    /// Called with a sentence for the log.
    let notify: @Sendable (String) -> Void

    /// Retries what failed: first with the database opened again, because a temporary disk failure looks like damage, and
    /// then with a new database.
    func repaired<Result>(
        _ state: inout HistoryState, _ body: (inout HistoryState) throws(HistoryError) -> Result
    ) throws(HistoryError) -> Result {
        do {
            _ = try database(&state, isChecked: true)
            return try body(&state)
        } catch {
            guard state.isBegun, !state.isClosed, HistoryRepair.helps(against: error, wasOurs: true) else {
                throw error
            }
            state.drop()
            state.inspection = HistoryInspection()
            let file = state.place
            state.opened(try HistoryRepair.replace(file, path: path, after: state.last, notify: notify), at: file)
            return try body(&state)
        }
    }

    /// The open database.
    func database(_ state: inout HistoryState, isChecked: Bool = false) throws(HistoryError) -> DatabaseQueue {
        guard !state.isClosed else { throw .failed(path: path, reason: "it is closed") }
        guard state.isBegun else { return try HistoryDatabase.begin(&state, path: path, notify: notify) }
        let file = state.place
        var isShorter = false
        if let queue = state.queue {
            let now = HistoryFile(file)
            if let now, let before = state.file, now.isSame(as: before) {
                state.file = now
                if now.size >= before.size { return queue }
                // Another program ran VACUUM on the database, or emptied it. A new connection shows which. It is the
                // same database, so its log goes on.
                isShorter = true
                state.drop()
            } else {
                try HistoryRepair.leave(&state, file: file, path: path)
                notify("the history \(path) was removed or replaced by another program; blekeep opens what is there")
            }
        }
        do {
            let queue = try HistoryDatabase.open(file, path: path, isChecked: isChecked, after: state.last) {
                if isShorter { notify("the history \(path) has lost readings; numbers go on above them") }
            }
            state.opened(queue, at: file)
            return queue
        } catch { throw HistoryError(error, path: path) }
    }

    func append(
        _ readings: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool,
        _ state: inout HistoryState
    ) throws(HistoryError) -> [StoredReading] {
        let queue = try database(&state)
        do {
            let stored = try queue.writeWithoutTransaction { database in
                if durable { try state.inspection.step(database, path: path) }
                try state.setDurable(durable, in: database)
                // Without new rows, a checkpoint writes earlier commits to disk.
                if readings.isEmpty, heartbeat == nil, changes.isEmpty { try database.checkpoint(.passive) }
                return try state.insert(
                    readings, heartbeat: heartbeat, changes: changes, in: database, path: path, notify: notify)
            }
            state.last = stored.last?.sequence ?? state.last
            return stored
        } catch {
            state.forget()
            let reason = HistoryError(error, path: path)
            if !reason.leavesConnectionGood { state.drop() }
            throw reason
        }
    }
}
