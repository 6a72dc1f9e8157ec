import BlekeepSimulation
import DBus
import RunLoop

/// A keeper's attempts to connect: which are under way, and how the latest of each device went. Pure: told what is
/// asked and answered, it says what is wrong with it.
struct Attempts: Sendable {
    /// The devices that are being connected, with their adapters.
    private(set) var underWay: [ObjectPath: ObjectPath] = [:]
    private var latest: [ObjectPath: [Uptime]] = [:]
    /// When an older attempt than the latest was answered.
    private var overtaken: [ObjectPath: Uptime] = [:]

    /// Three quick ones, those that a second-long back-off allows, and one for each of three ticks; those before a good
    /// read do not count, as the back-off begins anew with it.
    private static let most = 14
    /// No attempt lasts longer, whatever comes of it.
    private static let longest: Duration = .seconds(60)
    /// One may be given up after this time, for other devices.
    private static let minimum: Duration = .seconds(5)

    /// - Parameter adapter: that it goes through; `nil`: through none that is on.
    /// - Returns: how many there were too many within a minute, if so.
    mutating func began(_ path: ObjectPath, through adapter: ObjectPath?, at now: Uptime) -> String? {
        if let adapter { underWay[path] = adapter }
        latest[path, default: []].removeAll { now - $0 > .seconds(60) }
        latest[path, default: []].append(now)
        let count = latest[path]?.count ?? 0
        return count > Self.most ? "\(path) is connected \(count) times within a minute" : nil
    }

    /// - Parameter begun: when what is answered now was asked.
    mutating func answered(_ path: ObjectPath, begun: Uptime, at now: Uptime) {
        if let last = latest[path]?.last, begun < last { overtaken[path] = now } else { over(path) }
    }

    /// A link that one has led to is of use: one of its characteristics was read.
    mutating func wellRead(_ characteristic: ObjectPath) {
        let tried = latest.first { $0.value.count > 1 && characteristic.isAt(orBelow: $0.key) }
        if let tried, let last = tried.value.last { latest[tried.key] = [last] }
    }

    mutating func over(_ path: ObjectPath) { underWay[path] = nil }

    mutating func over(through adapter: ObjectPath) { underWay = underWay.filter { $0.value != adapter } }

    mutating func allOver() { underWay = [:] }

    func underWay(through adapter: ObjectPath) -> ObjectPath? { underWay.first { $0.value == adapter }?.key }

    /// Since when the latest attempt is under way.
    func begun(_ path: ObjectPath) -> Uptime? { underWay[path] == nil ? nil : latest[path]?.last }

    /// When it was tried last.
    func last(_ path: ObjectPath) -> Uptime? { latest[path]?.last }

    /// Whether an attempt is given up at the time when an older one was answered, though its own time isn't up yet.
    func isMistaken(_ path: ObjectPath, at now: Uptime) -> Bool {
        guard underWay[path] != nil, overtaken[path] == now, let begun = latest[path]?.last else { return false }
        return now - begun < Self.minimum
    }

    /// Returns what is wrong with giving up an attempt that has lasted for less than a second, when all is well.
    func haste(_ path: ObjectPath, at now: Uptime) -> String? {
        guard let begun = begun(path), now - begun < .milliseconds(900) else { return nil }
        return "an attempt to connect \(path) is given up after \(now - begun)"
    }

    /// - Parameter start: what is older is excused.
    /// - Returns: those that have lasted for too long; each is told of once.
    mutating func endless(since start: Uptime, at now: Uptime) -> [String] {
        underWay.keys.sorted().compactMap { path in
            guard let begun = latest[path]?.last, now - max(begun, start) > Self.longest else { return nil }
            over(path)
            return "\(path) is being connected since \(begun)"
        }
    }
}
