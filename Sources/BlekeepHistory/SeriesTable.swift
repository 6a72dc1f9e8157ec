internal import GRDB

/// The table of series, and its migration from an earlier version.
enum SeriesTable {
    /// Migrates an earlier version's series, which were separate for each alias and name. Their rows keep their numbers,
    /// and `same_as` leads to the present series.
    static func migrate(_ database: Database) throws {
        try database.execute(
            sql: """
                ALTER TABLE series ADD COLUMN instance INTEGER NOT NULL DEFAULT 1;
                ALTER TABLE series ADD COLUMN same_as INTEGER;  -- NULL: itself
                ALTER TABLE series ADD COLUMN last_seq INTEGER NOT NULL DEFAULT 0;  -- the last reading in the rollups
                ALTER TABLE series ADD COLUMN last_period INTEGER NOT NULL DEFAULT 0;  -- and its latest hour's row there
                DROP INDEX series_key;
                UPDATE series SET instance = CAST(substr(field, instr(field, '#') + 1) AS INTEGER),
                    field = substr(field, 1, instr(field, '#') - 1)
                    WHERE field GLOB '*?#[2-9]' OR field GLOB '*?#[1-9][0-9]';
                CREATE INDEX series_migration ON series (\(key));
                UPDATE series SET same_as = nullif((
                    SELECT max(id) FROM series AS other WHERE \(equality)), id);
                DROP INDEX series_migration;
                CREATE UNIQUE INDEX series_key ON series (\(key)) WHERE same_as IS NULL;
                """)
    }

    /// The number of series up to which none is removed.
    private static let many = 1000

    /// Removes series without readings and rollups. Otherwise a peripheral with other characteristics every day would fill
    /// the disk.
    ///
    /// - Returns: the number of removed series.
    static func prune(_ database: Database) throws -> Int {
        guard try Int.fetchOne(database.cachedStatement(sql: "SELECT count(*) FROM series")) ?? 0 > many else {
            return 0
        }
        try database.execute(
            sql: """
                DELETE FROM series WHERE last_seq < ifnull((SELECT min(seq) FROM measurements), 0)
                    AND last_seq <= (SELECT rolled FROM upkeep)
                    AND last_period < ifnull((SELECT min(period) FROM rollups WHERE minutes = 60), 0)
                    AND same_as IS NULL AND last_seq > 0
                    AND NOT EXISTS (SELECT 1 FROM series AS other WHERE other.same_as = series.id)
                """)
        return database.changesCount
    }

    private static let columns = ["address", "service", "characteristic", "instance"]
    private static let optionals = ["field", "unit"]
    private static let key = (columns + optionals.map { "ifnull(\($0), x'')" }).joined(separator: ", ")
    private static let equality =
        (columns.map { "other.\($0) = series.\($0)" }
        + optionals.map { "ifnull(other.\($0), x'') = ifnull(series.\($0), x'')" }).joined(separator: " AND ")
}
