import RunLoop

/// Turns the advertisements of a device into readings. A repeated packet gives no second reading.
final class BroadcastReader {
    private let configuration: DeviceConfiguration
    private let wallTime: () -> Int64
    private let now: () -> Uptime
    private let record: ([Reading]) -> Void
    /// Whether to ignore the device, because a user paused it.
    var isPaused = false
    /// The last bytes of each source, so that they aren't decoded again, and their kind.
    private var heard: [Source: (bytes: [UInt8], kind: Kind)] = [:]
    /// The last packet of each kind, and when blekeep last heard it.
    private var last: [Kind: (packet: Packet, lastHeardAt: Uptime)] = [:]
    /// The counters of encrypted packets.
    private var guards: [BroadcastFormat: ReplayGuard] = [:]
    /// The manufacturer data of the last advertisement.
    private var makers: [UInt16: [UInt8]] = [:]
    /// The reported decoding error of each source, until its bytes can be decoded again.
    private var reported: [Source: DecodeError] = [:]
    /// When blekeep last refused a packet of another sender for this reason.
    private var refusedAt: [DecodeError: Uptime] = [:]
    /// What the log must say, and hasn't said yet.
    private(set) var remarks: [ReadingFailure] = []

    /// The time without refused packets after which the log reports the next one.
    private static let refusalsEnd: Duration = .seconds(86_400)
    /// The number of kinds to remember, so that a device can't fill the memory.
    private static let mostKinds = 64

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
        record: @escaping ([Reading]) -> Void
    ) {
        self.configuration = configuration
        self.wallTime = wallTime
        self.now = now
        self.record = record
    }

    /// Takes an advertisement.
    ///
    /// - Parameters:
    ///   - makers: whether the manufacturer data is new.
    ///   - services: whether the service data is new.
    func hear(_ heard: Advertisement, makers: Bool = true, services: Bool = true) -> Hearing {
        let data = heard.data
        defer { self.makers = data.manufacturerData }
        let hearings = data.sources.compactMap { source -> Hearing? in
            let isNew = if case .company = source { makers } else { services }
            guard isNew, !isStale(source, in: data), let bytes = data[source] else { return nil }
            return hear(bytes, source, of: data)
        }
        if hearings.contains(.news) { return .news }
        if hearings.contains(.repetition) { return .repetition }
        return hearings.first
            ?? .unreadable(
                ReadingFailure(.nothing, "the device advertises no format that blekeep knows"))
    }

    /// Whether BlueZ kept the bytes of an earlier packet, whose company number was a value.
    private func isStale(_ source: Source, in data: AdvertisedData) -> Bool {
        guard case .company(let company) = source, makers[company] == data.manufacturerData[company],
            data.manufacturerData.contains(where: { makers[$0.key] != $0.value })
        else { return false }
        return format(of: source, in: data)?.takesAnyCompany ?? false
    }

    private func format(of source: Source, in data: AdvertisedData) -> BroadcastFormat? {
        BroadcastFormat(of: source, in: data, chosen: configuration.format)
    }

    /// - Returns: `nil` when the source has no format that blekeep knows.
    private func hear(_ bytes: [UInt8], _ source: Source, of data: AdvertisedData) -> Hearing? {
        if let (known, kind) = heard[source], known == bytes, reported[source] == nil {
            last[kind]?.lastHeardAt = now()
            guards[kind.format]?.repeated(at: now())
            return .repetition
        }
        do throws(DecodeError) {
            let format = configuration.format
            guard let broadcast = try Broadcast.decode(source, of: data, as: format, key: configuration.key)
            else { return nil }
            let hearing = try take(broadcast, bytes, source)
            reported[source] = nil
            return hearing
        } catch {
            if error == .replay || error == .plain {
                guard isFirst(error) else { return .unreadable(ReadingFailure(error)) }
                remarks.append(ReadingFailure(error.code, "blekeep refused a packet: \(error.message)"))
                record([reading(source, "", .failure(ReadingFailure(error), raw: bytes))])
            } else if reported[source] != error {
                reported[source] = error
                record([reading(source, "", .failure(ReadingFailure(error), raw: bytes))])
            }
            return .unreadable(ReadingFailure(error))
        }
    }

    /// Whether this is the first refusal for this reason in a long time. Packets of the device may come in between.
    private func isFirst(_ refusal: DecodeError) -> Bool {
        let (before, now) = (refusedAt[refusal], now())
        refusedAt[refusal] = now
        return before.map { now - $0 > Self.refusalsEnd } ?? true
    }

    /// Returns what the log must say, and forgets it.
    func takeRemarks() -> [ReadingFailure] {
        defer { remarks = [] }
        return remarks
    }

    /// - Throws: `replay`.
    private func take(_ broadcast: Broadcast, _ bytes: [UInt8], _ source: Source) throws(DecodeError) -> Hearing {
        let measurements = broadcast.measurements
        let kind = Kind(format: broadcast.format, fields: measurements.map(\.field))
        let packet = broadcast.packetNumber.map { Packet.number($0) } ?? .bytes(bytes, of: source)
        let now = now()
        let isKnown = last[kind]?.packet == packet
        if !isKnown, try isOlder(broadcast, than: last[kind], at: now) { return .repetition }
        if broadcast.format.takesAnyCompany { heard = heard.filter { $0.value.kind.format != broadcast.format } }
        heard[source] = (bytes, kind)
        if last.count >= Self.mostKinds { last = [:] }
        last[kind] = (packet, now)
        guard !isKnown else { return .repetition }
        record(measurements.map { reading(source, broadcast.format.name, .value($0, raw: bytes)) })
        return .news
    }

    /// Whether the device sent this packet before the last one.
    ///
    /// - Throws: `replay`.
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
                        .newCounter, "counts its encrypted packets from another number: blekeep takes it for restarted")
                )
                return false
            }
        }
        guard case .bthome(let packet) = broadcast else { return false }
        let isSoon = last.map { now - $0.lastHeardAt <= ReplayGuard.maxDelay } ?? false
        guard isSoon, let number = packet.packetNumber, case .number(let last)? = last?.packet else { return false }
        return BTHome.isOlder(packetID: number, than: last)
    }

    private func reading(_ source: Source, _ format: String, _ outcome: Reading.Outcome) -> Reading {
        let service: BluetoothUUID? = if case .service(let service) = source { service } else { nil }
        return Reading(
            time: wallTime(), tick: 0, device: configuration.name, address: configuration.address, service: service,
            characteristic: nil, name: format, outcome: outcome)
    }
}

extension ReadingFailure {
    init(_ error: DecodeError) { self.init(error.code, error.message) }
}
