import BlekeepOutputs
import BusBench
import RunLoop
import Testing

@testable import BlekeepCLI

/// What `doctor` says of servers.
@Suite struct SinkFindingTests {
    private final class Check: SinkCheck {
        let name: String
        var warnings: [String] = []
        private let result: Result<String, any Error>
        private let loop: RunLoop
        private let delay: Duration
        private(set) var isEnded = false

        init(_ name: String, _ result: Result<String, any Error>, after delay: Duration, on loop: RunLoop) {
            (self.name, self.result, self.loop, self.delay) = (name, result, loop, delay)
        }

        func start(_ done: @escaping (Result<String, any Error>) -> Void) {
            let result = result
            nonisolated(unsafe) let done = done
            loop.schedule(at: loop.now + delay) { done(result) }
        }

        func end() { isEnded = true }
    }

    private struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    @Test func allServersAreTriedAtOnceAndKeepTheirOrder() async throws {
        let (findings, took) = try await Bench.run(.virtual) { bench in
            let loop = bench.loop
            let start = loop.now
            let checks = [
                Check("mqtt", .success("the broker takes messages"), after: .seconds(5), on: loop),
                Check(
                    "influx", .failure(Refusal(description: "no answer; check 'url:'")), after: .seconds(3), on: loop),
                Check("webhook", .failure(Refusal(description: "refused")), after: .seconds(1), on: loop),
            ]
            let findings = await SinkChecks(checks: checks, loop: loop).run()
            #expect(!checks.contains { !$0.isEnded })
            return (findings, loop.now - start)
        }
        #expect(took == .seconds(5))
        #expect(
            findings == [
                .ok("mqtt", text: "the broker takes messages"),
                .fail("influx", text: "no answer", advice: "check 'url:'"),
                .fail(
                    "webhook", text: "refused",
                    advice: "check the server, the network, and 'sinks:' in the configuration"),
            ])
    }

    @Test func whatElseIsWrongFollowsASuccessOnly() async throws {
        let findings = try await Bench.run(.virtual) { bench in
            let checks = [
                Check("mqtt", .success("it takes messages"), after: .seconds(1), on: bench.loop),
                Check("webhook", .failure(Refusal(description: "refused; ask")), after: .seconds(1), on: bench.loop),
            ]
            for check in checks { check.warnings = ["a name is unknown; check the name", "odd"] }
            return await SinkChecks(checks: checks, loop: bench.loop).run()
        }
        #expect(
            findings == [
                .ok("mqtt", text: "it takes messages"),
                .warn("mqtt", text: "a name is unknown", advice: "check the name"),
                .warn(
                    "mqtt", text: "odd",
                    advice: "check the server, the network, and 'sinks:' in the configuration"),
                .fail("webhook", text: "refused", advice: "ask"),
            ])
    }

    @Test func withoutServersThereIsNothingToSay() async throws {
        let findings = try await Bench.run(.virtual) { await SinkChecks(checks: [], loop: $0.loop).run() }
        #expect(findings.isEmpty)
    }
}
