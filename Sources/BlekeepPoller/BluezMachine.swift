import DBus
import RunLoop

/// bluetoothd behind the message bus: whether blekeep reaches it, and when to start it, to ping it, to query it again, to
/// restart it, and to replace the connection to the bus. Pure.
struct BluezMachine: Sendable {
    /// The outage that prevents polling of all devices.
    private(set) var outage: Outage? = .bus("there is no connection to the message bus")
    /// Whether BlueZ's objects are being queried again, so that their known state may be wrong.
    var isBlind = false
    var reports: Reports
    private(set) var health = BluezHealth()
    var recheck = Recheck()
    private(set) var renewal = RenewalState()
    /// When to ask the message bus to start bluetoothd.
    private(set) var activation = Uptime.never
    private var activationPause = Timing.firstActivationPause
    /// When the last outage ended.
    private var regainedAt: Uptime?
    /// When bluetoothd began to hang, and the number of other programs' connections then.
    private var hung: (since: Uptime, externalLinks: Int)?
    /// The end of the pause between restarts.
    private(set) var noRestartBefore = Uptime.start

    /// What the user knows of the outage and the adapters.
    struct Reports: Sendable {
        fileprivate(set) var isOutageReported = false
        /// When to report what is wrong since the start, since bluetoothd came back, or since an adapter came or went. It
        /// may end by itself in a moment.
        private(set) var next: Uptime
        /// The adapters that were reported as off.
        var off: Set<ObjectPath> = []
        var isAdapterMissing = false

        init(at start: Uptime) { next = start + Timing.beforeFirstReport }

        /// Reports soon what is wrong with the adapters, because one came or went.
        mutating func hurry(at now: Uptime) { next = min(next, now + Timing.beforeFirstReport) }

        /// What is wrong was reported.
        mutating func end() { next = .never }
    }

    /// The shortest time between two restarts, and after a restart that systemd refused.
    private static let restartPause: Duration = .seconds(1800)
    private static let deniedPause: Duration = .seconds(86_400)
    /// The time for bluetoothd to reply again.
    private static let hungUntilRestart: Duration = .seconds(300)

    init(at start: Uptime) { reports = Reports(at: start) }

    // MARK: Outages

    /// Returns the report of an outage: none at the start, and none twice.
    mutating func report(_ outage: Outage) -> [Effect] {
        guard self.outage == nil || reports.isOutageReported && self.outage != outage else { return [] }
        reports.isOutageReported = true
        // The first news on a new connection to the bus is that nobody has seen bluetoothd yet. It may have run all the time.
        let isBusBack = self.outage?.isOfBus == true && outage == .bluez
        return outage.effects(message: isBusBack ? "the message bus is back; waiting for bluetoothd" : outage.message)
    }

    /// Returns the report of the present outage, if it wasn't reported.
    mutating func reportFirst() -> [Effect] {
        guard let outage, !reports.isOutageReported else { return [] }
        reports.isOutageReported = true
        return outage.effects(message: outage.firstMessage)
    }

    /// bluetoothd, or the bus with it, stopped.
    ///
    /// - Parameter externalLinks: the number of other programs' connections when bluetoothd last replied.
    mutating func lost(_ outage: Outage, externalLinks: Int, at now: Uptime) {
        hung = outage == .hung ? hung ?? (now, externalLinks) : nil
        if case .bus = outage { renewal = RenewalState() }
        if outage == .bluez { recheck.doubt(.bluez, at: now) }
        // A bluetoothd that ends soon after each start is started with growing pauses.
        let isRecent = regainedAt.map { now - $0 < Timing.lasting } ?? false
        let isRelapse = isRecent && activationPause > Timing.firstActivationPause
        if !isRelapse { activationPause = Timing.firstActivationPause }
        self.outage = outage
        activation = outage == .bluez ? now + (isRelapse ? activationPause : Timing.beforeActivation) : .never
        if outage != .hung { health = BluezHealth() }
    }

    /// A snapshot of BlueZ came: there is no outage.
    mutating func regained(at now: Uptime) -> [Effect] {
        let wasReported = reports.isOutageReported
        if outage == nil { reports.isOutageReported = false } else { reports = Reports(at: now) }
        outage = nil
        isBlind = false
        health = BluezHealth()
        activation = .never
        regainedAt = now
        hung = nil
        recheck.end(.bluez)
        guard wasReported else { return [] }
        return .report(.notice, "bluetoothd is back", Attempt(phase: .bluez))
    }

    // MARK: Calls

    /// bluetoothd replied to a call, even with an error, or didn't.
    mutating func answered(_ isAnswered: Bool) -> [Effect] {
        if isAnswered { health.answered() }
        return !isAnswered && outage == nil && health.unanswered() ? [.ping] : []
    }

    /// The reads of a tick ended: bluetoothd replied to some of them, even with an error, or to none.
    mutating func polled(_ result: PollResult) -> [Effect] {
        let pings = (0..<result.silences).flatMap { _ in answered(false) }
        return result.values > 0 || result.failures > result.silences ? pings + answered(true) : pings
    }

    /// bluetoothd replied to a ping, or didn't. Returns whether it hangs now.
    mutating func pinged(_ isAlive: Bool, at now: Uptime) -> Bool {
        health.reply(isAlive, at: now)
        return !isAlive && outage == nil
    }

    // MARK: Time

    /// Does what is due.
    mutating func pass(_ wait: Wait, at now: Uptime) -> [Effect] {
        switch wait {
        case .reports:
            reports.end()
            return []
        case .recheck:
            recheck.query(at: now)
            return [.refresh]
        case .activation:
            // The next attempt comes after a growing pause.
            activation = now + activationPause
            activationPause = min(activationPause * 2, Timing.maxActivationPause)
            return [.activate]
        case .ping:
            health.ping()
            return [.ping]
        case .restart:
            restarts(at: now)
            return [.recover(.restartBluez)]
        }
    }

    // MARK: Restarts

    /// blekeep asks systemd to restart bluetoothd.
    mutating func restarts(at now: Uptime) { noRestartBefore = now + Self.restartPause }

    /// systemd refused to restart bluetoothd.
    mutating func restartDenied(at now: Uptime) { noRestartBefore = now + Self.deniedPause }

    // MARK: The connection to the bus

    /// Calls without a reply used up many of the connection's slots at the bus daemon.
    mutating func pressed(_ pressure: ReplyPressure) { renewal.press(pressure) }

    /// Returns whether to replace the connection, when that disturbs nothing, or at once when the daemon refuses calls.
    func isRenewalDue(isIdle: @autoclosure () -> Bool, at now: Uptime) -> Bool {
        guard let pressure = renewal.pressure, !renewal.isInProgress, renewal.isAllowed(at: now) else { return false }
        return pressure == .critical || outage == nil && !isBlind && isIdle()
    }

    /// blekeep replaces the connection. It misses BlueZ's signals until the new one has a snapshot.
    mutating func renews(at now: Uptime) {
        renewal.begin(at: now)
        isBlind = true
    }

    /// The snapshot of a new connection came. Returns whether it replaced another one. Subscriptions ended with that.
    mutating func renewed() -> Bool {
        defer { renewal.end() }
        return renewal.isInProgress
    }
}

extension BluezMachine: Waiting {
    enum Wait: CaseIterable {
        /// The time in which what is wrong may end by itself, before it is reported.
        case reports
        /// How long a state that a signal reported is believed.
        case recheck
        /// The pause before bluetoothd is started.
        case activation
        case ping
        /// The time for a bluetoothd that hangs to reply again, and the pause between restarts.
        case restart
    }

    /// - Parameter allowed: the recovery steps that the user allowed.
    func end(of wait: Wait, in allowed: Set<RecoveryStep>) -> Uptime {
        switch wait {
        case .reports: return reports.next
        case .recheck: return outage == nil || outage == .bluez ? recheck.next : .never
        case .activation: return activation
        case .ping: return health.nextPing
        case .restart:
            // A restart would end the connections of other programs.
            guard outage == .hung, let hung, hung.externalLinks == 0, allowed.contains(.restartBluetooth) else {
                return .never
            }
            return max(hung.since + Self.hungUntilRestart, noRestartBefore)
        }
    }
}

/// An outage that prevents polling of all devices.
enum Outage: Sendable, Hashable {
    case bus(String)
    case bluez
    /// bluetoothd runs, but doesn't reply.
    case hung
    /// The bus daemon denies access to bluetoothd, with its message.
    case denied

    /// Whether there is no connection to the message bus.
    var isOfBus: Bool { if case .bus = self { true } else { false } }
}

extension Outage {
    var message: String {
        switch self {
        case .bus: "lost the message bus; waiting for it to come back"
        case .bluez: "bluetoothd stopped; waiting for it to come back"
        case .hung: "bluetoothd doesn't reply; 'systemctl restart bluetooth' may help; checking it once a minute"
        case .denied: "\(BluetoothError.denied); still retrying"
        }
    }

    /// The message for an outage from the start.
    var firstMessage: String {
        switch self {
        case .bus(let why): "\(why); waiting for the message bus"
        case .bluez: "bluetoothd isn't running; waiting for it"
        case .hung, .denied: message
        }
    }

    var phase: Attempt.Phase {
        switch self {
        case .bus: .bus
        case .bluez, .hung, .denied: .bluez
        }
    }

    /// The failure of all devices during this outage.
    var failure: ReadingFailure {
        switch self {
        case .bus(let why): ReadingFailure(.noBus, why)
        case .bluez: ReadingFailure(.noBluez, "bluetoothd isn't running")
        case .hung: ReadingFailure(.bluezHung, "bluetoothd doesn't reply; it may need a restart")
        case .denied: .denied
        }
    }

    /// Returns the report of the outage.
    fileprivate func effects(message: String) -> [Effect] {
        .report(.warning, message, code: failure.code.known, Attempt(phase: phase, failure: failure, remedy: .wait))
    }
}

/// Decides when to check whether bluetoothd still replies. It may run and yet hang.
struct BluezHealth: Sendable {
    /// After this many consecutive calls without a reply, blekeep pings bluetoothd.
    static let suspicious = 3
    /// The time between pings of a bluetoothd that doesn't reply.
    static let pause: Duration = .seconds(60)

    private var silences = 0
    private(set) var isPinging = false
    private(set) var nextPing = Uptime.never

    /// Counts a call without a reply. Returns whether to ping bluetoothd.
    mutating func unanswered() -> Bool {
        silences += 1
        guard silences >= Self.suspicious, !isPinging else { return false }
        ping()
        return true
    }

    /// Takes a reply, even an error.
    mutating func answered() { silences = 0 }

    /// Takes the result of a ping; `false` means that bluetoothd didn't reply.
    mutating func reply(_ isAlive: Bool, at now: Uptime) {
        isPinging = false
        silences = 0
        nextPing = isAlive ? .never : now + Self.pause
    }

    mutating func ping() {
        isPinging = true
        nextPing = .never
    }
}

/// Decides when to query BlueZ again about states that prevent ticks, because a signal may be lost, or wrong. Pure.
///
/// Such a state is believed for at most 10 s after the signal that reported it, and is checked when a tick begins.
struct Recheck: Sendable, Hashable {
    /// A state that prevents ticks, and that BlueZ or the bus daemon reported.
    enum Doubt: Sendable, Hashable {
        /// bluetoothd stopped.
        case bluez
        /// The adapter is off, or gone.
        case adapter(ObjectPath)
        /// BlueZ forgot or blocked the device, or hasn't resolved its services.
        case device(DeviceNumber)
    }

    /// The states in doubt, and when to query each; `.never` when that was done.
    private var doubts: [Doubt: Uptime] = [:]
    private var queriedAt: Uptime?
    private(set) var next = Uptime.never

    /// The time from a signal to the query, which may itself take a second.
    static let trust: Duration = .seconds(9)
    static let afterReads: Duration = .milliseconds(500)
    /// The shortest time between two queries.
    static let pause: Duration = .seconds(2)

    /// Takes a state that a signal reported.
    mutating func doubt(_ state: Doubt, at now: Uptime) {
        guard doubts[state] == nil else { return }
        doubts[state] = now + Self.trust
        next = min(next, now + Self.trust)
    }

    /// Takes the end of a state.
    mutating func end(_ state: Doubt) {
        guard let time = doubts.removeValue(forKey: state), time == next else { return }
        next = doubts.values.min() ?? .never
    }

    /// Queries soon, because a tick needs the truth. The tick's reads come first: a bus that takes few calls at once would
    /// refuse them beside the query.
    mutating func hurry(at now: Uptime) {
        let soon = now + Self.afterReads
        next = min(next, max(soon, queriedAt.map { $0 + Self.pause } ?? soon))
    }

    /// Takes a query, which answers all doubts.
    mutating func query(at now: Uptime) {
        doubts = doubts.mapValues { _ in .never }
        queriedAt = now
        next = .never
    }
}

/// Decides when to replace the connection to the message bus, because missing replies used up its slots.
struct RenewalState: Sendable, Hashable {
    /// How urgent a new connection is; `nil` when it isn't needed.
    private(set) var pressure: ReplyPressure?
    /// Whether a new connection is being made.
    private(set) var isInProgress = false
    private(set) var renewedAt: Uptime?

    /// The shortest time between two new connections. If the daemon refuses calls sooner, blekeep isn't the cause.
    static let pause: Duration = .seconds(10)
    /// The time for a new connection. It doesn't begin so shortly before a tick.
    static let length: Duration = .seconds(2)

    /// Whether the time since the last new connection allows another one.
    func isAllowed(at now: Uptime) -> Bool { renewedAt.map { now - $0 >= Self.pause } ?? true }

    /// - Parameter pressure: from the current connection. A connection that is being replaced doesn't count.
    mutating func press(_ pressure: ReplyPressure) {
        if !isInProgress { self.pressure = max(self.pressure ?? pressure, pressure) }
    }

    mutating func end() { isInProgress = false }

    mutating func begin(at now: Uptime) {
        pressure = nil
        isInProgress = true
        renewedAt = now
    }
}
