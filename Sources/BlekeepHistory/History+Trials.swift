import Blekeep
internal import GRDB

/// For tests.
extension History {
    /// `PRAGMA synchronous` as the database has it: 1 is NORMAL, 2 is FULL.
    func synchronousMode() throws -> Int? {
        try state.withLock { state in
            try access.database(&state).read { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        }
    }

    /// Lets the file grow by so many pages and no further, as a full disk does; `nil` lifts that. For tests.
    func limit(toMorePages more: Int?) throws {
        try state.withLock { state in
            try access.database(&state).writeWithoutTransaction { database in
                let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                try database.execute(sql: "PRAGMA max_page_count = \(more.map { pages + $0 } ?? 1 << 30)")
            }
        }
    }

    /// Puts everything into the file itself, and lets go of the pages in memory. For tests.
    func forgetPages() throws {
        try state.withLock { state in
            try access.database(&state).writeWithoutTransaction { database in
                try database.checkpoint(.truncate)
                try database.execute(sql: "PRAGMA shrink_memory")
            }
        }
    }
}
