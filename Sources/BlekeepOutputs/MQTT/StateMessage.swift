import BlekeepRecords
import RunLoop

/// The values of one device in one tick, as a JSON object:
///
/// ```json
/// {"time":"2026-11-21T03:18:00.123Z","from_seq":17,"seq":18,"tick":3,"181a_2a6e_temperature":21.93,
///  "180f_2a19_battery_level":null,"errors":{"180f_2a19":"Timeout"}}
/// ```
/// A device with tags has `"tags":["cellar"]`, too, and one that is heard `"rssi":-71`. In a fleet, each has `"gateway":"attic"`. A field whose characteristic failed is `null`, as is one with a special value.
struct StateMessage {
    let device: DeviceID
    private(set) var fields: [FieldKey] = []
    private var values: [(key: String, value: JSON?)] = []
    private var errors: [(key: String, value: JSON?)] = []
    /// The number of readings.
    private(set) var count = 0
    private var first: LiveReading
    private var last: LiveReading

    init(_ first: LiveReading) {
        device = first.reading.id
        self.first = first
        last = first
    }

    /// Adds a reading.
    ///
    /// - Parameter fields: the fields that its characteristic has had, for one that failed.
    /// - Returns: whether it belongs into this message; otherwise the next one begins.
    mutating func add(_ live: LiveReading, fields known: [FieldKey]) -> Bool {
        let reading = live.reading
        guard reading.id == device, reading.tick == first.reading.tick else { return false }
        switch reading.outcome {
        case .value(let measurement, _):
            let key = FieldKey(reading, field: measurement.field)
            guard !fields.contains(key) else { return false }
            add(key, value: measurement.value)
        case .failure(let failure, _):
            for key in known where !fields.contains(key) { add(key, value: nil) }
            let point = [reading.service?.description, reading.characteristic?.description, reading.recipe]
                .compactMap(\.self)
            errors.append((point.isEmpty ? "device" : point.joined(separator: "_"), .text(failure.code.rawValue)))
        }
        last = live
        count += 1
        return true
    }

    private mutating func add(_ key: FieldKey, value: MeasuredValue?) {
        fields.append(key)
        values.append((key.description, .measured(value)))
    }

    /// - Parameters:
    ///   - tags: the device's.
    ///   - gateway: the gateway that read it; only in a fleet.
    ///   - rssi: its signal strength in dBm, if known.
    func payload(tags: [String] = [], gateway: String? = nil, rssi: Int? = nil) -> [UInt8] {
        let isStored = first.sequence != nil && last.sequence != nil
        let head: [(key: String, value: JSON?)] = [
            ("time", .text(UTCTime(milliseconds: last.reading.time).iso)),
            ("clock", last.reading.isClockSet ? nil : "not_set"),
            ("from_seq", isStored ? .integer(first.sequence.map { Int($0) }) : nil),
            ("seq", isStored ? .integer(last.sequence.map { Int($0) }) : nil), ("tick", .integer(last.reading.tick)),
        ]
        let tail: [(key: String, value: JSON?)] = [
            ("gateway", .text(gateway)), ("rssi", .integer(rssi)), ("errors", errors.isEmpty ? nil : .object(errors)),
            ("tags", tags.isEmpty ? nil : .array(tags.map { .text($0) })),
        ]
        return JSON.object(head + values + tail).bytes
    }

    /// Messages for readings, in their order.
    static func messages(_ readings: [LiveReading], fields: (LiveReading) -> [FieldKey]) -> [StateMessage] {
        var messages: [StateMessage] = []
        for reading in readings {
            let known = fields(reading)
            if messages.last != nil, messages[messages.count - 1].add(reading, fields: known) { continue }
            var message = StateMessage(reading)
            _ = message.add(reading, fields: known)
            messages.append(message)
        }
        return messages
    }
}

/// The last message of each device, and when it was published.
struct PublishedStates {
    private var all: [DeviceID: (message: StateMessage, at: Uptime)] = [:]

    subscript(device: DeviceID) -> StateMessage? { all[device]?.message }

    mutating func published(_ message: StateMessage, at now: Uptime) { all[message.device] = (message, now) }

    /// Returns a message that has used up half of its life.
    func aging(of device: DeviceID, lifetime: Duration, at now: Uptime) -> StateMessage? {
        all[device].flatMap { now - $0.at >= lifetime / 2 ? $0.message : nil }
    }
}
