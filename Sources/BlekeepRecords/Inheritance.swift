import DBus

/// What an earlier run of blekeep left: connections, adapters that are off, and the conditions of the devices.
package struct Inheritance: Sendable {
    /// Connections of that run, if the machine didn't restart since.
    package var claims: [DeviceIndex: InheritedLink] = [:]
    /// Adapters that it was about to turn on again.
    package var switchedOff: Set<ObjectPath> = []
    /// The last condition of each device.
    package var conditions: [DeviceIndex: DeviceCondition] = [:]

    /// The pauses that a user asked for.
    package var pauses: [DeviceIndex: PauseLength] = [:]
    /// What the devices' advertisements were recognized by.
    package var identities: [DeviceIndex: BroadcastIdentity] = [:]

    /// The longest time after the last heartbeat for which blekeep inherits connections. BlueZ doesn't report which program
    /// made a connection. Later, it may be another program's: blekeep then uses it, but doesn't end it.
    static let longestClaim: Duration = .seconds(300)

    package init() {}

    /// Reads the ledger.
    package init(
        _ ledger: any Ledger, _ known: (statuses: [DeviceStatus], entries: [LedgerEntry]),
        of configuration: PollConfiguration, at clocks: ClockReading
    ) throws {
        conditions = Self.conditions(known.statuses, of: configuration)
        identities = Self.identities(known.statuses, of: configuration)
        let last = try ledger.lastHeartbeat()?.clocks
        // A clock that isn't set yet after the machine's start would make a pause last for years.
        pauses = Self.pauses(known.statuses, of: configuration, from: max(clocks.time, last?.time ?? .min))
        guard !clocks.boot.isEmpty, let last, last.boot == clocks.boot else { return }
        let cycling = try ledger.lastAdapters().filter { $0.trouble == .cycling }
        switchedOff = Set(cycling.compactMap { Bluez.root.child($0.name) })
        claims = Self.claims(known.statuses, of: configuration, after: clocks.sinceBoot - last.sinceBoot)
    }

    /// Returns the conditions of the devices in the last run.
    package static func conditions(
        _ known: [DeviceStatus], of configuration: PollConfiguration
    ) -> [DeviceIndex: DeviceCondition] {
        var conditions: [DeviceIndex: DeviceCondition] = [:]
        for (id, device) in configuration.devices.enumerated() {
            conditions[id] = known.first { $0.id == device.id }?.condition
        }
        return conditions
    }

    /// Returns what the devices' advertisements were recognized by.
    package static func identities(
        _ known: [DeviceStatus], of configuration: PollConfiguration
    ) -> [DeviceIndex: BroadcastIdentity] {
        var identities: [DeviceIndex: BroadcastIdentity] = [:]
        for (id, device) in configuration.devices.enumerated() {
            identities[id] = known.first { $0.id == device.id && $0.address == device.address }?.identity
        }
        return identities
    }

    /// Returns the pauses that last beyond a time, in milliseconds since 1970.
    package static func pauses(
        _ known: [DeviceStatus], of configuration: PollConfiguration, from time: Int64
    ) -> [DeviceIndex: PauseLength] {
        var pauses: [DeviceIndex: PauseLength] = [:]
        for (id, device) in configuration.devices.enumerated() {
            guard let pause = known.first(where: { $0.id == device.id })?.pause else { continue }
            let length = pause.length(from: time)
            if length != .time(.zero) { pauses[id] = length }
        }
        return pauses
    }

    /// Returns the connections that the last run left.
    ///
    /// - Parameter silence: the time since its last heartbeat.
    package static func claims(
        _ known: [DeviceStatus], of configuration: PollConfiguration, after silence: Duration
    ) -> [DeviceIndex: InheritedLink] {
        guard silence <= longestClaim else { return [:] }
        let links = Dictionary(known.map { ($0.address, $0.link) }, uniquingKeysWith: { first, _ in first })
        var claims: [DeviceIndex: InheritedLink] = [:]
        for (id, device) in configuration.devices.enumerated() {
            guard let link = links[device.address], link.isOurs else { continue }
            claims[id] = link.isConnected ? .link : .attempt(until: .never)
        }
        return claims
    }
}
