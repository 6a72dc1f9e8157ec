import BlekeepRecords
import RunLoop
import Testing

@testable import BlekeepOutputs

/// When the gateway's state is published, in virtual time.
@Suite struct GatewayReporterTests {
    private func changes(backlog: Int64) -> LedgerChanges {
        var sink = SinkStatus(name: "mqtt")
        sink.backlog = backlog
        return LedgerChanges(
            poller: GatewayStatus(pid: 1, started: 0, seen: 0, power: .init(mode: .normal, reason: "on mains")),
            sinks: [sink])
    }

    @Test func aStateThatKeepsChangingIsReportedEveryTenSeconds() throws {
        let loop = try RunLoop(.virtual)
        var reports: [Duration] = []
        let reporter = GatewayReporter(version: "1.0", on: loop) { _ in reports.append(loop.now.sinceStart) }
        try loop.run {
            for second in 0..<25 {
                try await loop.sleep(until: .start + .seconds(second))
                reporter.apply(self.changes(backlog: Int64(second)), heartbeat: nil, sink: "mqtt")
            }
            try await loop.sleep(until: .start + .seconds(100))
        }
        reporter.end()
        #expect(reports == [.zero, .seconds(10), .seconds(20), .seconds(30)])
    }

    @Test func aStateThatStaysIsReportedOnce() throws {
        let loop = try RunLoop(.virtual)
        var reports = 0
        let reporter = GatewayReporter(version: "1.0", on: loop) { _ in reports += 1 }
        try loop.run {
            for second in 0..<60 {
                try await loop.sleep(until: .start + .seconds(second))
                reporter.apply(self.changes(backlog: 0), heartbeat: nil, sink: "mqtt")
            }
        }
        reporter.end()
        #expect(reports == 1)
    }
}
