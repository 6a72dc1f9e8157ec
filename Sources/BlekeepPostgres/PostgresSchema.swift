/// What blekeep keeps in a database, as `Schema.sql` declares it.
package enum PostgresSchema {
    /// The version of the tables, in `blekeep.setting`.
    package static let version = 1

    /// The statements that make them, all or none.
    package static var statements: String { String(decoding: PackageResources.Schema_sql, as: UTF8.self) }

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
