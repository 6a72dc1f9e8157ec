/// What blekeep keeps in a database.
package enum PostgresSchema {
    /// What makes the tables of each version of those of the one before, all or nothing. `Schema.sql` makes those of the first.
    ///
    /// The migrations of a release stay as they are. A later one adds what gateways of its version call, and keeps what those
    /// of the version before call. It ends with `UPDATE blekeep.setting SET version`.
    static var migrations: [String] { [String(decoding: PackageResources.Schema_sql, as: UTF8.self)] }

    /// The version of the tables, in `blekeep.setting`.
    package static var version: Int { migrations.count }

    /// The statements that make them of those of an earlier version; 0: of none.
    package static func statements(from version: Int = 0) -> String {
        migrations.dropFirst(version).joined(separator: "\n")
    }

    /// The error of a reading whose number another reading has.
    static let conflict = "BK001"
    /// The error of a gateway whose name another machine has.
    static let nameTaken = "BK002"
    /// The error of a role that speaks for another gateway.
    static let nameOfRole = "BK003"
    /// The error of a configuration in place of a version that its author didn't see.
    static let versionNotSeen = "BK004"

    /// The role of all gateways, and that of people and dashboards.
    package static let gateways = "blekeep_gateway"
    package static let readers = "blekeep_reader"
}
