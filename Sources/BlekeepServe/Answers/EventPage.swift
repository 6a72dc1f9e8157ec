import BlekeepOutputs
import BlekeepRecords

/// Some readings as server-sent events. The number of an event is that of its reading.
struct EventPage: Sendable, Equatable {
    let bytes: [UInt8]
    /// The number that follows the page: its last reading, or the newest one if the history is another, older one.
    let last: Int64
    /// Whether more readings are there already.
    let isFull: Bool

    static let maxReadings = 256

    /// - Parameters:
    ///   - newest: the last number that the history gave.
    ///   - tags: those of the devices.
    init(_ readings: [StoredReading], newest: Int64, tags: DeviceTags = DeviceTags()) {
        var bytes: [UInt8] = []
        let writer = JSONLineWriter(tags: tags)
        for reading in readings {
            bytes += "id: \(reading.sequence)\ndata: ".utf8
            writer.append(reading, to: &bytes)
            bytes += "\n\n".utf8
        }
        self.bytes = bytes
        last = readings.last?.sequence ?? newest
        isFull = readings.count >= Self.maxReadings
    }

    /// What a client gets first: when to connect again, in milliseconds.
    static let greeting = Array("retry: 3000\n\n".utf8)
    /// A comment that shows that the connection is there.
    static let heartbeat = Array(": \n\n".utf8)
}
