import BlekeepRecords

/// Appends every reading to a file as a line of JSON (`JSONLineWriter`), and renames the file when it is full.
///
/// The last line of the file is the sink's position, even if the history has another one. So no reading is written twice
/// or left out after a crash. Gaps in the readings have separate lines:
/// `{"missing":{"from_seq":17,"to_seq":99}}` and `{"restarted":{"after_seq":99}}`.
package final class FileSink: Sink {
    package let name = "file"
    package let delivery = SinkDelivery.ordered
    private let file: RotatedFile
    private let writer: JSONLineWriter
    /// The number in the last line that was written.
    private var last: Int64?

    package init(_ configuration: SinkConfiguration.File, tags: DeviceTags = DeviceTags()) {
        writer = JSONLineWriter(tags: tags)
        file = RotatedFile(configuration.path, size: configuration.size, keep: configuration.keep)
    }

    package func position(kept: Int64) throws -> Int64 {
        if let line = try file.open(isOurs: { Self.number(in: $0) != nil }) { last = Self.number(in: line) ?? last }
        return last ?? kept
    }

    package func send(_ readings: [LiveReading], isLive: Bool, key: Int?) throws {
        var lines: [(bytes: [UInt8], sequence: Int64)] = []
        for reading in readings {
            guard let sequence = reading.sequence else { continue }
            var line: [UInt8] = []
            writer.append(reading, to: &line)
            line.append(UInt8(ascii: "\n"))
            lines.append((line, sequence))
        }
        try write(lines)
    }

    package func send(_ break: LogBreak) throws {
        switch `break` {
        case .missing(let range):
            let text = "{\"missing\":{\"from_seq\":\(range.lowerBound),\"to_seq\":\(range.upperBound)}}\n"
            try write([(Array(text.utf8), range.upperBound)])
        case .restarted(let sequence):
            try write([(Array("{\"restarted\":{\"after_seq\":\(sequence)}}\n".utf8), sequence)])
        }
    }

    package func end() { file.close() }

    /// Writes as many lines at a time as the file has room for.
    private func write(_ lines: [(bytes: [UInt8], sequence: Int64)]) throws {
        try file.reopenIfMoved { Self.number(in: $0) != nil }
        var rest = lines[...]
        while !rest.isEmpty {
            var bytes: [UInt8] = []
            var sequence = last
            while let next = rest.first, bytes.isEmpty || file.hasRoom(for: bytes.count + next.bytes.count) {
                bytes += next.bytes
                sequence = next.sequence
                rest.removeFirst()
            }
            try file.append(bytes)
            last = sequence
        }
    }

    // MARK: Lines read back

    private static let keys = [
        (start: Array(#"{"time":""#.utf8), key: Array(#","seq":"#.utf8)),
        (start: Array(#"{"missing":{"#.utf8), key: Array(#","to_seq":"#.utf8)),
        (start: Array(#"{"restarted":{"#.utf8), key: Array(#""after_seq":"#.utf8)),
    ]

    /// Returns the sequence number in a line; `nil` if it isn't a whole line of this sink.
    static func number(in line: ArraySlice<UInt8>) -> Int64? {
        guard line.last == UInt8(ascii: "}"), !line.contains(0),
            let key = keys.first(where: { line.starts(with: $0.start) })?.key
        else { return nil }
        // It comes before anything that a peripheral chose.
        for index in line.indices.prefix(80) where line[index...].starts(with: key) {
            let digits = line[(index + key.count)...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return Int64(String(decoding: digits, as: UTF8.self))
        }
        return nil
    }
}
