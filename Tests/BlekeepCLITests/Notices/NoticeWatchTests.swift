import Blekeep
import BlekeepHistory
import FoundationEssentials
import Glibc
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepCLI

/// The time of the next look at the history.
@Suite struct NoticeWatchTests {
    private func run(
        _ pauses: ClosedRange<Duration>, _ body: @escaping @Sendable (NoticeWatch, String, RunLoop) async throws -> Void
    ) throws {
        let folder = "/tmp/blekeep-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let loop = try RunLoop()
        try loop.run {
            let watch = try NoticeWatch(folder + "/history.sqlite", on: loop, pauses: pauses)
            try await body(watch, folder + "/history.sqlite", loop)
            watch.close()
        }
        loop.abandon()
    }

    @Test func aChangeOfTheHistoryIsLookedAtSoon() throws {
        try run(.milliseconds(1)...(.seconds(3600))) { watch, path, loop in
            let history = try History(path: path)
            #expect(await !watch.wait(after: loop.now))
            _ = try history.append([try makeReading()], durable: false)
            #expect(await !watch.wait(after: loop.now))
        }
    }

    @Test func withoutAChangeItLooksAfterTheLongestPause() throws {
        try run(.milliseconds(1)...(.milliseconds(2))) { watch, _, loop in
            let start = loop.now
            #expect(await !watch.wait(after: start))
            #expect(loop.now >= start + .milliseconds(2))
        }
    }

    @Test func hangupAndTheEndDoNotWait() throws {
        try run(.seconds(3600)...(.seconds(3600))) { watch, _, loop in
            pthread_kill(pthread_self(), SIGHUP)
            #expect(await watch.wait(after: loop.now))
            loop.soon { watch.end() }
            #expect(await !watch.wait(after: loop.now))
        }
    }
}
