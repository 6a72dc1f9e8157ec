import BlekeepRecords
import Foundation
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepOutputs

@Suite struct LineSinkTests {
    @Test func writesAHeaderOnceAndALineForEachReading() throws {
        let folder = try TemporaryFolder()
        let descriptor = open(folder.file("out.csv"), O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        let sink = LineSink(to: OutputWriter(descriptor), writer: CSVLineWriter())
        try sink.send([try makeLive(makeFailure()), try makeLive(makeValue(.integer(1)))])
        try sink.send([try makeLive(makeFailure())])
        let lines = try String(contentsOfFile: folder.file("out.csv"), encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.filter { $0.hasPrefix("time,") }.count == 1)
    }

    @Test func throwsSinkClosedAfterTheReaderHasClosedThePipe() throws {
        let pipe = try Pipe()
        pipe.closeReading()
        let sink = LineSink(to: OutputWriter(pipe.writing), writer: JSONLineWriter())
        #expect(throws: SinkClosed()) { try sink.send([try makeLive(makeFailure())]) }
    }

    @Test func saysWhatElseIsWrong() throws {
        let descriptor = open("/dev/full", O_WRONLY)
        defer { close(descriptor) }
        let sink = LineSink(to: OutputWriter(descriptor), writer: JSONLineWriter())
        let error = #expect(throws: SinkFailure.self) { try sink.send([try makeLive(makeFailure())]) }
        #expect(error?.description == "can't write the output: the disk is full; make room")
    }

    @Test func dropsWholeLinesWhileTheReaderIsStalledAndCountsThem() throws {
        let pipe = try Pipe()
        let output = OutputWriter(pipe.writing)
        output.attach(to: try RunLoop(.virtual), limit: 20_000)
        let sink = LineSink(to: output, writer: JSONLineWriter())
        let batch = try (0..<2000).map { index in
            LiveReading(sequence: Int64(index), reading: try makeReading())
        }
        try sink.send(batch)
        let missed = try #require(sink.missed)
        #expect(missed.isStalled)
        var text = pipe.drain()
        try sink.send([])
        text += pipe.drain()
        try sink.send([LiveReading(sequence: 9999, reading: try makeReading())])
        text += pipe.drain()
        let lines = text.split(separator: "\n")
        for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        #expect(lines.last?.contains("\"seq\":9999,") == true)
        #expect(lines.dropLast().enumerated().allSatisfy { $1.contains("\"seq\":\($0),") })
        #expect(lines.count == 2001 - missed.count)
        #expect(sink.missed == MissedLines(count: missed.count, isStalled: false))
    }

    /// A pipe(2) whose reading end never blocks.
    private final class Pipe {
        let writing: Int32
        private var reading: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            (reading, writing) = (ends[0], ends[1])
            _ = fcntl(reading, F_SETFL, O_NONBLOCK)
        }

        deinit {
            closeReading()
            close(writing)
        }

        func closeReading() {
            if reading >= 0 { close(reading) }
            reading = -1
        }

        func drain() -> String {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65536)
            while case let count = read(reading, &buffer, buffer.count), count > 0 { bytes += buffer.prefix(count) }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
