import BlekeepRecords

/// Newline-delimited JSON: one object a line, its keys always in the same order.
///
/// ```json
/// {"time":"2026-11-21T03:18:00.123Z","seq":17,"tick":3,"device":"greenhouse","address":"F0:00:00:00:00:01",
///  "service":"181a","characteristic":"2a6e","name":"Temperature","field":"temperature","value":21.93,
///  "unit":"°C","raw":"9108"}
/// ```
/// `"seq":null` means that the history can't take the reading yet.
/// A special value has `"value":null,"state":"unknown"`. A failed read has `"error":{"code":…,"message":…}` instead of
/// field, value and unit, and `raw` only if there were bytes. A failure of the whole device has no service,
/// characteristic and name. A value that a recipe asked for has `"recipe":"jbd"` in place of both UUIDs. The second and further characteristics of the same UUID have an `instance`, and its number
/// after the field: `"instance":2`, `"field":"temperature#2"`. `"clock":"not_set"` after the time marks a reading from
/// before the machine's clock was set. A device with tags has `"tags":["cellar"]` after its address, and a gateway with a
/// name `"gateway":"house"` after that.
package struct JSONLineWriter: LineWriter {
    private let tags: DeviceTags

    package init(tags: DeviceTags = DeviceTags()) { self.tags = tags }

    package func append(_ live: LiveReading, to bytes: inout [UInt8]) {
        Self.table.append(TaggedReading(live, tags), to: &bytes)
    }

    /// A reading with the tags of all devices, and its outcome taken apart.
    package struct TaggedReading {
        fileprivate let sequence: Int64?
        fileprivate let reading: Reading
        fileprivate let tags: DeviceTags
        fileprivate let value: Measurement?
        fileprivate let failure: ReadingFailure?
        fileprivate let raw: [UInt8]?

        fileprivate init(_ live: LiveReading, _ tags: DeviceTags) {
            (sequence, reading, self.tags) = (live.sequence, live.reading, tags)
            switch live.reading.outcome {
            case .value(let measurement, let raw): (value, failure, self.raw) = (measurement, nil, raw)
            case .failure(let failure, let raw): (value, self.failure, self.raw) = (nil, failure, raw)
            }
        }
    }

    package static let table = JSONTable<TaggedReading>([
        .alwaysWritten("time", schema: .schema("string", meaning: "When the value arrived, in UTC.")) { (it, bytes) in
            bytes.append(UInt8(ascii: "\""))
            UTCTime(milliseconds: it.reading.time).appendISO(to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        },
        .maybeWritten("clock", schema: .schema(oneOf: ["not_set"], "The clock of the machine wasn't set yet.")) {
            text($0.reading.isClockSet ? nil : "not_set", to: &$1)
        },
        .maybeWritten(
            "logged", schema: .schema("boolean", meaning: "true: the device kept the value in its own memory.")
        ) {
            if $0.reading.isLogged { $1.append(text: "true") }
            return $0.reading.isLogged
        },
        .alwaysWritten(
            "seq",
            schema: .schema(
                "integer", meaning: "The number in the history; null while it can't take the reading.", more: nullable)
        ) {
            JSONText.append(measured: $0.sequence.map { .integer($0) }, to: &$1)
        },
        .alwaysWritten(
            "tick",
            schema: .schema("integer", meaning: "The device's tick; 0 for a value that the device sent by itself.")
        ) {
            $1.append(integer: Int64($0.reading.tick))
        },
        .alwaysWritten("device", schema: .schema("string", meaning: "The alias, or the address.")) {
            JSONText.append($0.reading.device, to: &$1)
        },
        .alwaysWritten("address", schema: .schema("string")) {
            JSONText.append($0.reading.address.description, to: &$1)
        },
        .maybeWritten("tags", schema: .schema(arrayOf: .schema("string"))) {
            let tags = $0.tags[$0.reading.id]
            if !tags.isEmpty { JSONText.append(.list(tags.map { .text($0) }), to: &$1) }
            return !tags.isEmpty
        },
        .maybeWritten("gateway", schema: .schema("string", meaning: "The name of the gateway that has the history.")) {
            text($0.tags.gateway, to: &$1)
        },
        .maybeWritten("service", schema: .schema("string", meaning: "A UUID.")) {
            text($0.reading.service?.description, to: &$1)
        },
        .maybeWritten("characteristic", schema: .schema("string", meaning: "A UUID.")) {
            text($0.reading.characteristic?.description, to: &$1)
        },
        .maybeWritten(
            "recipe",
            schema: .schema("string", meaning: "The recipe that asked the device, in place of a characteristic.")
        ) {
            text($0.reading.recipe, to: &$1)
        },
        .maybeWritten(
            "instance", schema: .schema("integer", meaning: "2 or more for further characteristics of the same UUID.")
        ) {
            guard $0.reading.characteristic != nil, $0.reading.instance != 1 else { return false }
            $1.append(integer: Int64($0.reading.instance))
            return true
        },
        .maybeWritten("name", schema: .schema("string")) {
            text($0.reading.characteristic == nil && $0.reading.recipe == nil ? nil : $0.reading.name, to: &$1)
        },
        .maybeWritten("field", schema: .schema("string")) {
            let reading = $0.reading
            return text($0.value.map { Reading.fieldLabel($0.field, instance: reading.instance) }, to: &$1)
        },
        .maybeWritten(
            "value",
            schema: .schema(nil, meaning: "A number, text, Boolean or list; null for a special value.", more: nullable)
        ) {
            guard let value = $0.value else { return false }
            JSONText.append(measured: value.value, to: &$1)
            return true
        },
        .maybeWritten("state", schema: .schema("string", meaning: "The meaning of a special value.")) {
            text($0.value?.state, to: &$1)
        },
        .maybeWritten("unit", schema: .schema("string", meaning: "The symbol of the value's unit.")) {
            text($0.value?.unit, to: &$1)
        },
        .maybeWritten("error", schema: failure.schema) {
            guard let reason = $0.failure else { return false }
            failure.append(reason, to: &$1)
            return true
        },
        .maybeWritten("raw", schema: .schema("string", meaning: "The bytes in hex digits.")) {
            guard let raw = $0.raw else { return false }
            $1.append(UInt8(ascii: "\""))
            $1.append(hex: raw)
            $1.append(UInt8(ascii: "\""))
            return true
        },
    ])

    private static let failure = JSONTable<ReadingFailure>([
        .alwaysWritten("code", schema: .schema("string")) { JSONText.append($0.code.rawValue, to: &$1) },
        .alwaysWritten("message", schema: .schema("string", meaning: "A sentence.")) {
            JSONText.append($0.message, to: &$1)
        },
    ])

    private static let nullable: KeyValuePairs<String, JSON?> = ["nullable": true]

    private static func text(_ text: String?, to bytes: inout [UInt8]) -> Bool {
        guard let text else { return false }
        JSONText.append(text, to: &bytes)
        return true
    }
}
