import DBus
import RunLoop

/// Links that other programs hold: they take up the adapter's slots. They are counted only when slots seem short, as
/// the signals of strangers' devices would wake us all the time.
final class ExternalLinks: @unchecked Sendable {
    private let bus: any Bus
    private let ours: DevicePaths
    /// The devices that had a link when they were last counted; no more than a radio could hold.
    private var paths: Set<ObjectPath> = []
    private var countedAt: Uptime?
    private var isCounting = false
    /// How often that was asked for in vain since then.
    private var requests = 0

    static let most = 16
    static let pause: Duration = .seconds(60)
    /// Who asks so often has reason to: other programs take a radio's slots within seconds.
    static let urgent = (requests: 3, pause: Duration.seconds(1))

    init(_ bus: any Bus, _ ours: DevicePaths) {
        self.bus = bus
        self.ours = ours
    }

    func contains(_ path: ObjectPath) -> Bool { paths.contains(path) }

    /// What to listen for, so that the end of such a link is noticed.
    var rules: [SignalMatch] { paths.sorted().map { .properties(of: Device1.name, at: $0) } }

    func links(on adapter: ObjectPath, in tree: ObjectTree) -> Int {
        paths.count { $0.parent == adapter && tree[$0, Device1.connected] == true }
    }

    /// Asks BlueZ which devices of others have a link; at most once a minute, unless there is much reason to.
    ///
    /// - Returns: whether they are others than before.
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
        guard let connected = await survey() else { return false }
        let found = Set(connected.prefix(Self.most))
        defer { paths = found }
        return found != paths
    }

    /// Asks BlueZ which devices of others have a link now; `nil`: it does not say.
    func survey() async -> [ObjectPath]? {
        let others = await ours.queryOthers(on: bus)
        return others?.filter { $0.value[Device1.name.text]?[Device1.connected] == true }.keys.sorted()
    }
}
