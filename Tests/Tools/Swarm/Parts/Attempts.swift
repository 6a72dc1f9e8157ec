import Blekeep
import BlekeepSimulation
import DBus
import RunLoop

/// Checks a poller's attempts to connect: not too many, none too long, and none given up too early. Pure.
struct Attempts: Sendable {
    /// The connecting devices, with their adapters.
    private(set) var inProgress: [ObjectPath: ObjectPath] = [:]
    private var latest: [ObjectPath: [Uptime]] = [:]
    /// The time of a reply to an older attempt than the latest.
    private var overtaken: [ObjectPath: Uptime] = [:]

    /// The most attempts of a device in a minute: three quick ones, those between pauses of seconds, and one for each of three
    /// ticks. A good read resets the pauses, so earlier attempts don't count.
    private static let most = 14
    /// The longest time of an attempt.
    private static let longest: Duration = .seconds(60)
    /// After this time, the poller may give up an attempt for other devices.
    private static let minimum: Duration = .seconds(5)

    /// Takes the start of an attempt.
    ///
    /// - Parameter adapter: the adapter that connects; `nil` if it isn't on.
    /// - Returns: the violation if there were too many attempts within a minute.
    mutating func began(_ path: ObjectPath, through adapter: ObjectPath?, at now: Uptime) -> String? {
        if let adapter { inProgress[path] = adapter }
        latest[path, default: []].removeAll { now - $0 > .seconds(60) }
        latest[path, default: []].append(now)
        let count = latest[path]?.count ?? 0
        return count > Self.most ? "\(path) is connected \(count) times within a minute" : nil
    }

    /// Takes the reply to an attempt.
    ///
    /// - Parameter begun: the time when the attempt began.
    mutating func answered(_ path: ObjectPath, begun: Uptime, at now: Uptime) {
        if let last = latest[path]?.last, begun < last { overtaken[path] = now } else { over(path) }
    }

    /// Takes a good read, which resets the count of attempts.
    mutating func wellRead(_ characteristic: ObjectPath) {
        let tried = latest.first { $0.value.count > 1 && characteristic.isAt(orBelow: $0.key) }
        if let tried, let last = tried.value.last { latest[tried.key] = [last] }
    }

    /// Takes a change of a device's configuration, which resets the count of attempts.
    mutating func reconfigured(_ device: BluetoothAddress) {
        for (path, times) in latest where BluetoothAddress(device: path) == device { latest[path] = times.suffix(1) }
    }

    mutating func over(_ path: ObjectPath) { inProgress[path] = nil }

    mutating func over(through adapter: ObjectPath) { inProgress = inProgress.filter { $0.value != adapter } }

    mutating func allOver() { inProgress = [:] }

    func inProgress(through adapter: ObjectPath) -> ObjectPath? { inProgress.first { $0.value == adapter }?.key }

    /// Returns the start of the attempt in progress.
    func begun(_ path: ObjectPath) -> Uptime? { inProgress[path] == nil ? nil : latest[path]?.last }

    /// Whether the poller gives up an attempt too early, because it takes the reply to an older one for its reply.
    func isMistaken(_ path: ObjectPath, at now: Uptime) -> Bool {
        guard inProgress[path] != nil, overtaken[path] == now, let begun = latest[path]?.last else { return false }
        return now - begun < Self.minimum
    }

    /// Returns the violation of giving up an attempt within a second, when there is no fault.
    func haste(_ path: ObjectPath, at now: Uptime) -> String? {
        guard let begun = begun(path), now - begun < .milliseconds(900) else { return nil }
        return "an attempt to connect \(path) is given up after \(now - begun)"
    }

    /// - Parameter start: the time before this doesn't count.
    /// - Returns: a violation for each attempt that lasts too long, once.
    mutating func endless(since start: Uptime, at now: Uptime) -> [String] {
        inProgress.keys.sorted().compactMap { path in
            guard let begun = latest[path]?.last, now - max(begun, start) > Self.longest else { return nil }
            over(path)
            return "\(path) is being connected since \(begun)"
        }
    }
}
