extension Recipe {
    /// What a device keeps in its own memory, and how to ask for it, so that the history has no gap when blekeep or the device was
    /// away.
    ///
    /// One request says since when. The device sends a packet for each value, until one that means the end.
    package struct Log: Sendable, Hashable {
        /// The format of the advertised values that its fields go on from; `nil` for those that the recipe's steps read.
        package var fills: BroadcastFormat?
        /// How long the device keeps a record.
        package var holds: Duration = .seconds(86_400)
        /// The time between two records.
        package var every: Duration = .seconds(300)
        /// How many earlier records each request asks for again, to compare them.
        package var overlap = 2
        /// The maximum time of one download.
        package var session: Duration = .seconds(240)
        /// The maximum time without a packet.
        package var within: Duration = .seconds(15)
        package var request: Write
        /// The characteristic that notifies the packets.
        package var source: RecipeCharacteristic
        package var endian = Endian.little
        /// The number of bytes of a packet with a value.
        package var size: Int
        /// What packets that mean nothing here start with, what ends the log, and what says that the device gave up.
        package var skip: [[UInt8?]] = []
        package var end: [UInt8?] = []
        package var fail: [UInt8?] = []
        /// The first byte of a record's time, which has four: seconds since 1970 by the clock that the request has.
        package var timeAt = 0
        package var kinds: [Kind] = []

        /// The packets of one quantity.
        package struct Kind: Sendable, Hashable {
            package var start: [UInt8?]
            package var fields: [RecipeField]

            package init(start: [UInt8?], fields: [RecipeField]) {
                self.start = start
                self.fields = fields
            }
        }

        package init(_ request: Write, from source: RecipeCharacteristic, size: Int) {
            self.request = request
            self.source = source
            self.size = size
        }

        /// The maximum number of records of one download.
        package static let maxRecords = 16_384

        /// The fields that it fills, with their units.
        package var fields: [Field] { kinds.flatMap(\.fields).filter { !$0.isHidden }.map(\.field) }

        /// Returns the bytes that ask for the records since a time.
        ///
        /// - Parameters:
        ///   - now: seconds since 1970, as `since`.
        package func bytes(now: Int64, since: Int64) -> [UInt8] {
            var context = RequestContext()
            (context.unixTime, context.since) = (now, max(0, since))
            return request.bytes.bytes(context).map { $0 ?? 0 }
        }

        /// Whether a packet means nothing here.
        package func skips(_ packet: [UInt8]) -> Bool { skip.contains { Self.starts(packet, with: $0) } }

        fileprivate static func starts(_ packet: [UInt8], with pattern: [UInt8?]) -> Bool {
            !pattern.isEmpty && packet.count >= pattern.count && FrameRule.starts(packet, with: pattern)
        }
    }

    /// Whether a request starts as one that clears the device's memory, or could do so. Such bytes are never sent.
    package func mayClear(_ request: [Piece]) -> Bool {
        let known = request.knownBytes
        return clears.contains { pattern in
            known.count >= pattern.count && zip(known, pattern).allSatisfy { $0 == nil || $1 == nil || $0 == $1 }
        }
    }
}

extension [Recipe.Piece] {
    /// The bytes of a request; `nil` for those that aren't known before it is sent.
    fileprivate var knownBytes: [UInt8?] {
        flatMap { piece -> [UInt8?] in
            switch piece {
            case .bytes(let bytes): bytes
            case .any: [nil]
            case .number(_, let bits, _, _): Array<UInt8?>(repeating: nil, count: bits / 8)
            case .check(let check, _, _): Array<UInt8?>(repeating: nil, count: check.size)
            case .nonce(let count): Array<UInt8?>(repeating: nil, count: count)
            // Its length is the user's.
            case .secret: Array<UInt8?>(repeating: nil, count: 512)
            }
        }
    }
}

/// The records of one download, as its packets come. Pure.
///
/// The device's bytes may be cut, doubled, lost or in another order, and its times absurd: what doesn't fit is counted, and left
/// out.
package struct LogDownload: Sendable {
    /// The values of one time.
    package struct Record: Sendable, Hashable {
        /// Seconds since 1970.
        package var time: Int64
        package var measurements: [Measurement]
        package var raw: [UInt8]
    }

    package enum State: Sendable, Hashable {
        case open
        /// The device sent all that it has.
        case complete
        /// The device gave up.
        case failed
    }

    /// How many packets weren't taken.
    package struct Counts: Sendable, Hashable {
        package var skipped = 0
        /// Another length or start than a packet has, or values that can't be.
        package var flawed = 0
        /// After the request's now, or long before its since.
        package var absurd = 0
        package var doubled = 0
        /// Beyond `Recipe.Log.maxRecords`.
        package var tooMany = 0
    }

    package let log: Recipe.Log
    /// Those of the request, in seconds since 1970.
    package let now, since: Int64
    package private(set) var state = State.open
    package private(set) var counts = Counts()
    private var found: [Int64: [Part?]] = [:]

    private struct Part: Sendable {
        var measurements: [Measurement]
        var raw: [UInt8]
    }

    package init(_ log: Recipe.Log, now: Int64, since: Int64) {
        self.log = log
        self.now = now
        self.since = since
    }

    package var isOver: Bool { state != .open }
    /// The number of different times so far.
    package var count: Int { found.count }

    /// Takes a packet.
    package mutating func receive(_ packet: [UInt8]) {
        guard state == .open else { return }
        func starts(with pattern: [UInt8?]) -> Bool { Recipe.Log.starts(packet, with: pattern) }
        if log.skips(packet) {
            counts.skipped += 1
        } else if starts(with: log.end) {
            state = .complete
        } else if starts(with: log.fail) {
            state = .failed
        } else if packet.count == log.size, let kind = log.kinds.firstIndex(where: { starts(with: $0.start) }) {
            take(packet, kind: kind)
        } else {
            counts.flawed += 1
        }
    }

    private mutating func take(_ packet: [UInt8], kind: Int) {
        guard let time = time(in: packet), let values = try? values(in: packet, kind: kind) else {
            counts.flawed += 1
            return
        }
        let slack = log.every.components.seconds * Int64(log.overlap + 1)
        guard time <= now + log.every.components.seconds, time >= since - slack else {
            counts.absurd += 1
            return
        }
        guard found[time] != nil || found.count < Recipe.Log.maxRecords else {
            counts.tooMany += 1
            return
        }
        var parts = found[time] ?? Array(repeating: nil, count: log.kinds.count)
        guard parts[kind] == nil else {
            counts.doubled += 1
            return
        }
        parts[kind] = Part(measurements: values, raw: packet)
        found[time] = parts
    }

    private func time(in packet: [UInt8]) -> Int64? {
        var reader = ByteReader(packet, endian: log.endian)
        guard reader.move(toByte: log.timeAt), let time = try? reader.unsigned(bits: 32) else { return nil }
        return Int64(time)
    }

    private func values(in packet: [UInt8], kind: Int) throws(RecipeFlaw) -> [Measurement] {
        var decoder = RecipeDecoder(
            packet, endian: log.endian, values: RecipeValues(), number: nil, has: { _ in true })
        try decoder.decode(log.kinds[kind].fields)
        return decoder.measurements
    }

    // MARK: Records

    /// The records so far, the oldest first.
    package var records: [Record] {
        found.sorted { $0.key < $1.key }.map { time, parts in
            let parts = parts.compactMap(\.self)
            return Record(time: time, measurements: parts.flatMap(\.measurements), raw: parts.flatMap(\.raw))
        }
    }

    /// The times that lack a quantity which others have: packets got lost.
    package var incomplete: [Int64] {
        let usual = log.kinds.indices.filter { kind in found.values.contains { $0[kind] != nil } }
        return found.filter { _, parts in usual.contains { parts[$0] == nil } }.map(\.key).sorted()
    }
}
