import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// An array of devices of a status, each as in `status --json`, with its newest readings.
struct DeviceList {
    private var list = BracketedList()

    /// A device that changes its characteristics with each read has many series.
    static let mostReadings = 256

    private let report: StatusReport
    private let writer: JSONLineWriter

    init(_ report: StatusReport, tags: DeviceTags = DeviceTags()) {
        self.report = report
        writer = JSONLineWriter(tags: tags)
    }

    mutating func add(_ device: StoredDeviceStatus, _ newest: [StoredReading]) {
        let text = report.json(device).text
        var readings = BracketedList()
        for reading in newest.suffix(Self.mostReadings) { readings.add { writer.append(reading, to: &$0) } }
        list.add { bytes in
            bytes += text.utf8.dropLast()
            bytes += ",\"latest\":".utf8
            bytes += readings.end()
            bytes.append(UInt8(ascii: "}"))
        }
    }

    var bytes: [UInt8] { list.end() + [UInt8(ascii: "\n")] }
}

/// An array of JSON that is written element by element.
struct BracketedList {
    private(set) var bytes: [UInt8] = [UInt8(ascii: "[")]
    private var isEmpty = true

    mutating func add(_ write: (inout [UInt8]) -> Void) {
        if !isEmpty { bytes += ",\n".utf8 }
        isEmpty = false
        write(&bytes)
    }

    func end() -> [UInt8] { bytes + [UInt8(ascii: "]")] }

    /// Returns the bytes so far, and forgets them.
    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}
