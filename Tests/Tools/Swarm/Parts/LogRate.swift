import BlekeepSimulation
import RunLoop

/// Checks the lines of the log: at most ten a minute for each device. Pure.
struct LogRate: Sendable {
    private var lines: [Uptime] = []

    private static let window: Duration = .seconds(600)
    private static let most = 10 * 10 * SwarmSetting.devices

    /// - Returns: the violation.
    mutating func logged(at now: Uptime) -> String? {
        lines.append(now)
        guard lines.count > Self.most else { return nil }
        let first = lines.removeFirst()
        return now - first < Self.window ? "\(Self.most + 1) lines in \(now - first)" : nil
    }
}
