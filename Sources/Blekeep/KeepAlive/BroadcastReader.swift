import RunLoop

/// Makes readings of what one device advertises: each packet once, however often it is heard.
final class BroadcastReader {
    private let configuration: DeviceConfiguration
    private let wallTime: () -> Int64
    private let now: () -> Uptime
    private let record: ([Reading]) -> Void
    /// The last bytes of each source, which need not be decoded again, and their kind.
    private var heard: [Source: (bytes: [UInt8], kind: Kind)] = [:]
    /// The last packet of each kind, and when it was last heard.
    private var last: [Kind: (packet: Packet, lastHeardAt: Uptime)] = [:]
    /// The greatest counter of the encrypted packets since the device was last restarted.
    private var counter: UInt32?
    /// What was told of bytes that make no sense, until some do.
    private var told: [Source: DecodeError] = [:]

    /// A device that makes up new kinds of packets for ever must not fill the memory.
    private static let mostKinds = 64
    /// An older packet may be heard late, but not so long after the last one: then the device was restarted, and counts
    /// from another number. Home Assistant waits as long.
    private static let latest: Duration = .seconds(4)

    private enum Source: Hashable {
        case company(UInt16)
        case service(BluetoothUUID)
    }

    /// Packets of the same format with the same fields: a device may send several kinds in turns.
    private struct Kind: Hashable {
        var format: String
        var fields: [String]
    }

    /// What tells a packet from its repetitions: its number, or its bytes where it has none.
    private enum Packet: Hashable {
        case number(UInt32)
        case bytes([UInt8])
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

    /// Takes in what was just heard.
    ///
    /// - Parameters:
    ///   - makers: whether the manufacturer data is what was heard, and not from earlier.
    ///   - services: the same of the service data.
    func hear(_ heard: Advertisement, makers: Bool = true, services: Bool = true) -> Hearing {
        var hearings: [Hearing] = []
        if makers {
            for (company, bytes) in heard.manufacturerData.sorted(by: { $0.key < $1.key }) {
                if let hearing = hear(bytes, .company(company)) { hearings.append(hearing) }
            }
        }
        if services {
            for (service, bytes) in heard.serviceData.sorted(by: { $0.key < $1.key }) {
                if let hearing = hear(bytes, .service(service)) { hearings.append(hearing) }
            }
        }
        if hearings.contains(.news) { return .news }
        if hearings.contains(.repetition) { return .repetition }
        return hearings.first
            ?? .unreadable(
                ReadingFailure(.nothing, "the device advertises nothing that is known here"))
    }

    /// - Returns: `nil` when the source has no format that is known here.
    private func hear(_ bytes: [UInt8], _ source: Source) -> Hearing? {
        if let (known, kind) = heard[source], known == bytes, told[source] == nil {
            last[kind]?.lastHeardAt = now()
            return .repetition
        }
        do throws(DecodeError) {
            guard let broadcast = try decode(bytes, source) else { return nil }
            let hearing = try take(broadcast, bytes, source)
            told[source] = nil
            return hearing
        } catch {
            if told[source] != error {
                told[source] = error
                record([reading(source, "", .failure(ReadingFailure(error), raw: bytes))])
            }
            return .unreadable(ReadingFailure(error))
        }
    }

    private func decode(_ bytes: [UInt8], _ source: Source) throws(DecodeError) -> Broadcast? {
        switch source {
        case .company(let company): try Broadcast.manufacturerData(bytes, of: company)
        case .service(let service):
            try Broadcast.serviceData(bytes, of: service, from: configuration.address, key: configuration.key)
        }
    }

    /// - Throws: `replay`.
    private func take(_ broadcast: Broadcast, _ bytes: [UInt8], _ source: Source) throws(DecodeError) -> Hearing {
        let measurements = broadcast.measurements
        let kind = Kind(format: broadcast.name, fields: measurements.map(\.field))
        let packet = broadcast.packetNumber.map { Packet.number($0) } ?? .bytes(bytes)
        let now = now()
        let isKnown = last[kind]?.packet == packet
        if !isKnown, try isOlder(broadcast, than: last[kind], at: now) { return .repetition }
        heard[source] = (bytes, kind)
        if last.count >= Self.mostKinds { last = [:] }
        last[kind] = (packet, now)
        guard !isKnown else { return .repetition }
        record(measurements.map { reading(source, broadcast.name, .value($0, raw: bytes)) })
        return .news
    }

    /// Whether a packet was sent before the last one, and heard late.
    ///
    /// - Throws: `replay`.
    private func isOlder(
        _ broadcast: Broadcast, than last: (packet: Packet, lastHeardAt: Uptime)?, at now: Uptime
    ) throws(DecodeError) -> Bool {
        guard case .bthome(let packet) = broadcast else { return false }
        let isSoon = last.map { now - $0.lastHeardAt <= Self.latest } ?? false
        if let new = packet.counter {
            guard let counter, BTHome.isReplay(counter: new, after: counter) else {
                counter = new
                return false
            }
            if isSoon { return true }
            throw .replay
        }
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
