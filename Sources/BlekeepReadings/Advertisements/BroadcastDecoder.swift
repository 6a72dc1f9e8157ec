/// Recognizes and decodes the advertisements of one device. Pure; keep one value for each device.
///
/// ```swift
/// var decoders: [BluetoothAddress: BroadcastDecoder] = [:]
/// for try await heard in central.scan(for: .seconds(10)) {
///     let packets = decoders[heard.address, default: BroadcastDecoder()].decode(heard.data, change: heard.change)
///     for packet in packets { print(heard.address, packet.broadcast?.measurements ?? []) }
/// }
/// ```
///
/// BlueZ shows what it remembers of a device, not what it hears. So these rules hold:
///
/// - Bytes are new if they changed, or if they were repeated and can't be older than others. Some devices send values
///   instead of a company number, and BlueZ keeps the bytes of each number: of several such numbers, only those that
///   changed count.
/// - A device is recognized by the user's choice, or else by its company number, its services, or its name. What was
///   recognized once stays so, whatever the device advertises later.
/// - Bytes that came before the name are decoded when the name comes.
/// - A sensor's iBeacons and Eddystone frames are ignored, unless the user chose that format.
public struct BroadcastDecoder: Sendable {
    /// The device's format, if a user chose it.
    public let format: BroadcastFormat?
    /// The device's key. With a key, only encrypted packets may have values.
    public let key: AdvertisementKey?
    /// What the sound of a tank sensor goes through; `nil` for what its model usually measures.
    public let medium: TankMedium?
    /// The model of a SwitchBot; `nil` when its packets say it.
    public let model: SwitchBotModel?
    /// What the device was recognized by so far.
    public private(set) var identity: BroadcastIdentity
    /// What BlueZ showed last; `nil` when that isn't known.
    private var shown: AdvertisedData?
    /// The bytes that blekeep heard, but couldn't decode yet.
    private var waiting: [AdvertisedData.Source: Heard] = [:]

    /// The limit for devices that send ever new numbers.
    private static let maxWaiting = 32

    private struct Heard {
        var time: Int64
        /// Whether no bytes with another company number could be newer.
        var isNewest: Bool
    }

    /// Some bytes of an advertisement.
    public struct Packet: Sendable {
        /// The source of the bytes.
        public let source: AdvertisedData.Source
        /// The bytes, without a company number.
        public let bytes: [UInt8]
        /// When the bytes were heard: a time that `decode` got.
        public let time: Int64
        /// Whether the device sent the bytes now, and not at some time before.
        public let isNew: Bool
        /// The format; `nil` when blekeep knows none.
        public let format: BroadcastFormat?
        /// The decoded bytes; `nil` when blekeep knows no format.
        public let result: Result<Broadcast, DecodeError>?

        /// The decoded bytes; `nil` when blekeep can't decode them.
        public var broadcast: Broadcast? { try? result?.get() }

        /// The format of decoded bytes, and of bytes that lack only the right key.
        fileprivate var recognized: BroadcastFormat? {
            switch result {
            case .success?, .failure(.key)?, .failure(.authentication)?: format
            case .failure?, nil: nil
            }
        }
    }

    /// Creates the decoder of a device.
    ///
    /// - Parameters:
    ///   - format: the device's format, if a user chose it.
    ///   - key: the device's key.
    ///   - medium: what the sound of a tank sensor goes through, if a user chose it.
    ///   - model: the model of a SwitchBot, if a user chose it.
    ///   - identity: what an earlier decoder recognized.
    public init(
        format: BroadcastFormat? = nil, key: AdvertisementKey? = nil, medium: TankMedium? = nil,
        model: SwitchBotModel? = nil, identity: BroadcastIdentity = BroadcastIdentity()
    ) {
        self.format = format
        self.key = key
        self.medium = medium
        self.model = model
        self.identity = identity
    }

    /// Adds what an earlier run recognized.
    package mutating func inherit(_ earlier: BroadcastIdentity) { identity.inherit(earlier) }

    /// Forgets what BlueZ showed, because another adapter's view of the device follows.
    package mutating func forget() { shown = nil }

    /// Decodes what BlueZ shows now.
    ///
    /// - Parameters:
    ///   - data: everything that BlueZ shows of the device.
    ///   - change: what changed since the last call.
    ///   - time: the current time, in any unit.
    /// - Returns: the packets that the change brought, in the order in which they were heard. After `known`, all that may
    ///   still be true.
    public mutating func decode(
        _ data: AdvertisedData, change: AdvertisedData.Change = .added, at time: Int64 = 0
    ) -> [Packet] {
        identity.learn(from: data)
        let heard = heard(in: data, change, at: time)
        let isNew = change != .known
        let before = isNew ? waiting.filter { data[$0.key] != nil } : [:]
        shown = data
        waiting = [:]
        let complete = identity.complete(data)
        let all = before.merging(heard) { $1 }
        // Sorted by time; the order of the sources counts in between.
        let sources = data.sources.compactMap { source in all[source].map { (source, $0) } }.enumerated()
            .sorted { ($0.element.1.time, $0.offset) < ($1.element.1.time, $1.offset) }.map(\.element)
        var packets: [Packet] = []
        for (source, place) in sources {
            let packet = packet(source, heard: place, of: complete, isNew: isNew)
            if let format = packet.recognized { identity.learn(format) }
            if let broadcast = packet.broadcast { identity.habit.learn(broadcast) }
            if packet.broadcast == nil, isNew, waiting.count < Self.maxWaiting { waiting[source] = place }
            if packet.broadcast != nil || heard[source] != nil { packets.append(packet) }
        }
        return packets.filter { $0.format.map(accepts) ?? true }
    }

    /// Whether packets of a format count. Those of beacons don't if the device is a sensor.
    package func accepts(_ packet: BroadcastFormat) -> Bool {
        format != nil || !identity.isSensor || BroadcastTable.row(of: packet)?.isBeacon != true
    }

    /// Returns the bytes that the change brought.
    private func heard(
        in data: AdvertisedData, _ change: AdvertisedData.Change, at time: Int64
    ) -> [AdvertisedData.Source: Heard] {
        let companies = data.sources.filter(\.isCompany)
        let services = data.sources.filter { !$0.isCompany }
        let numbers = companies.count { !BroadcastTable.isIBeacon($0, in: data) }
        let parts =
            switch change {
            case .known, .added: [companies, services]
            case .changed(let hasManufacturerData, let hasServiceData):
                (hasManufacturerData ? [companies] : []) + (hasServiceData ? [services] : [])
            }
        var heard: [AdvertisedData.Source: Heard] = [:]
        for part in parts {
            var changed: [AdvertisedData.Source] = []
            if case .changed = change, let shown { changed = part.filter { shown[$0] != data[$0] } }
            // Without a change, BlueZ reports a repetition, in which it shows only what the device sent.
            for source in changed.isEmpty ? part : changed {
                heard[source] = Heard(time: time, isNewest: !changed.isEmpty || numbers == 1)
            }
        }
        return heard
    }

    private func packet(_ source: AdvertisedData.Source, heard: Heard, of data: AdvertisedData, isNew: Bool) -> Packet {
        let bytes = data[source] ?? []
        let input = BroadcastInput(
            bytes: bytes, source: source, data: data, key: key, isChosen: format != nil, medium: medium,
            model: model)
        var found: (format: BroadcastFormat, result: Result<Broadcast, DecodeError>)?
        for row in BroadcastTable.rows(for: source, in: data, chosen: format) {
            if row.companyIsValue, source.isCompany, !heard.isNewest { continue }
            do throws(DecodeError) {
                guard let broadcast = try row.decode(input) else { continue }
                found = (row.format, .success(try broadcast.admitted(with: key)))
                break
            } catch { found = found ?? (row.format, .failure(error)) }
        }
        return Packet(
            source: source, bytes: bytes, time: heard.time, isNew: isNew, format: found?.format, result: found?.result)
    }
}

/// What a device was recognized by. It stays true when the device changes its name, or no longer advertises it.
///
/// Its text has the formats, the services and the name, such as `inkbird fff0 sps`.
public struct BroadcastIdentity: Sendable, Hashable, LosslessStringConvertible {
    /// The formats of the packets so far, apart from those of beacons.
    public private(set) var formats: Set<BroadcastFormat> = []
    /// The advertised services that tell formats apart.
    public private(set) var services: Set<BluetoothUUID> = []
    /// The last name by which blekeep recognized the device.
    public private(set) var name: String?
    /// When the device advertises.
    package fileprivate(set) var habit = SendingHabit()

    /// Stands beside the formats in the text of a device that sends only when something happens.
    private static let triggered = "triggered"

    /// Returns the beginning of a name, which is all that counts.
    private static func beginning(of name: some StringProtocol) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.prefix(32)))
    }

    /// Creates the identity of a device that wasn't recognized yet.
    public init() {}

    public init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        formats = Set(parts[0].split(separator: ",").compactMap { BroadcastFormat(rawValue: String($0)) })
        services = Set(parts[1].split(separator: ",").compactMap { BluetoothUUID(String($0)) })
            .intersection(BroadcastTable.services)
        name = parts[2].isEmpty ? nil : Self.beginning(of: parts[2])
        habit = SendingHabit(isTriggered: parts[0].split(separator: ",").contains { $0 == Self.triggered })
    }

    public var description: String {
        let words = formats.map(\.rawValue).sorted() + (habit.isTriggered ? [Self.triggered] : [])
        let formats = words.joined(separator: ",")
        return "\(formats) \(services.sorted().map(\.description).joined(separator: ",")) \(name ?? "")"
    }

    var isSensor: Bool { !formats.isEmpty || name != nil }

    mutating func learn(from data: AdvertisedData) {
        if BroadcastTable.rows.contains(where: { $0.knows(name: data.name) }) {
            name = data.name.map(Self.beginning)
        }
        services.formUnion(BroadcastTable.services.intersection(data.services))
    }

    mutating func learn(_ format: BroadcastFormat) {
        if BroadcastTable.row(of: format)?.isBeacon == false { formats.insert(format) }
    }

    mutating func inherit(_ earlier: BroadcastIdentity) {
        formats.formUnion(earlier.formats)
        services.formUnion(earlier.services)
        name = name ?? earlier.name
        if habit == SendingHabit() { habit = earlier.habit }
    }

    /// Returns the data with the name and the services that the device was recognized by.
    func complete(_ data: AdvertisedData) -> AdvertisedData {
        var data = data
        data.name = name ?? data.name
        data.services += services.subtracting(data.services)
        return data
    }
}
