import BlekeepRecords
import Foundation
import RunLoop
import SampleReadings
import Synchronization
import Testing

@testable import BlekeepHistory

/// Changes of a history, from the kernel.
@Suite struct HistoryFollowerTests {
    /// Runs `body` on a loop in real time, with a gate that opens for each report.
    private func follow(
        _ name: String, _ body: @escaping @Sendable (TemporaryFolder, String, Gate) async throws -> Void
    ) throws {
        let folder = UncheckedFolder(try TemporaryFolder())
        let loop = try RunLoop()
        try loop.run {
            let path = folder.value.file(name)
            let gate = Gate(loop)
            let follower = HistoryFollower(path: path, on: loop) { gate.open() }
            follower.start()
            try await body(folder.value, path, gate)
            follower.stop()
        }
        loop.abandon()
    }

    private struct UncheckedFolder: @unchecked Sendable {
        let value: TemporaryFolder
        init(_ value: TemporaryFolder) { self.value = value }
    }

    private static func remove(_ path: String) {
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    }

    @Test func reportsEachCommitOfAHistoryThatComesLater() throws {
        try follow("history.sqlite") { _, path, gate in
            let history = try History(path: path)
            await gate.wait()
            for number in 1...3 {
                _ = try history.append([try makeReading()], durable: number == 2)
                await gate.wait()
            }
        }
    }

    @Test func findsAHistoryInFoldersThatComeLater() throws {
        try follow("one/two/history.sqlite") { _, path, gate in
            let history = try History(path: path)
            await gate.wait()
            _ = try history.append([try makeReading()], durable: false)
            await gate.wait()
        }
    }

    @Test func followsAHistoryThatTookThePlaceOfAnother() throws {
        try follow("history.sqlite") { folder, path, gate in
            try History(path: path).close()
            await gate.wait()
            // The reader of a server still has the old file open.
            var reader = KeptReader(path: path)
            #expect(try reader.read { try $0.lastSequence() } == 0)
            Self.remove(path)
            await gate.wait()
            let other = try History(path: path)
            _ = try other.append([try makeReading(), try makeReading()], durable: false)
            await gate.wait()
            #expect(try reader.read { try $0.lastSequence() } == 2)
        }
    }

    @Test func ignoresOtherFilesInTheFolder() throws {
        let reports = Mutex(0)
        let folder = UncheckedFolder(try TemporaryFolder())
        let loop = try RunLoop()
        try loop.run {
            let follower = HistoryFollower(path: folder.value.file("history.sqlite"), on: loop) {
                reports.withLock { $0 += 1 }
            }
            follower.start()
            try folder.value.write("x", to: "history.sqlite.notices")
            HistoryWatch.look(at: folder.value.file("history.sqlite"))
            try await loop.sleep(until: loop.now + HistoryFollower.pause * 2)
            follower.stop()
        }
        #expect(reports.withLock { $0 } == 0)
        loop.abandon()
    }
}
