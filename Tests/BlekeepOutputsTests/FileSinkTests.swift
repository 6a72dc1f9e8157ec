import BlekeepRecords
import Foundation
import SampleReadings
import Testing

@testable import BlekeepOutputs

@Suite struct FileSinkTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("readings.ndjson")
    }

    private func sink(size: Int64 = 10 << 20, keep: Int = 4) -> FileSink {
        FileSink(SinkConfiguration.File(path: path, size: size, keep: keep))
    }

    private func readings(_ numbers: ClosedRange<Int64>) throws -> [LiveReading] {
        try numbers.map { LiveReading(sequence: $0, reading: try makeReading()) }
    }

    private func text(_ suffix: String = "") -> String {
        (try? String(contentsOfFile: path + suffix, encoding: .utf8)) ?? ""
    }

    /// The numbers in the file's lines, each of which must be whole.
    private func numbers(_ suffix: String = "") throws -> [Int64] {
        let text = text(suffix)
        #expect(text.isEmpty || text.hasSuffix("\n"))
        return try text.split(separator: "\n").map { line in
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            return try #require((object["seq"] as? NSNumber)?.int64Value)
        }
    }

    @Test func continuesAfterItsLastLineWhateverTheHistoryHolds() throws {
        do {
            let sink = sink()
            #expect(try sink.position(kept: 7) == 7)
            try sink.send(try readings(8...20))
        }
        #expect(try numbers() == Array(8...20))
        #expect(try sink().position(kept: 12) == 20)
        // A power cut took what the disk hadn't, but not what the history had.
        let lines = text().split(separator: "\n").prefix(5).map { "\($0)\n" }.joined()
        try lines.write(toFile: path, atomically: false, encoding: .utf8)
        #expect(try sink().position(kept: 20) == 12)
    }

    @Test func cutsALineThatACrashHasTorn() throws {
        try sink().send(try readings(1...5))
        let whole = text()
        for extra in ["{", #"{"time":"2026-11-21T03:18:00.123Z","seq":6"#, String(whole.split(separator: "\n")[0])] {
            try (whole + extra).write(toFile: path, atomically: false, encoding: .utf8)
            #expect(try sink().position(kept: 0) == 5)
            #expect(text() == whole)
        }
        // A power cut can leave zeros.
        try (whole + String(repeating: "\0", count: 5000)).write(toFile: path, atomically: false, encoding: .utf8)
        #expect(try sink().position(kept: 0) == 5)
        #expect(text() == whole)
        // The first line.
        try #"{"time":"2026"#.write(toFile: path, atomically: false, encoding: .utf8)
        #expect(try sink().position(kept: 3) == 3)
        #expect(text() == "")
    }

    @Test func leavesFilesAloneThatHoldSomethingElse() throws {
        for words in ["root:x:0:0:root:/root:/bin/bash\n", "{\"a\":1}\n{\"b\"", "no line"] {
            try words.write(toFile: path, atomically: false, encoding: .utf8)
            #expect(throws: UserError.self) { _ = try sink().position(kept: 0) }
            #expect(throws: UserError.self) { try sink().send(try readings(1...1)) }
            #expect(text() == words)
        }
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        for place in ["/dev/null", folder.file("pipe"), folder.path, folder.file("none/file")] {
            let sink = FileSink(SinkConfiguration.File(path: place))
            #expect(throws: UserError.self) { _ = try sink.position(kept: 0) }
        }
    }

    @Test func renamesAFullFileAndKeepsTheConfiguredNumber() throws {
        let sink = sink(size: 1000, keep: 2)
        _ = try sink.position(kept: 0)
        for number in stride(from: Int64(1), to: 60, by: 7) { try sink.send(try readings(number...number + 6)) }
        let all = try numbers(".2") + numbers(".1") + numbers()
        #expect(all == Array((all.first ?? 0)...63))
        #expect(try numbers(".1").count > 1)
        for suffix in ["", ".1", ".2"] { #expect(text(suffix).utf8.count <= 1000) }
        #expect(text(".3") == "")
    }

    /// A crash between two renames.
    @Test func losesNoFileByAHalfDoneRenaming() throws {
        do {
            let sink = sink(size: 1000, keep: 4)
            for number in 1...Int64(12) { try sink.send(try readings(number...number)) }
        }
        let before = try numbers(".2") + numbers(".1") + numbers()
        #expect(rename(path + ".2", path + ".3") == 0)
        #expect(rename(path + ".1", path + ".2") == 0)
        #expect(rename(path, path + ".1") == 0)
        let sink = sink(size: 1000, keep: 4)
        #expect(try sink.position(kept: 0) == 12)
        for number in 13...Int64(18) { try sink.send(try readings(number...number)) }
        let after = try numbers(".4") + numbers(".3") + numbers(".2") + numbers(".1") + numbers()
        #expect(after == before + Array(13...18))
    }

    @Test func goesOnInANewFileWhenAnotherProgramMovesIt() throws {
        let sink = sink()
        try sink.send(try readings(1...2))
        #expect(rename(path, path + ".old") == 0)
        try sink.send(try readings(3...4))
        #expect(unlink(path) == 0)
        try sink.send(try readings(5...6))
        #expect(try numbers(".old") == [1, 2])
        #expect(try numbers() == [5, 6])
    }

    @Test func isWrittenByOneProgramAtATime() throws {
        let first = sink()
        try first.send(try readings(1...2))
        let error = #expect(throws: UserError.self) { _ = try sink().position(kept: 0) }
        #expect(error?.description == "can't write \(path): another program is writing it")
        try first.send(try readings(3...3))
        #expect(try numbers() == [1, 2, 3])
    }

    /// As a child process has them between its fork and its exec.
    @Test func copiesOfItsDescriptorDoNotKeepTheLock() throws {
        let first = sink()
        try first.send(try readings(1...2))
        let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
            .filter { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path }
            .map { dup($0) }
        defer { for copy in copies { close(copy) } }
        first.end()
        #expect(copies.count == 1)
        #expect(try sink().position(kept: 0) == 2)
    }

    @Test func writesBreaksAsLinesThatCount() throws {
        let sink = sink()
        try sink.send(.missing(3...9))
        #expect(text() == "{\"missing\":{\"from_seq\":3,\"to_seq\":9}}\n")
        #expect(try FileSink(SinkConfiguration.File(path: path + "x")).position(kept: 1) == 1)
        try sink.send(.restarted(after: 4))
        #expect(text().hasSuffix("\n{\"restarted\":{\"after_seq\":4}}\n"))
        #expect(try sink.position(kept: 0) == 4)
    }

    @Test(arguments: hostileTexts) func findsItsNumberInLinesThatAPeripheralFilled(text: String) throws {
        let reading = try makeReading(makeValue(.text(text)), device: text, name: text)
        let line = JSONLineWriter().line(StoredReading(sequence: 1234, reading: reading))
        #expect(FileSink.number(in: Array(line.utf8)[...]) == 1234)
        #expect(FileSink.number(in: Array(line.utf8).dropLast()[...]) == nil)
    }
}
