import Logging

@testable import BlekeepRecords

/// A log that collects its lines for a test.
struct LogLines: LogHandler {
    var metadata = Logger.Metadata()
    var logLevel: Logger.Level
    let take: @Sendable (String) -> Void

    init(_ level: Logger.Level = .notice, _ take: @escaping @Sendable (String) -> Void) {
        logLevel = level
        self.take = take
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { take("\(event.message)") }
}

/// A stored reading without a value.
func makeStored(_ number: Int64) -> StoredReading {
    StoredReading(
        sequence: number,
        reading: Reading(
            time: 0, tick: 1, device: "a", address: BluetoothAddress(bits: 1), service: nil, characteristic: nil,
            name: "", outcome: .failure(ReadingFailure(code: .other("x"), message: "x"), raw: nil)))
}
