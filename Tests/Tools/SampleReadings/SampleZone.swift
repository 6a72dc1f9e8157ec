/// A time zone in a year in which its clock is set back or forward.
package struct SampleZone: Sendable, CustomStringConvertible {
    package let description: String
    /// The seconds ahead of UTC before the first change.
    private let first: Int
    /// When the offset changes, in milliseconds since 1970, and to what.
    package let changes: [(time: Int64, seconds: Int)]

    private init(_ name: String, _ first: Int, _ changes: [(Int64, Int)] = []) {
        description = name
        self.first = first
        self.changes = changes.map { (time: $0.0, seconds: $0.1) }
    }

    @Sendable package func offset(at time: Int64) -> Int { changes.last { $0.time <= time }?.seconds ?? first }

    package static let berlin = SampleZone("Berlin", 3600, [(1_774_746_000_000, 7200), (1_792_890_000_000, 3600)])
    /// Half an hour: 02:00 is 01:30, and later 02:30.
    package static let lordHowe = SampleZone(
        "Lord Howe", 39_600, [(1_775_314_800_000, 37_800), (1_791_041_400_000, 39_600)])
    /// 00:00 is 01:00, and later 01:00 is 00:00.
    package static let havana = SampleZone(
        "Havana", -18_000, [(1_772_946_000_000, -14_400), (1_793_509_200_000, -18_000)])
    /// 00:00 is 23:00 of the day before, and later 01:00.
    package static let saoPaulo = SampleZone(
        "São Paulo", -7200, [(1_518_919_200_000, -10_800), (1_541_300_400_000, -7200)])
    /// A minute after midnight: 00:01 is 01:01, and later 23:01 of the day before.
    package static let stJohns = SampleZone(
        "St. John's", -12_600, [(1_143_948_660_000, -9000), (1_162_089_060_000, -12_600)])
    /// A whole day is skipped.
    package static let apia = SampleZone("Apia", -36_000, [(1_325_239_200_000, 50_400)])
    package static let kolkata = SampleZone("Kolkata", 19_800)
    package static let kathmandu = SampleZone("Kathmandu", 20_700)

    package static let all = [berlin, lordHowe, havana, saoPaulo, stJohns, apia, kolkata, kathmandu]
}
