import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// An array of devices of a status, each as in `status --json`, with its newest readings.
struct DeviceList {
    private var list = BracketedList()

    /// A device that changes its characteristics with each read has many series.
    static let maxReadings = 256

    private let report: StatusReport
    private let writer: JSONLineWriter

    init(_ report: StatusReport, tags: DeviceTags = DeviceTags()) {
        self.report = report
        writer = JSONLineWriter(tags: tags)
    }

    mutating func add(_ device: DeviceStatus, newest: [StoredReading]) {
        let entry = Entry(
            device: .init(report: report, status: device), newest: newest.suffix(Self.maxReadings), writer: writer)
        list.add { Self.table.append(entry, to: &$0) }
    }

    struct Entry {
        fileprivate let device: StatusReport.ReportedDevice
        fileprivate let newest: ArraySlice<StoredReading>
        fileprivate let writer: JSONLineWriter
    }

    static let table = JSONTable<Entry>(
        StatusReport.deviceTable.fields.map { $0.of(\.device) } + [
            .alwaysWritten("latest", schema: .schema(arrayOf: OpenAPI.reference("Reading"))) { (entry, bytes) in
                var readings = BracketedList()
                for reading in entry.newest { readings.add { entry.writer.append(reading, to: &$0) } }
                bytes += readings.end()
            }
        ])

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
    mutating func finish() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}
