import BlekeepRecords

/// What the gateways of a fleet retain at the broker: which gateway reads each device, and which devices none reads. Pure.
///
/// Whoever may publish at the broker can forge these messages, and each of them may contain anything.
package struct FleetView: Sendable {
    /// What a gateway says of itself.
    package struct Gateway: Sendable, Hashable {
        package let name: String
        /// `nil` when the broker retains no status of it.
        package fileprivate(set) var isOnline: Bool?
        package fileprivate(set) var installation: String?
        package fileprivate(set) var state: GatewayStateReport?
        /// Whether it says that it belongs to another fleet.
        package fileprivate(set) var isElsewhere = false
        /// When it published what the broker retains of it last, in milliseconds since 1970 by this machine's clock; `nil`
        /// in MQTT 3.1.1, where the broker doesn't say so.
        package fileprivate(set) var lastMessage: Int64?
        /// The seconds that its clock is ahead of this machine's; `nil` when that isn't known.
        package fileprivate(set) var clockLead: Int64?
        /// What it says of the fleet's devices; `nil` when it says nothing.
        fileprivate(set) var reports: [DeviceID: Report]?

        /// Whether the broker retains anything of it.
        package var isKnown: Bool { isOnline != nil || reports != nil || isElsewhere }
        /// The number of devices that it reads, or read last; `nil` when it says nothing.
        package var reads: Int? { reports?.values.count { $0.state == .reads } }
    }

    /// What a gateway says of a device.
    package struct Report: Sendable, Hashable {
        let state: Standby.Report
        /// Since when it says so, in milliseconds since 1970 by the gateway's clock.
        package let since: Int64?
        /// In dBm.
        package let rssi: Int?
        /// Whether the gateway has keys for the device.
        package let isBonded: Bool
        /// Why it can't read the device.
        package let reason: String?

        /// `reads`, `lost`, `hears` or `silent`.
        package var word: String { state.rawValue }

        /// `nil` for a state that blekeep doesn't know.
        init?(_ report: FleetMessage.Device) {
            guard let state = Standby.Report(rawValue: report.state) else { return nil }
            self.state = state
            since = report.since
            rssi = report.rssi.flatMap { (-127...20).contains($0) ? $0 : nil }
            isBonded = report.bonded == true
            reason = report.reason.map { Untrusted($0, limit: 300).description }
        }
    }

    /// A gateway, and what it says of one device.
    package struct Mention: Sendable, Hashable {
        package let gateway: String
        package let isOnline: Bool?
        /// `nil` when it doesn't mention the device.
        package let report: Report?

        var isReading: Bool { isOnline == true && report?.state == .reads }
        var hasLost: Bool { isOnline == true && report?.state == .lost }
        var isHearing: Bool { isOnline == true && report?.state == .hears }

        /// A few words for a table, such as `attic -70 dBm`.
        package var words: String {
            switch (isOnline, report?.state) {
            case (nil, _): "\(gateway) unknown"
            case (false?, _): "\(gateway) offline"
            case (true?, .hears?): "\(gateway) \(report?.rssi.map { "\($0) dBm" } ?? "hears it")"
            case (true?, let state?): "\(gateway) \(state.rawValue)"
            case (true?, nil): "\(gateway) –"
            }
        }

        /// What that means for a device that no gateway reads.
        fileprivate var sentence: String {
            switch (isOnline, report?.state) {
            case (nil, nil): "\(gateway) has never said anything"
            case (nil, _?): "nothing says whether \(gateway) is online"
            case (false?, .reads?): "\(gateway) read it, and is offline"
            case (false?, _): "\(gateway) is offline"
            case (true?, .hears?): "\(gateway) hears it\(report?.rssi.map { " at \($0) dBm" } ?? "")"
            case (true?, .silent?): "\(gateway) doesn't hear it"
            case (true?, .lost?): "\(gateway) can't read it\(report?.reason.map { ": \($0)" } ?? "")"
            case (true?, .reads?): "\(gateway) reads it"
            case (true?, nil): "\(gateway) doesn't mention it"
            }
        }
    }

    package struct Device: Sendable {
        package enum State: String, Sendable, CaseIterable {
            /// A gateway should read it, and can't.
            case lost
            /// No gateway that is online reads it.
            case unread
            case read
        }

        package let id: DeviceID
        /// `nil` for a device without an alias in this machine's configuration.
        package let alias: String?
        package let state: State
        /// The gateway that reads it, or that should and can't.
        package let reader: Mention?
        /// The other gateways that mention it, or that may read it.
        package let others: [Mention]
        /// Whether other gateways than `reader` may read it; `nil` when the configuration doesn't say so.
        fileprivate let mayMove: Bool?

        package var name: String { alias ?? id.description }

        /// Why no gateway reads it, and which one could; `nil` for a device that one reads.
        package var trouble: String? {
            guard state != .read else { return nil }
            var parts = state == .lost ? [] : ["nobody reads it"]
            if let reader { parts.append(reader.sentence) }
            let mentions = others + (reader.map { [$0] } ?? [])
            let owners = mentions.filter { $0.report?.isBonded == true }.map(\.gateway)
            if !owners.isEmpty {
                // The order of what follows is that of the gateways: those without keys don't matter.
                parts += others.filter { owners.contains($0.gateway) }.map(\.sentence)
                parts.append("only \(owners.joined(separator: " and ")) \(owners.count == 1 ? "has" : "have") its keys")
                return parts.joined(separator: "; ")
            }
            parts += others.map { $0.isHearing ? "\($0.sentence) and can take over" : $0.sentence }
            if !others.contains(where: \.isHearing) {
                parts.append(mayMove == false ? "no other gateway may read it" : "nobody hears it")
            }
            return parts.joined(separator: "; ")
        }
    }

    /// `nil` when the gateways have no fleet.
    package let fleet: String?
    /// The versions of the configuration; `nil` when each gateway has only its own.
    package var versions: FleetVersions?
    private let topics: MQTTTopics
    private let installation: String?
    /// Devices of this machine's configuration.
    private let configured: [DeviceConfiguration]
    private var known: [String: Gateway] = [:]
    /// The number of reports of devices.
    private var size = 0

    /// How many reports of devices count.
    static let maxReports = 100_000

    /// - Parameter devices: all of this machine's configuration.
    package init(_ configuration: MQTTConfiguration, devices: [DeviceConfiguration]) {
        fleet = configuration.fleet
        topics = MQTTTopics(configuration)
        installation = configuration.installation
        configured = devices
    }

    /// - Parameters:
    ///   - fleet: the database's name.
    ///   - gateway: this machine's.
    package init(ofDatabase fleet: String, gateway: String, devices: [DeviceConfiguration]) {
        var configuration = MQTTConfiguration(host: "", port: 0, isEncrypted: false, gateway: gateway)
        configuration.fleet = fleet
        self.init(configuration, devices: devices)
    }

    // MARK: What gateways say

    /// Takes what a gateway says in a database.
    ///
    /// - Parameters:
    ///   - parts: `state` and so on, as topics name them, and the messages.
    ///   - sent: when it said so, in milliseconds since 1970 by this machine's clock.
    package mutating func received(of gateway: String, _ parts: KeyValuePairs<String, String>, sent: Int64) {
        for (part, text) in parts {
            received("\(topics.base)/\(gateway)/\(part)", payload: Array(text.utf8), sent: sent)
        }
    }

    /// Takes a message; an empty one means that the broker retains none any more.
    ///
    /// - Parameter sent: when it was published, in milliseconds since 1970 by this machine's clock; `nil` when that isn't
    ///   known.
    package mutating func received(_ topic: String, payload: [UInt8], sent: Int64? = nil) {
        guard let (name, part) = topics.part(ofGateway: topic),
            MQTTConfiguration.isTopicPart(name), known[name] != nil || known.count < MQTTNeighbors.maxGateways
        else { return }
        var gateway = known[name] ?? Gateway(name: name)
        switch part {
        case "status": gateway.isOnline = payload.isEmpty ? nil : payload == Array("online".utf8)
        case "installation":
            let text = Untrusted(String(decoding: payload.prefix(64), as: UTF8.self))
            gateway.installation = payload.isEmpty ? nil : text.description
        case "state":
            gateway.state = GatewayStateReport(payload)
            gateway.clockLead = gateway.state.flatMap { Self.lead(of: $0.time, sent: sent) }
        case "devices": apply(FleetMessage(payload), to: &gateway)
        default: return
        }
        if let sent, !payload.isEmpty { gateway.lastMessage = max(gateway.lastMessage ?? sent, sent) }
        known[name] = gateway
    }

    /// The time in a message may be any number.
    private static func lead(of time: Int64?, sent: Int64?) -> Int64? {
        guard let time, let sent else { return nil }
        let (difference, isOverflow) = time.subtractingReportingOverflow(sent)
        return isOverflow ? nil : difference / 1000
    }

    private mutating func apply(_ report: FleetMessage?, to gateway: inout Gateway) {
        size -= gateway.reports?.count ?? 0
        gateway.reports = nil
        gateway.isElsewhere = report.map { $0.fleet != fleet } ?? false
        guard let report, !gateway.isElsewhere, size + report.devices.count <= Self.maxReports else { return }
        var reports: [DeviceID: Report] = [:]
        for (text, device) in report.devices {
            if let id = DeviceID(text), let report = Report(device) { reports[id] = report }
        }
        gateway.reports = reports
        size += reports.count
    }

    // MARK: What that means

    /// How long a gateway counts as online that has said nothing, in milliseconds: each one says something once a
    /// minute.
    private static let patience: Int64 = 180_000

    /// Returns what is known at a time. A broker that lost its power together with a gateway keeps the gateway's
    /// `online`.
    ///
    /// - Parameter now: milliseconds since 1970 by this machine's clock.
    func at(_ now: Int64) -> FleetView {
        var view = self
        for (name, gateway) in known where gateway.isOnline == true && gateway.reports != nil {
            if let last = gateway.lastMessage, last < now - Self.patience { view.known[name]?.isOnline = false }
        }
        return view
    }

    /// The fleet's gateways, those that aren't online first: those that say so, and those that `gateways` of devices name.
    package var gateways: [Gateway] {
        let named = Set(configured.flatMap(\.namedGateways))
        let members = known.values.filter { $0.reports != nil || named.contains($0.name) }
        let unknown = named.subtracting(known.keys).map { Gateway(name: $0) }
        return (members + unknown).sorted {
            ($0.isOnline == true ? 1 : 0, $0.name) < ($1.isOnline == true ? 1 : 0, $1.name)
        }
    }

    /// Returns what is known of a gateway, whatever its fleet.
    package func gateway(_ name: String) -> Gateway { known[name] ?? Gateway(name: name) }

    /// The devices in the configuration and those that gateways mention: those that no gateway reads first.
    package var devices: [Device] {
        let byID = MQTTTopics.byID(configured)
        var mentions: [DeviceID: [Mention]] = [:]
        for gateway in gateways {
            for (id, report) in gateway.reports ?? [:] {
                let mention = Mention(gateway: gateway.name, isOnline: gateway.isOnline, report: report)
                mentions[id, default: []].append(mention)
            }
        }
        let ids = Set(mentions.keys).union(configured.filter(\.isEnabled).map(\.id))
        let all = ids.map { device($0, configured: byID[$0], said: mentions[$0] ?? []) }
        return Device.State.allCases.flatMap { state in
            all.filter { $0.state == state }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        }
    }

    private func device(_ id: DeviceID, configured device: DeviceConfiguration?, said: [Mention]) -> Device {
        let order = device?.namedGateways ?? []
        // First those of the user's order, whether or not they say anything.
        let ordered = order.map { name in
            said.first { $0.gateway == name }
                ?? Mention(gateway: name, isOnline: known[name]?.isOnline, report: nil)
        }
        let all = ordered + said.filter { !order.contains($0.gateway) }
        let reader = all.first(where: \.isReading) ?? all.first(where: \.hasLost)
        let state: Device.State = reader.map { $0.isReading ? .read : .lost } ?? .unread
        return Device(
            id: id, alias: device?.alias, state: state, reader: reader, others: all.filter { $0 != reader },
            mayMove: order.isEmpty ? nil : device?.isShared)
    }

    // MARK: In words

    /// Something that a reader of the whole view should know.
    package struct Note: Sendable, Hashable {
        package enum Weight: Sendable { case plain, warning, bad }

        package let weight: Weight
        package let text: String
    }

    /// A clock that differs by less isn't worth a note: the broker counts in seconds.
    private static let minClockLead: Int64 = 5

    /// The devices that no gateway reads, and what isn't known.
    ///
    /// - Parameter failure: why there is no connection; `nil` with one.
    package func notes(now: Int64, failure: String?) -> [Note] {
        let lost = failure.map { "no connection, so that this may be old: \($0)" }
        var notes = [lost.map { Note(weight: .bad, text: $0) }].compactMap(\.self)
        notes += devices.compactMap { device in
            device.trouble.map { Note(weight: .bad, text: "\(Untrusted(device.name)): \($0)") }
        }
        for gateway in gateways {
            if let note = note(on: gateway, now: now) { notes.append(note) }
            if let lead = gateway.clockLead, abs(lead) >= Self.minClockLead, gateway.isOnline == true {
                let length = DurationText.text(.seconds(abs(lead)))
                let side = lead > 0 ? "ahead of" : "behind"
                let text = "the clock of \(gateway.name) is \(length) \(side) this machine's"
                notes.append(Note(weight: .warning, text: text))
            }
        }
        notes += versions?.notes ?? []
        if gateways.isEmpty {
            let text = "no gateway of the fleet has said anything: none has been connected, or access rules hide it"
            notes.append(Note(weight: .warning, text: text))
        }
        return notes
    }

    private func note(on gateway: Gateway, now: Int64) -> Note? {
        switch gateway.isOnline {
        case true? where gateway.isElsewhere:
            return Note(weight: .warning, text: "\(gateway.name) belongs to another fleet")
        case true? where gateway.reads == nil:
            return Note(weight: .warning, text: "\(gateway.name) says nothing of devices")
        case true?: return nil
        case false?:
            let age = gateway.lastMessage.map { ", \(AttemptMessages.span(from: min($0, now), to: now)) ago" } ?? ""
            return Note(weight: .plain, text: "\(gateway.name) is offline: this is what it said last\(age)")
        case nil where gateway.isKnown:
            return Note(weight: .warning, text: "nothing says whether \(gateway.name) is online")
        case nil:
            let text = "\(gateway.name) has said nothing: it may never have been connected"
            return Note(weight: .plain, text: text)
        }
    }

    // MARK: For `doctor`

    /// What is wrong with the fleet's configuration, and after a semicolon what to do.
    package var warnings: [String] {
        var warnings: [String] = []
        let named = Set(configured.flatMap(\.namedGateways))
        let unknown = named.filter { $0 != topics.gateway && !gateway($0).isKnown }.sorted()
        if !unknown.isEmpty {
            warnings.append(
                "the broker has never heard of \(unknown.joined(separator: ", ")) in `gateways` of devices; check the "
                    + "name, start blekeep there, and let the broker's access rules show \(topics.statuses)")
        }
        if !named.isEmpty, !named.contains(topics.gateway) {
            warnings.append(
                "no device's `gateways` names this gateway, \(topics.gateway); add it to them, or set `gateway` to one of "
                    + "their names")
        }
        if isTaken { warnings.append(MQTTNeighbors.twin(of: topics.gateway)) }
        return warnings
    }

    /// Whether another machine that is online has this gateway's name.
    private var isTaken: Bool {
        let own = gateway(topics.gateway)
        guard let installation, let holder = own.installation else { return false }
        return own.isOnline == true && holder != installation
    }
}
