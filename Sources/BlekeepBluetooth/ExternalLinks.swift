import DBus
import RunLoop

/// The connections of other programs, which use slots of the adapter.
///
/// blekeep counts them only when slots seem short, because the signals of unconfigured devices would wake it often.
final class ExternalLinks: @unchecked Sendable {
    private let bus: any Bus
    private let configured: DevicePaths
    /// The devices that were connected at the last count, at most as many as an adapter can hold.
    private var paths: Set<ObjectPath> = []
    private var countedAt: Uptime?
    private var isCounting = false
    /// The number of requests that were refused since the last count.
    private var requests = 0

    static let maxDevices = 16
    static let pause: Duration = .seconds(60)
    /// After this many requests the pause is shorter: other programs can take all slots within seconds.
    static let urgent = (requests: 3, pause: Duration.seconds(1))

    init(_ bus: any Bus, _ configured: DevicePaths) { (self.bus, self.configured) = (bus, configured) }

    func contains(_ path: ObjectPath) -> Bool { paths.contains(path) }

    /// The signals that report the end of such a connection.
    var rules: [SignalMatch] { paths.sorted().map { .properties(of: Device1.name, at: $0) } }

    func links(on adapter: ObjectPath, in tree: ObjectTree) -> Int {
        paths.count {
            $0.parent == adapter && tree[$0, Device1.connected] == true && configured.device(of: $0) == nil
        }
    }

    /// Queries BlueZ for these connections; usually at most once a minute. Returns whether they changed.
    func count() async -> Bool {
        let now = bus.loop.now
        if isCounting { return false }
        if let countedAt, now - countedAt < Self.pause {
            requests += 1
            if requests < Self.urgent.requests || now - countedAt < Self.urgent.pause { return false }
        }
        requests = 0
        countedAt = now
        isCounting = true
        defer { isCounting = false }
        guard let connected = await connectedDevices() else { return false }
        let found = Set(connected.prefix(Self.maxDevices))
        defer { paths = found }
        return found != paths
    }

    /// Queries BlueZ for the unconfigured devices that are connected now; `nil` when the query fails.
    func connectedDevices() async -> [ObjectPath]? {
        let others = await configured.queryOthers(on: bus)
        return others?.filter { $0.value[Device1.name.text]?[Device1.connected] == true }.keys.sorted()
    }
}
