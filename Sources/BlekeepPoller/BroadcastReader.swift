import DBus
import RunLoop

/// Turns the advertisements of a device into readings. A repeated packet gives no second reading.
///
/// `BroadcastDecoder` says which bytes are new, and what they mean.
final class BroadcastReader {
    private let configuration: DeviceConfiguration
    private let id: DeviceID
    private let wallTime: () -> Int64
    private var decoder: BroadcastDecoder
    /// The object whose advertisements the decoder knows.
    private var path: ObjectPath?
    private let now: () -> Uptime
    private let record: ([Reading]) -> Void
    private let recognize: (BroadcastIdentity) -> Void
    /// Whether to ignore the device, because a user paused it.
    var isPaused = false
    /// The last bytes of each source, and their kind.
    private var heard: [Source: (bytes: [UInt8], kind: Kind)] = [:]
    /// The last packet of each kind, and when blekeep last heard it.
    private var last: [Kind: (packet: Packet, lastHeardAt: Uptime)] = [:]
    /// The kinds whose next packet counts as new values, also one that repeats the last.
    private var renewed: Set<Kind> = []
    /// The counters of encrypted packets.
    private var guards: [BroadcastFormat: ReplayGuard] = [:]
    /// The reported decoding error of each source, until its bytes can be decoded again.
    private var reported: [Source: DecodeError] = [:]
    /// When blekeep last refused a packet of another sender for this reason.
    private var refusedAt: [DecodeError: Uptime] = [:]
    /// The formats whose fields were compared with those that the user wants.
    private var compared: Set<BroadcastFormat> = []
    /// What the log must say, and hasn't said yet.
    private(set) var remarks: [ReadingFailure] = []

    /// The time without refused packets after which the log reports the next one.
    private static let refusalsEnd: Duration = .seconds(86_400)
    /// The number of kinds and sources to remember, so that a device can't fill the memory.
    private static let maxKinds = 64

    private typealias Source = AdvertisedData.Source

    /// The format and the fields of a packet. A device may alternate between several kinds.
    private struct Kind: Hashable {
        var format: BroadcastFormat
        var fields: [String]
    }

    /// The identity of a packet: its number, or its bytes without a number.
    private enum Packet: Hashable {
        case number(UInt32)
        case bytes([UInt8], of: Source)
    }

    init(
        _ configuration: DeviceConfiguration, wallTime: @escaping () -> Int64, now: @escaping () -> Uptime,
        record: @escaping ([Reading]) -> Void, recognize: @escaping (BroadcastIdentity) -> Void = { _ in }
    ) {
        self.configuration = configuration
        id = configuration.id
        self.wallTime = wallTime
        self.now = now
        self.record = record
        self.recognize = recognize
        decoder = BroadcastDecoder(
            format: configuration.format, key: configuration.key, medium: configuration.medium,
            model: configuration.model)
    }

    /// What the device was recognized by.
    var identity: BroadcastIdentity { decoder.identity }

    /// Takes the next packet of each kind for new values, because a new sink has none of them.
    func renew() { renewed = Set(last.keys) }

    /// Adds what an earlier run recognized.
    func inherit(_ identity: BroadcastIdentity) { decoder.inherit(identity) }

    /// Takes what BlueZ shows of the device.
    /// Returns `nil` when it brought nothing that matters, or while the device is paused.
    func hear(_ heard: Advertisement) -> Hearing? {
        if path != heard.path { decoder.forget() }
        path = heard.path
        let before = decoder.identity
        let packets = decoder.decode(heard.data, change: heard.change, at: wallTime())
        if decoder.identity != before { recognize(decoder.identity) }
        if isPaused { return nil }
        let new = packets.filter(\.isNew)
        let hearings = new.compactMap(hear)
        if hearings.contains(.news) { return .news }
        if hearings.contains(.repetition) { return .repetition }
        if let first = hearings.first { return first }
        let recognized = decoder.identity.formats
        let isRecognized = configuration.format.map(recognized.contains) ?? !recognized.isEmpty
        guard !new.isEmpty, last.isEmpty, !isRecognized else { return nil }
        return .unreadable(ReadingFailure(.noFormat, misfit(of: heard.data)))
    }

    /// Says that what the device advertises isn't in the configured format, or in any.
    private func misfit(of data: AdvertisedData) -> String {
        guard let format = configuration.format else { return "the device advertises no format that blekeep knows" }
        var any = BroadcastDecoder(identity: decoder.identity)
        let packets = any.decode(data)
        let known = packets.contains { $0.broadcast != nil } ? packets.filter { $0.broadcast != nil } : packets
        let names = Set(known.compactMap { $0.format?.name }).sorted().joined(separator: " and ")
        let wanted = "\(format.name) ('format: \(format.rawValue)')"
        return names.isEmpty
            ? "the device doesn't advertise \(wanted), nor another format that blekeep knows"
            : "the device advertises \(names), and not \(wanted)"
    }

    /// - Returns: `nil` when blekeep knows no format for the packet.
    private func hear(_ packet: BroadcastDecoder.Packet) -> Hearing? {
        guard let result = packet.result else { return nil }
        let source = packet.source
        if let (known, kind) = heard[source], known == packet.bytes, reported[source] == nil, !renewed.contains(kind) {
            last[kind]?.lastHeardAt = now()
            guards[kind.format]?.repeated(at: now())
            return .repetition
        }
        do throws(DecodeError) {
            let hearing = try hear(try result.get(), heard: packet)
            reported[source] = nil
            return hearing
        } catch {
            let failure = failure(error)
            if error == .replay || error == .plain {
                guard isFirst(error) else { return .unreadable(failure) }
                remarks.append(ReadingFailure(error.code, "blekeep refused a packet: \(error.message)"))
                record([reading(packet, outcome: .failure(failure, raw: packet.bytes))])
            } else if reported[source] != error {
                if reported.count >= Self.maxKinds { reported = [:] }
                reported[source] = error
                record([reading(packet, outcome: .failure(failure, raw: packet.bytes))])
            }
            return .unreadable(failure)
        }
    }

    private func failure(_ error: DecodeError) -> ReadingFailure {
        guard error == .key, let file = configuration.keyFile else { return ReadingFailure(error) }
        return ReadingFailure(.noKey, "the advertisement is encrypted, and blekeep can't read the key in \(file)")
    }

    /// Whether this is the first refusal for this reason in a long time. Packets of the device may come in between.
    private func isFirst(_ refusal: DecodeError) -> Bool {
        let (before, now) = (refusedAt[refusal], now())
        refusedAt[refusal] = now
        return before.map { now - $0 > Self.refusalsEnd } ?? true
    }

    /// Returns what the log must say, and forgets it.
    func drainRemarks() -> [ReadingFailure] {
        defer { remarks = [] }
        return remarks
    }

    /// - Throws: `replay`.
    private func hear(_ broadcast: Broadcast, heard: BroadcastDecoder.Packet) throws(DecodeError) -> Hearing {
        let (source, bytes) = (heard.source, heard.bytes)
        let measurements = broadcast.measurements
        let kind = Kind(format: broadcast.format, fields: measurements.map(\.field))
        let packet = broadcast.packetNumber.map { Packet.number($0) } ?? .bytes(bytes, of: source)
        let now = now()
        let isKnown = last[kind]?.packet == packet
        if !isKnown, try isOlder(broadcast, than: last[kind], at: now) { return .repetition }
        // The device may come back to an earlier number, which is part of a value.
        if broadcast.format.companyIsValue || self.heard.count >= Self.maxKinds {
            self.heard = self.heard.filter { $0.value.kind.format != broadcast.format }
        }
        self.heard[source] = (bytes, kind)
        if last.count >= Self.maxKinds { last = [:] }
        last[kind] = (packet, now)
        guard renewed.remove(kind) != nil || !isKnown else { return .repetition }
        compareFields(with: broadcast)
        let chosen = FieldCalibration.chosen(
            configuration.fields, calibration: configuration.calibration, derived: configuration.derived,
            from: measurements)
        record(chosen.map { reading(heard, outcome: .value($0, raw: bytes)) })
        return .news
    }

    /// Notes, once for each format, which fields the user wants and no packet of the device's formats has. A beacon's packets
    /// may be those of a sensor whose values come later.
    private func compareFields(with broadcast: Broadcast) {
        let format = broadcast.format
        guard configuration.format == format || !format.isBeacon, !broadcast.measurements.isEmpty,
            compared.insert(format).inserted
        else { return }
        let misfits = FieldMisfit.all(
            configuration.fields + configuration.calibration.map(\.name), derived: configuration.derived, in: compared,
            model: configuration.model)
        let names = compared.map(\.name).sorted().joined(separator: " and ")
        remarks += misfits.map { ReadingFailure(.noField, $0.message(of: "what it advertises (\(names))")) }
    }

    /// Whether the device sent this packet before the last one. Throws `replay`.
    private func isOlder(
        _ broadcast: Broadcast, than last: (packet: Packet, lastHeardAt: Uptime)?, at now: Uptime
    ) throws(DecodeError) -> Bool {
        if let counter = broadcast.counter {
            switch guards[broadcast.format, default: ReplayGuard()].check(counter, at: now) {
            case .new, .same: return false
            case .late: return true
            case .replay: throw .replay
            case .restart:
                refusedAt[.replay] = nil
                remarks.append(
                    ReadingFailure(
                        .newCounter, "counts its encrypted packets from another number: blekeep assumes a restart")
                )
                return false
            }
        }
        guard case .bthome(let packet) = broadcast else { return false }
        let isSoon = last.map { now - $0.lastHeardAt <= ReplayGuard.maxDelay } ?? false
        guard isSoon, let number = packet.packetNumber, case .number(let last)? = last?.packet else { return false }
        return BTHome.isOlder(packetID: number, than: last)
    }

    private func reading(_ packet: BroadcastDecoder.Packet, outcome: Reading.Outcome) -> Reading {
        let service: BluetoothUUID? = if case .service(let service) = packet.source { service } else { nil }
        let format = if case .value = outcome { packet.format?.name ?? "" } else { "" }
        return Reading(
            time: packet.time, tick: 0, id: id, device: configuration.name,
            address: configuration.address, service: service, characteristic: nil, name: format, outcome: outcome)
    }
}

extension ReadingFailure {
    init(_ error: DecodeError) { self.init(error.code, error.message) }
}
