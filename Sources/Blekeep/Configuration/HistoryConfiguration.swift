/// Where readings are stored, and how much of the disk they may take. Sizes are in bytes.
package struct HistoryConfiguration: Sendable, Equatable {
    /// The history's file; `nil` for the usual place.
    package var path: String?
    /// The limit for readings, with the database's log. The oldest make room for new ones. At least `leastSize`.
    package var size: Int64
    /// The limit for summaries, which outlive readings. At least `leastRollups`.
    package var rollups: Int64
    /// The space that is left free for other programs.
    package var reserve: Int64

    package static let leastSize: Int64 = 1 << 20
    package static let leastRollups: Int64 = 512 << 10

    package init(
        path: String? = nil, size: Int64 = 256 << 20, rollups: Int64 = 128 << 20, reserve: Int64 = 32 << 20
    ) {
        self.path = path
        self.size = size
        self.rollups = rollups
        self.reserve = reserve
    }
}
