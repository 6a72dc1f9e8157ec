internal import GRDB

/// Opens the database of a history.
enum HistoryDatabase {
    /// Locks and opens the history for the first time.
    static func begin(
        _ state: inout HistoryState, path: String, notify: (String) -> Void
    ) throws(HistoryError) -> DatabaseQueue {
        if state.lock == nil {
            try HistoryFile.makeFolders(above: try HistoryFile.plain(path))
            state.place = try HistoryFile.resolved(path)
            try HistoryFile.checkKind(state.place, path: path)
            try HistoryFile.checkNames(state.place, path: path)
            try HistorySchema.checkHead(of: state.place, path: path)
            state.wasOurs = HistoryLock.isSigned(state.place)
            state.lock = try HistoryLock(state.place, path: path, wasOurs: state.wasOurs, isOneOff: state.isOneOff)
        }
        let queue: DatabaseQueue
        do throws(HistoryError) {
            queue = try openTwice(state.place, path: path, wasOurs: state.wasOurs)
        } catch {
            guard HistoryRepair.helps(against: error, wasOurs: state.wasOurs) else { throw error }
            queue = try HistoryRepair.replace(state.place, path: path, after: 0, notify: notify)
        }
        state.opened(queue, at: state.place)
        state.lock?.sign()
        // Only after the checks, because another program's file must keep its mode.
        if let mode = HistoryMode.tighten(state.place) {
            let text = String(mode, radix: 8)
            notify("other users could read the history \(path); its files have the mode 0\(text) now")
        }
        return queue
    }

    /// Opens the database, and tries again after damage, because a short failure of the disk looks the same.
    private static func openTwice(
        _ file: String, path: String, wasOurs: Bool
    ) throws(HistoryError) -> DatabaseQueue {
        do { return try open(file, path: path, isChecked: true) } catch {
            let reason = HistoryError(error, path: path)
            guard HistoryRepair.helps(against: reason, wasOurs: wasOurs) else { throw reason }
        }
        do { return try open(file, path: path, isChecked: true) } catch { throw HistoryError(error, path: path) }
    }

    /// - Parameters:
    ///   - last: the last sequence number so far. Numbers continue above it.
    ///   - behind: called when the database's own numbers end before `last`.
    static func open(
        _ file: String, path: String, isChecked: Bool, after last: Int64 = 0, isReplacement: Bool = false,
        behind: () -> Void = {}
    ) throws -> DatabaseQueue {
        if try HistoryMode.makeDatabase(file, path: path) { HistoryRepair.putLogAway(of: file) }
        let queue = try DatabaseQueue(path: file, configuration: configuration)
        _ = try queue.read { try HistorySchema.isMade($0, path: path) }
        if isChecked { try HistoryRepair.check(queue, path: path) }
        try HistorySchema.migrator.migrate(queue)
        if try HistoryRepair.goOn(in: queue, file, after: last, isReplacement: isReplacement) { behind() }
        return queue
    }

    /// The longest wait for another program's lock. After that, readings wait in memory.
    static let busyMilliseconds = 250

    /// Opens a database that is there, to add rows beside the poller. The poller does all work on the file.
    static func openBeside(_ file: String) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.label = "history beside the poller"
        configuration.busyMode = .timeout(Double(busyMilliseconds) / 1000)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0")
        }
        return try DatabaseQueue(path: "file:\(HistoryReader.escaped(file))?mode=rw", configuration: configuration)
    }

    private static var configuration: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.label = "history"
        configuration.journalMode = .wal
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(Double(busyMilliseconds) / 1000)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = -1024")
        }
        return configuration
    }
}
