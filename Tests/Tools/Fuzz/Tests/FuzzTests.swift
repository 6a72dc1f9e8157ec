import DBus
import Foundation
import Fuzzing
import Testing

/// A sample of `blekeep-fuzz`. With `FUZZ_INPUTS=1000000`, all inputs, and the command's subjects, too.
@Suite(.serialized) struct FuzzTests {
    private static let inputs = ProcessInfo.processInfo.environment["FUZZ_INPUTS"].flatMap { Int($0) }

    /// All subjects, or the ones whose names begin with `FUZZ_SUBJECT`.
    private static let names = (Subject.all + Subject.commands).map(\.name).filter {
        $0.hasPrefix(ProcessInfo.processInfo.environment["FUZZ_SUBJECT"] ?? "")
    }

    @Test(arguments: names) func survives(name: String) throws {
        let subject = try #require((Subject.all + Subject.commands).first { $0.name == name })
        let result = Meter.run(subject, inputs: Self.inputs ?? 30 * subject.share, seed: 1)
        // Time and memory are meaningful only when nothing else runs in the process.
        let wrong = result.problems.filter { Self.inputs != nil || !$0.hasSuffix(" ms") && !$0.hasSuffix(" KiB") }
        #expect(wrong == [])
        guard Self.inputs != nil else { return }
        print("\(name): \(result.inputs) inputs, slowest \(result.slowest * 1000) ms, +\(result.growth / 1024) KiB")
    }

    @Test(arguments: Flood.all.map(\.name)) func floodsAreForgotten(name: String) async throws {
        let flood = try #require(Flood.all.first { $0.name == name })
        let outcome = try await flood.run(3000)
        #expect(outcome.isGood, "\(outcome.text)")
    }

    /// A generator must make some messages that libdbus accepts.
    @Test func brokenMessagesAreStillRead() {
        var dice = Dice(seed: 1)
        let read = (0..<2000).count { _ in WireMessage.read(Subject.message(&dice)) != nil }
        #expect(read > 200)
        #expect(read < 2000)
    }
}
