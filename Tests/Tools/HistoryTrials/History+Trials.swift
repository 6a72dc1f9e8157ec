#if DEBUG
import GRDB
import Synchronization

@testable import BlekeepHistory

extension History {
    /// `PRAGMA synchronous` as the database has it: 1 is NORMAL, 2 is FULL.
    package func synchronousMode() throws -> Int? {
        try writer.withLock { writer in
            try writer.database().read { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        }
    }

    /// Limits the growth of the file to this number of pages, like a full disk; `nil` removes the limit.
    package func limit(toMorePages more: Int?) throws {
        try writer.withLock { writer in
            try writer.database().writeWithoutTransaction { database in
                let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                try database.execute(sql: "PRAGMA max_page_count = \(more.map { pages + $0 } ?? 1 << 30)")
            }
        }
    }

    /// Writes the log into the file, and frees the pages in memory.
    package func forgetPages() throws {
        try writer.withLock { writer in
            try writer.database().writeWithoutTransaction { database in
                try database.checkpoint(.truncate)
                try database.execute(sql: "PRAGMA shrink_memory")
            }
        }
    }
}
#endif
