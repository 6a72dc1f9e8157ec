import DBus

/// What an earlier run of blekeep has left behind. Each part is taken by the keeper's state, which owns it from then on.
struct Inheritance: Sendable {
    /// Connections that it made, if the machine hasn't been started since.
    var claims: [DeviceID: InheritedLink] = [:]
    /// Adapters that it was about to switch on again.
    var switchedOff: Set<ObjectPath> = []
    /// What it judged the devices to be.
    var verdicts: [DeviceID: Verdict] = [:]

    /// BlueZ doesn't report who made a connection, nor when. So long after blekeep's last sign of life, a connection that
    /// is up may have been made by another program; blekeep then uses it, but doesn't end it.
    static let longestClaim: Duration = .seconds(300)

    init() {}

    /// Reads what the ledger holds.
    init(
        _ ledger: any Ledger, _ known: (standings: [StoredDeviceStatus], entries: [LedgerEntry]),
        of configuration: Configuration, at clocks: ClockReading
    ) throws {
        verdicts = Self.verdicts(known.standings, known.entries, of: configuration)
        guard !clocks.boot.isEmpty, let last = try ledger.lastHeartbeat()?.clocks, last.boot == clocks.boot else {
            return
        }
        let cycling = try ledger.lastAdapters().filter { $0.trouble == .cycling }
        switchedOff = Set(cycling.compactMap { Bluez.root.child($0.name) })
        claims = Self.claims(known.standings, of: configuration, after: clocks.sinceBoot - last.sinceBoot)
    }

    /// Returns what the last run judged the devices to be.
    static func verdicts(
        _ standings: [StoredDeviceStatus], _ entries: [LedgerEntry], of configuration: Configuration
    ) -> [DeviceID: Verdict] {
        var verdicts: [DeviceID: Verdict] = [:]
        for (id, device) in configuration.devices.enumerated() {
            guard let standing = standings.first(where: { $0.address == device.address }) else { continue }
            verdicts[id] = Verdict(standing, entries.first { $0.device == device.address })
        }
        return verdicts
    }

    /// Returns the connections that the last run left.
    ///
    /// - Parameter silence: the time since its last sign of life.
    static func claims(
        _ known: [StoredDeviceStatus], of configuration: Configuration, after silence: Duration
    ) -> [DeviceID: InheritedLink] {
        guard silence <= longestClaim else { return [:] }
        let links = Dictionary(known.map { ($0.address, $0.link) }, uniquingKeysWith: { first, _ in first })
        var claims: [DeviceID: InheritedLink] = [:]
        for (id, device) in configuration.devices.enumerated() {
            switch links[device.address] {
            case .held?: claims[id] = .link
            case .making?: claims[id] = .attempt(until: .never)
            case .foreign?, StoredDeviceStatus.Link.none?, nil: continue
            }
        }
        return claims
    }
}
