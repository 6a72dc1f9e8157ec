import BlekeepRecords
internal import Foundation
import RunLoop

/// What the gateways of a fleet say of its devices, and who reads each device that several may read. Pure.
///
/// Each gateway retains one message with what it does with each of its devices:
///
/// ```json
/// {"fleet":"home","devices":{"f00000000001":{"state":"reads","since":1764170000000,"rssi":-61},
///  "f00000000002":{"state":"lost","since":1764170000000,"reason":"…"}}}
/// ```
package struct FleetMember {
    private let fleet: String
    private let gateway: String
    private var standbys: [DeviceID: Standby] = [:]
    private let devices: Set<DeviceID>
    /// The newest status of this gateway's devices, and since when it says the same of each.
    private var own: [DeviceID: (status: DeviceStatus, said: Said)] = [:]
    /// The devices of each other gateway that this one's configuration lacks; `nil` before the broker has sent any report,
    /// which its access rules may forbid.
    private var others: [String: Set<DeviceID>]?
    /// Whether there were too many of them to remember. Then none counts as gone.
    private var areTooMany = false
    private let configured: Set<DeviceID>
    /// Whether no device can be read, because the bus, bluetoothd or all adapters are away.
    private var isBlind = false

    private struct Said {
        var report: Standby.Report
        /// Milliseconds since 1970.
        var since: Int64
    }

    package init(fleet: String, gateway: String, _ configured: [DeviceConfiguration], at start: Uptime) {
        self.fleet = fleet
        self.gateway = gateway
        self.configured = Set(configured.map(\.id))
        let polled = configured.filter(\.isPolled)
        devices = Set(polled.map(\.id))
        for device in polled where device.isShared {
            standbys[device.id] = Standby(order: device.gateways, own: gateway, at: start)
        }
    }

    // MARK: What happens

    package mutating func looked(at now: Uptime) { change { $0.looked(at: now) } }

    /// Another machine has this gateway's name.
    mutating func refused() { change { $0.refused() } }

    package mutating func disconnected(at now: Uptime) { change { $0.disconnected(at: now) } }

    package mutating func heard(of gateway: String, isOnline: Bool, at now: Uptime) {
        change { $0.heard(of: gateway, isOnline: isOnline, at: now) }
    }

    /// - Parameter isLive: whether the gateway said something now. Otherwise the broker kept it.
    package mutating func heard(of gateway: String, isLive: Bool, at now: Uptime) {
        change { $0.heard(of: gateway, isLive: isLive, at: now) }
    }

    /// Takes what another gateway says of its devices. Returns the devices that it had, and has let go of.
    @discardableResult
    package mutating func heard(of gateway: String, _ payload: [UInt8], at now: Uptime) -> [DeviceID] {
        let devices = FleetMessage(payload).flatMap { $0.fleet == fleet ? $0.devices : nil } ?? [:]
        note(Set(devices.keys.compactMap { DeviceID($0) }), of: gateway)
        var left: [DeviceID] = []
        for id in standbys.keys.sorted() {
            let said = devices[id.description]
            let hasLeft = standbys[id]?.heard(
                of: gateway, said.flatMap { Standby.Report(rawValue: $0.state) }, isBonded: said?.bonded ?? false,
                at: now)
            if hasLeft == true { left.append(id) }
        }
        return left
    }

    /// Whoever may publish could fill the memory otherwise.
    private static let maxOthers = 10_000

    private mutating func note(_ devices: Set<DeviceID>, of gateway: String) {
        if others == nil { others = [:] }
        others?[gateway] = gateway == self.gateway ? [] : devices.subtracting(configured)
        let count = others?.reduce(0) { $0 + $1.value.count } ?? 0
        if count > Self.maxOthers || others?.count ?? 0 > MQTTNeighbors.maxGateways {
            (others, areTooMany) = ([:], true)
        }
    }

    /// Whether another gateway of the fleet may have a device that this one's configuration lacks.
    func mayBeElsewhere(_ device: DeviceID) -> Bool {
        areTooMany || others.map { $0.values.contains { $0.contains(device) } } ?? true
    }

    mutating func moved(_ device: DeviceID, to gateway: String, at now: Uptime) {
        standbys[device]?.moved(to: gateway, at: now)
    }

    private mutating func change(_ body: (inout Standby) -> Void) {
        for index in standbys.values.indices { body(&standbys.values[index]) }
    }

    /// Takes this gateway's own state.
    ///
    /// - Returns: whether it says something else of a device now.
    package mutating func apply(_ changes: LedgerChanges, time: Int64) -> Bool {
        var isNews = false
        if let poller = changes.poller { isBlind = poller.outage != nil || !poller.adapters.contains(where: \.isOn) }
        for status in changes.statuses where devices.contains(status.id) {
            if own[status.id] == nil { isNews = true }
            own[status.id] = (status, own[status.id]?.said ?? Said(report: report(of: status), since: time))
        }
        for id in Array(own.keys) {
            guard let (status, said) = own[id] else { continue }
            let report = report(of: status)
            if report != said.report {
                own[id] = (status, Said(report: report, since: time))
                isNews = true
            }
        }
        return isNews
    }

    private func report(of status: DeviceStatus) -> Standby.Report {
        // A connection that is about to end still keeps others from the device. An attempt, such as that of a process
        // before, may never become one.
        if status.isStandingBy, !status.link.isOurs || status.link == .connecting {
            return status.link == .listening ? .hears : .silent
        }
        if isBlind { return .lost }
        return switch status.state {
        case .lost, .needsUser: .lost
        case .new, .good, .trying: .reads
        }
    }

    // MARK: Decisions

    /// Whether this gateway reads a device, and publishes what it knows of it.
    func isInCharge(of device: DeviceID) -> Bool {
        standbys[device] == nil || own[device].map { !$0.status.isStandingBy } ?? false
    }

    package mutating func decide(at now: Uptime) -> [DeviceCommand] {
        var commands: [DeviceCommand] = []
        for id in standbys.keys.sorted() {
            if let state = state(of: id), let decision = standbys[id]?.decide(state, at: now) {
                commands.append(DeviceCommand(decided: decision, id))
            }
        }
        return commands
    }

    /// The next time when a decision may be due.
    package func nextDecision(after now: Uptime) -> Uptime {
        standbys.lazy.compactMap { id, standby in state(of: id).map { standby.nextDecision($0, after: now) } }.min()
            ?? .never
    }

    /// What this gateway does with a device; `nil` before its status is known.
    func state(of device: DeviceID) -> Standby.Own? {
        own[device].map { status, said in
            Standby.Own(
                report: said.report, isInCharge: !status.isStandingBy, isHeld: status.link == .held,
                isBonded: status.isBonded)
        }
    }

    // MARK: The message

    /// What this gateway says of its devices.
    package var payload: [UInt8] {
        let devices: [(key: String, value: JSON?)] = own.sorted { $0.key < $1.key }.map { id, own in
            let (status, said) = own
            let object: JSON = .object([
                "state": .text(said.report.rawValue), "since": .integer(Int(said.since)),
                "rssi": .integer(status.rssi), "bonded": status.isBonded ? true : nil,
                "reason": said.report == .lost ? .text(status.failure?.message) : nil,
            ])
            return (key: id.description, value: object)
        }
        return Array(JSON.object(["fleet": .text(fleet), "devices": .object(devices)]).text.utf8)
    }
}

extension DeviceCommand {
    init(decided decision: Standby.Decision, _ device: DeviceID) {
        switch decision {
        case .takeOver(let reason): self.init(.takeOver(because: reason), device)
        case .standBy(let reason, let atLinkEnd):
            self.init(.standBy(because: reason, atLinkEnd: atLinkEnd), device)
        }
    }
}

/// What a gateway says of its devices, as another program reads it.
package struct FleetMessage: Decodable, Sendable {
    package var fleet: String
    /// By ID.
    package var devices: [String: Device]

    package struct Device: Decodable, Sendable {
        package var state: String
        /// Milliseconds since 1970, by the gateway's clock.
        package var since: Int64?
        /// In dBm.
        package var rssi: Int?
        package var bonded: Bool?
        package var reason: String?
    }

    /// A longer message is none of a gateway's.
    static let maxLength = 1 << 20

    /// `nil` for another message.
    package init?(_ payload: [UInt8]) {
        guard payload.count <= Self.maxLength,
            let report = try? JSONDecoder().decode(Self.self, from: Data(payload))
        else { return nil }
        self = report
    }
}
