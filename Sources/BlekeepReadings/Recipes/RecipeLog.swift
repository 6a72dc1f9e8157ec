extension Recipe {
    /// What a device keeps in its own memory, and how to ask for it, so that the history has no gap when blekeep or the device was
    /// away.
    ///
    /// One request says since when. The device sends packets with records, until one that means the end.
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
        /// The first byte of a packet's time.
        package var timeAt = 0
        package var clock = Clock.request
        /// How a packet has several records, each `every` later; `nil` for packets with one record.
        package var records: Records?
        package var kinds: [Kind] = []
        /// The own names of devices that have this memory, with `*` and `?`: others of the same format may take the request for
        /// something else. Empty for all.
        package var names: [String] = []
        /// The characteristic that notifies what isn't a record, such as the end; `nil` for `source`.
        package var control: RecipeCharacteristic?
        /// Where the end has the number of packets, in two bytes; `nil` if it hasn't.
        package var countAt: Int?
        package var keepAlive: KeepAlive?

        /// What a packet's time is.
        package enum Clock: String, Sendable, Hashable, CaseIterable {
            /// Seconds since 1970 by the clock that the request has, in four bytes.
            case request
            /// How many intervals ago, by the device's own clock, in two bytes. The device counts whole ones, so that the time is right
            /// to half an interval.
            case back

            package var type: FieldType { .unsigned(bits: self == .request ? 32 : 16) }
        }

        package struct Records: Sendable, Hashable {
            package var at, size: Int
            /// What stands for no record; empty for nothing.
            package var none: [UInt8]

            package init(at: Int, size: Int, none: [UInt8]) { (self.at, self.size, self.none) = (at, size, none) }
        }

        /// What the device must get after each so many packets, to go on.
        package struct KeepAlive: Sendable, Hashable {
            package var bytes: [Piece]
            package var packets: Int

            package init(_ bytes: [Piece], packets: Int) { (self.bytes, self.packets) = (bytes, packets) }

            /// The bytes as they are sent.
            package var sent: [UInt8] { bytes.bytes(RequestContext()).map { $0 ?? 0 } }
        }

        /// The packets of one quantity.
        package struct Kind: Sendable, Hashable {
            package var start: [UInt8?]
            package var fields: [RecipeField]

            package init(start: [UInt8?], fields: [RecipeField]) { (self.start, self.fields) = (start, fields) }
        }

        package init(_ request: Write, from source: RecipeCharacteristic, size: Int) {
            self.request = request
            self.source = source
            self.size = size
        }

        /// The maximum number of records of one download.
        package static let maxRecords = 49_152

        /// The fields that it fills, with their units.
        package var fields: [Field] { kinds.flatMap(\.fields).filter { !$0.isHidden }.map(\.field) }

        /// Returns the bytes that ask for the records since a time.
        ///
        /// - Parameters:
        ///   - now: seconds since 1970, as `since`.
        package func bytes(now: Int64, since: Int64) -> [UInt8] {
            var context = RequestContext()
            (context.unixTime, context.since) = (now, max(0, since))
            let every = max(1, every.components.seconds)
            context.back = min(Int64(UInt16.max), max(0, now - context.since + every - 1) / every + 1)
            return request.bytes.bytes(context).map { $0 ?? 0 }
        }

        /// All that a download writes.
        package var writes: [Write] {
            [request]
                + (keepAlive.map { [Write(request.characteristic, $0.bytes, withResponse: request.withResponse)] } ?? [])
        }

        /// Whether a device of this name may have this memory.
        package func fits(name: String?) -> Bool {
            names.isEmpty || name.map { name in names.contains { Recognition.fits($0, text: name) } } ?? false
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
    /// The number of packets with records.
    package private(set) var packets = 0
    private var found: [Int64: [Part?]] = [:]

    private struct Part: Sendable {
        var measurements: [Measurement]
        var raw: [UInt8]
    }

    package init(_ log: Recipe.Log, now: Int64, since: Int64) { (self.log, self.now, self.since) = (log, now, since) }

    package var isOver: Bool { state != .open }
    /// The number of different times so far.
    package var count: Int { found.count }

    /// Takes a packet.
    ///
    /// - Parameter isControl: whether it isn't from the characteristic of the records.
    package mutating func receive(_ packet: [UInt8], isControl: Bool = false) {
        guard state == .open else { return }
        func starts(with pattern: [UInt8?]) -> Bool { Recipe.Log.starts(packet, with: pattern) }
        let mayEnd = isControl || log.control == nil
        if log.skips(packet) {
            counts.skipped += 1
        } else if mayEnd, starts(with: log.end) {
            let sent = log.countAt.flatMap { number(in: packet, at: $0, bits: 16) }
            state = sent.map { $0 == packets } ?? true ? .complete : .failed
        } else if mayEnd, starts(with: log.fail) {
            state = .failed
        } else if isControl {
            counts.skipped += 1
        } else if packet.count == log.size,
            let kind = log.kinds.firstIndex(where: { $0.start.isEmpty || starts(with: $0.start) })
        {
            packets += 1
            take(packet, kind: kind)
        } else {
            counts.flawed += 1
        }
    }

    private mutating func take(_ packet: [UInt8], kind: Int) {
        guard let time = time(in: packet) else {
            counts.flawed += 1
            return
        }
        guard let records = log.records else { return take(packet, at: time, kind: kind) }
        let starts = stride(from: records.at, through: packet.count - records.size, by: records.size)
        for (index, start) in starts.enumerated() {
            let bytes = Array(packet[start..<start + records.size])
            if bytes != records.none { take(bytes, at: time + every * Int64(index), kind: kind) }
        }
    }

    private mutating func take(_ bytes: [UInt8], at time: Int64, kind: Int) {
        guard let values = try? values(in: bytes, kind: kind) else {
            counts.flawed += 1
            return
        }
        guard time <= now + every, time >= since - every * Int64(log.overlap + 1) else {
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
        parts[kind] = Part(measurements: values, raw: bytes)
        found[time] = parts
    }

    private var every: Int64 { max(1, log.every.components.seconds) }

    private func time(in packet: [UInt8]) -> Int64? {
        switch log.clock {
        case .request: number(in: packet, at: log.timeAt, bits: 32)
        // The middle of the interval that it was in.
        case .back: number(in: packet, at: log.timeAt, bits: 16).map { now - $0 * every + every / 2 }
        }
    }

    private func number(in packet: [UInt8], at place: Int, bits: Int) -> Int64? {
        var reader = ByteReader(packet, endian: log.endian)
        guard reader.move(toByte: place), let number = try? reader.unsigned(bits: bits) else { return nil }
        return Int64(number)
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
