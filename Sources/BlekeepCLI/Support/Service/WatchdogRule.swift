import Blekeep

/// Decides when to tell systemd's watchdog that the poller makes progress: only while it keeps its own plan. Pure.
struct WatchdogRule: Equatable {
    /// How long systemd waits for a sign of life.
    let timeout: Duration

    /// - Returns: `nil` when systemd doesn't watch this process.
    init?(_ environment: [String: String], pid: Int32) {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        if let watched = environment["WATCHDOG_PID"], watched != "\(pid)" { return nil }
        timeout = .microseconds(microseconds)
    }

    /// The time between two checks.
    var pause: Duration { timeout / 3 }

    /// Whether to feed the watchdog.
    func feeds(_ lag: PollerLag) -> Bool { lag.loop < timeout / 3 && lag.store < timeout / 3 }
}
