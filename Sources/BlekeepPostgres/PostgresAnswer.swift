internal import CLoaded

/// A row of a result, as text. A server may send fewer columns than a statement has.
package struct PostgresRow: Hashable, Sendable {
    private let values: [String?]

    init(_ values: [String?]) { self.values = values }

    package var count: Int { values.count }

    /// The value in a column; `nil` for NULL, and when the row has no such column.
    package subscript(_ column: Int) -> String? { values.indices.contains(column) ? values[column] : nil }
}

/// What a server says to a statement, one result at a time. Each answer has an end, however much a server sends. Pure.
struct PostgresAnswer {
    /// Why the connection ends.
    enum Flaw: Equatable {
        case tooMuch
        /// It isn't what a statement of blekeep can have, such as COPY, which libpq repeats for ever.
        case foreign(Int32)
        /// libpq failed, and not the server.
        case broken
    }

    private(set) var outcome: Result<[PostgresRow], PostgresError>?
    private var rows: [PostgresRow] = []
    private var bytes = 0
    private var results = 0

    /// How much memory rows may take: a fleet of a thousand gateways needs a quarter of it.
    static let maxBytes = 16 << 20
    /// How many results one text of statements may have: blekeep's tables are made by about a hundred.
    static let maxResults = 1000

    /// - Parameters:
    ///   - status: libpq's ExecStatusType.
    ///   - row: a single row; called only when there is one.
    ///   - error: the failure of the statement; `nil` when libpq failed by itself.
    mutating func take(_ status: Int32, row: () -> PostgresRow, error: () -> PostgresError?) -> Flaw? {
        if status == blekeep_single_tuple { return take(row()) }
        results += 1
        guard results <= Self.maxResults else { return .tooMuch }
        switch status {
        case Int32(blekeep_tuples_ok), Int32(blekeep_command_ok), Int32(blekeep_empty_query):
            if case .failure = outcome { return nil }
            outcome = .success(rows)
            rows = []
        case Int32(blekeep_nonfatal_error), Int32(blekeep_fatal_error):
            guard let error = error() else { return .broken }
            if case .failure = outcome { return nil }
            outcome = .failure(error)
        // COPY, pipelines, chunks, what libpq couldn't read, and what a later libpq has.
        default: return .foreign(status)
        }
        return nil
    }

    private mutating func take(_ row: PostgresRow) -> Flaw? {
        bytes += row.memory
        guard bytes <= Self.maxBytes else { return .tooMuch }
        rows.append(row)
        return nil
    }
}

extension PostgresRow {
    /// About how much memory it takes.
    fileprivate var memory: Int {
        values.reduce(64) { $0 + 16 + ($1.map { $0.utf8.count > 15 ? $0.utf8.count + 32 : 0 } ?? 0) }
    }
}
