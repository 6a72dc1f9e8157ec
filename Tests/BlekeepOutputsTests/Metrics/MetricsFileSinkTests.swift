import BlekeepRecords
import Foundation
import RunLoop
import SampleReadings
import Testing

import class RunLoop.RunLoop

@testable import BlekeepOutputs

/// The file for node_exporter, in virtual time.
@Suite struct MetricsFileSinkTests: @unchecked Sendable {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var file: String { folder.file("new/blekeep.prom") }

    private func text() -> String? { try? String(contentsOfFile: file, encoding: .utf8) }

    private func temperature() -> Substring? {
        text()?.split(separator: "\n").first { $0.hasPrefix("blekeep_temperature") }?.split(separator: " ").last
    }

    /// - Returns: the failures that the sink reported, `""` for its recovery.
    @discardableResult
    private func tell(
        hasFolder: Bool = true, _ story: @escaping @Sendable (MetricsFileSink, RunLoop) async throws -> Void
    ) throws -> [String] {
        if hasFolder { try makeFolder() }
        let loop = try RunLoop(.virtual)
        let device = DeviceConfiguration(alias: nil, address: BluetoothAddress(bits: 0xF000_0000_0001))
        nonisolated(unsafe) var reports: [String] = []
        let sink = MetricsFileSink(
            MetricsConfiguration(folder: folder.file("new")), for: PollConfiguration(devices: [device]), version: "1",
            on: loop
        ) { reports.append($0.map { "\($0)" } ?? "") }
        try loop.run { try await story(sink, loop) }
        return reports
    }

    private func makeFolder() throws {
        try FileManager.default.createDirectory(atPath: folder.file("new"), withIntermediateDirectories: false)
    }

    private static func readings(_ value: Double) throws -> [LiveReading] {
        [LiveReading(sequence: 1, reading: try makeReading(makeValue(.number(value))))]
    }

    @Test func writesAtOnceAndThenAtMostEvery15Seconds() throws {
        try tell { sink, loop in
            try sink.send(Self.readings(1))
            try await loop.sleep(until: .start + .milliseconds(1))
            #expect(self.temperature() == "1")
            for second in 1...20 {
                try await loop.sleep(until: .start + .seconds(second))
                try sink.send(Self.readings(Double(second)))
                #expect(self.temperature() == (second < 15 ? "1" : "14"))
            }
            try await loop.sleep(until: .start + .seconds(31))
            #expect(self.temperature() == "20")
        }
    }

    @Test func writesNothingWithoutNews() throws {
        try tell { sink, loop in
            try sink.send(Self.readings(1))
            try await loop.sleep(until: .start + .seconds(1))
            try FileManager.default.removeItem(atPath: self.file)
            sink.note(LedgerChanges(), nil)
            try await loop.sleep(until: .start + .seconds(119))
            #expect(self.text() == nil)
        }
    }

    @Test func dropsAStaleValueWithoutAnyNews() throws {
        try tell { sink, loop in
            try sink.send(Self.readings(1))
            try await loop.sleep(until: .start + .seconds(119))
            #expect(self.temperature() == "1")
            try await loop.sleep(until: .start + .seconds(121))
            #expect(self.temperature() == nil)
            #expect(self.text()?.contains("blekeep_build_info") == true)
        }
    }

    @Test func showsWhatTheLedgerSays() throws {
        try tell { sink, loop in
            sink.note(LedgerChanges(poller: GatewayStatus(pid: 1, started: 5000, seen: 0)), nil)
            try await loop.sleep(until: .start + .seconds(1))
            #expect(self.text()?.contains("blekeep_start_timestamp_seconds 5\n") == true)
        }
    }

    /// node_exporter runs as another user, and reads all `*.prom`.
    @Test func everyUserCanReadTheFileAndNoOtherRemains() throws {
        try tell { sink, loop in
            try sink.send(Self.readings(1))
            try await loop.sleep(until: .start + .seconds(1))
            var status = stat()
            #expect(stat(self.file, &status) == 0 && status.st_mode & 0o777 == 0o644)
            #expect(try FileManager.default.contentsOfDirectory(atPath: self.folder.file("new")) == ["blekeep.prom"])
        }
    }

    @Test func removesTheFileAtTheEnd() throws {
        try tell { sink, loop in
            try sink.send(Self.readings(1))
            try await loop.sleep(until: .start + .seconds(1))
            try sink.send(Self.readings(2))
            sink.end()
            #expect(self.text() == nil)
            try await loop.sleep(until: .start + .seconds(60))
            #expect(self.text() == nil)
        }
    }

    @Test func reportsAMissingFolderOnceAndContinuesWithTheNewestValue() throws {
        let reports = try tell(hasFolder: false) { sink, loop in
            try sink.send(Self.readings(1))
            try await loop.sleep(until: .start + .seconds(60))
            #expect(sink.failure?.hasSuffix("there is no such folder; make it") == true)
            try sink.send(Self.readings(2))
            try await loop.sleep(until: .start + .seconds(70))
            try self.makeFolder()
            try await loop.sleep(until: .start + .seconds(90))
            #expect(self.temperature() == "2")
            #expect(sink.failure == nil)
        }
        #expect(reports.count == 2)
        #expect(reports.first?.hasSuffix("blekeep.prom: there is no such folder; make it") == true)
        #expect(reports.last == "")
    }

    /// What a killed process left would otherwise stop another one with the same number, such as 1 in a container.
    @Test func replacesThePartOfAKilledProcess() throws {
        try makeFolder()
        try "half".write(toFile: "\(file).part-\(getpid())", atomically: false, encoding: .utf8)
        let reports = try tell(hasFolder: false) { sink, loop in
            try sink.send(Self.readings(1))
            try await loop.sleep(until: .start + .seconds(1))
            #expect(self.temperature() == "1")
        }
        #expect(reports.isEmpty)
    }

    @Test func leavesAnythingButAPlainFileAlone() throws {
        try makeFolder()
        #expect(symlink("/dev/null", file) == 0)
        let reports = try tell(hasFolder: false) { sink, loop in
            try sink.send(Self.readings(1))
            try await loop.sleep(until: .start + .seconds(1))
            sink.end()
        }
        #expect(reports.first?.hasSuffix("it isn't a plain file") == true)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file) == "/dev/null")
    }
}
