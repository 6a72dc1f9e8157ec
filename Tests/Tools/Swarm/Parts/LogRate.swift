import BlekeepSimulation
import RunLoop

/// How many lines a person would see: ten a minute for each device at the most. Pure: told of each, it says when they
/// are too many.
struct LogRate: Sendable {
    private var lines: [Uptime] = []

    private static let window: Duration = .seconds(600)
    private static let most = 10 * 10 * SwarmSetting.devices

    /// - Returns: what is wrong.
    mutating func logged(at now: Uptime) -> String? {
        lines.append(now)
        guard lines.count > Self.most else { return nil }
        let first = lines.removeFirst()
        return now - first < Self.window ? "\(Self.most + 1) lines in \(now - first)" : nil
    }
}
