/// The history's file and its limits. Sizes are in bytes.
package struct HistoryConfiguration: Sendable, Equatable {
    /// The history's file; `nil` for the default path.
    package var path: String?
    /// The limit for readings and the database's log, at least `leastSize`. New readings replace the oldest.
    package var size: Int64
    /// The limit for summaries, which outlive readings: at least `leastRollups`.
    package var rollups: Int64
    /// The disk space to leave free for other programs.
    package var reserve: Int64

    package static let leastSize: Int64 = 1 << 20
    package static let leastRollups: Int64 = 512 << 10

    package init(path: String? = nil, size: Int64 = 256 << 20, rollups: Int64 = 128 << 20, reserve: Int64 = 32 << 20) {
        self.path = path
        self.size = size
        self.rollups = rollups
        self.reserve = reserve
    }
}
