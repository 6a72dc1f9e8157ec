import Blekeep
import Glibc
import RunLoop

/// What systemd gets to know of a running poller: that it is ready, its status in a line, and signs of life.
final class ServiceReports: Sink {
    let name = "systemd"
    let delivery = SinkDelivery.liveOnly
    let isReported = false
    private let notification: ServiceNotification
    private let watchdog: WatchdogRule?
    private let loop: RunLoop
    private var line = ServiceLine()
    private var shown = ""
    /// Returns how far the poller is behind its plan; `nil` before it is ready.
    private var lag: (() -> PollerLag)?
    private lazy var timer = ClosureTimer { [weak self] in self?.feed() }

    /// - Returns: `nil` when systemd didn't start the process as a service that notifies.
    init?(_ environment: [String: String], on loop: RunLoop) {
        guard let notification = ServiceNotification(environment) else { return nil }
        self.notification = notification
        self.loop = loop
        watchdog = WatchdogRule(environment, pid: getpid())
    }

    /// The message bus is there, or known to be missing.
    ///
    /// - Parameter lag: returns how far the poller is behind its plan.
    func ready(lag: @escaping () -> PollerLag) {
        self.lag = lag
        notification.send("READY=1")
        feed()
    }

    func stopping() { notification.send("STOPPING=1") }

    private func feed() {
        guard let watchdog else { return }
        if let lag, watchdog.feeds(lag()) { notification.send("WATCHDOG=1") }
        loop.arm(timer, at: loop.now + watchdog.pause)
    }

    // MARK: The status

    func send(_ readings: [LiveReading], isLive: Bool, key: Int?) {}

    func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) {
        line.apply(changes)
        guard line.text != shown else { return }
        shown = line.text
        notification.send("STATUS=\(shown)")
    }

    func end() { loop.disarm(timer) }
}
