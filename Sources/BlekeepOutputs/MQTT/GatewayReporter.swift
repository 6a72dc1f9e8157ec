import BlekeepRecords
import RunLoop

/// Reports the gateway's state when it changes, and at most every 10 s.
package final class GatewayReporter: @unchecked Sendable {
    private let loop: RunLoop
    private let report: (GatewayState) -> Void
    private var state: GatewayState
    private var reported: GatewayState
    private lazy var pause = ClosureTimer { [weak self] in self?.reportChange() }

    /// The shortest time between two reports.
    static let interval: Duration = .seconds(10)

    /// - Parameter version: blekeep's version.
    package init(version: String, on loop: RunLoop, report: @escaping (GatewayState) -> Void) {
        self.loop = loop
        state = GatewayState(version: version)
        reported = state
        self.report = report
    }

    /// - Parameter sink: the name of the sink whose backlog counts.
    package func apply(_ changes: LedgerChanges, heartbeat: Heartbeat?, sink: String) {
        state.apply(changes, heartbeat: heartbeat, sink: sink)
        if !pause.isArmed { reportChange() }
    }

    private func reportChange() {
        guard state.isKnown, state != reported else { return }
        reported = state
        report(state)
        loop.arm(pause, at: loop.now + Self.interval)
    }

    package func end() { loop.disarm(pause) }
}
