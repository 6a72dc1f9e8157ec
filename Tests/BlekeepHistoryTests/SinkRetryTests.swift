import BlekeepRecords
import Testing

@testable import BlekeepHistory

/// The next attempt of a sink that is down, in the output of `status`.
struct SinkRetryTests {
    private func report(nextTry: Int64, now: Int64) -> StatusReport {
        var sink = SinkStatus(name: "mqtt")
        sink.failure = "desk:1883 refused the connection"
        sink.nextTry = nextTry
        let poller = GatewayStatus(pid: 42, started: 0, seen: 0, power: .init(mode: .normal, reason: ""))
        return StatusReport(poller: poller, devices: [], sinks: [sink], pid: 42, now: now)
    }

    @Test func aFutureAttemptHasItsTime() {
        let report = report(nextTry: 30_000, now: 10_000)
        #expect(StatusHead(report).lines.contains { $0.text.hasSuffix("the connection; next try in 20s") })
        #expect(report.json.contains("\"next_try\":\"1970-01-01T00:00:30.000Z\""))
    }

    @Test(arguments: [10_000, 90_000]) func anAttemptInThePastHasNoTime(now: Int64) {
        let report = report(nextTry: 10_000, now: now)
        #expect(StatusHead(report).lines.contains { $0.text.hasSuffix("the connection; retrying") })
        #expect(!report.json.contains("next_try"))
    }
}
