internal import GRDB
import RunLoop

/// Opens the database of a history.
enum HistoryDatabase {
    /// - Parameters:
    ///   - last: the last sequence number so far. Numbers continue above it.
    ///   - behind: called when the database's own numbers end before `last`.
    static func open(
        _ file: String, path: String, isChecked: Bool, after last: Int64 = 0, isReplacement: Bool = false,
        behind: () -> Void = {}
    ) throws -> DatabaseQueue {
        if try HistoryMode.makeDatabase(file, path: path) { HistoryRepair.putLogAway(of: file) }
        let queue = try DatabaseQueue(path: file, configuration: configuration)
        _ = try queue.read { try HistorySchema.version(in: $0, path: path) }
        if isChecked { try HistoryRepair.check(queue, path: path) }
        try HistorySchema.migrator().migrate(queue)
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
        configuration.prepareDatabase { database in try database.execute(sql: "PRAGMA cache_size = -1024") }
        return configuration
    }
}

extension DatabaseQueue {
    /// Closes the database before the last reference goes.
    ///
    /// The end of libdispatch's queue in it may start a thread, and waits for ever where the system has none left, also at the
    /// end of the process. Then the queue stays.
    func end() {
        try? close()
        if (try? LoopThread.start {}) == nil { _ = Unmanaged.passRetained(self) }
    }
}
