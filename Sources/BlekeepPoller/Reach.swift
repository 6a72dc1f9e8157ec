import DBus
import RunLoop

/// Whether blekeep reaches bluetoothd, and when to start or check it.
struct Reach: Sendable {
    private(set) var outage: Outage? = .bus("there is no connection to the message bus")
    /// Whether the outage was reported.
    private(set) var isReported = false
    /// When to report what is wrong since the start, since bluetoothd came back, or since an adapter came or went. It may
    /// end by itself in a moment.
    private(set) var firstReport: Uptime
    /// The adapters that were reported as off.
    var offReported: Set<ObjectPath> = []
    /// Whether a missing adapter was reported.
    var isMissingReported = false
    var health = BluezHealth()
    /// Whether BlueZ's objects are being queried again, so that their known state may be wrong.
    var isBlind = false
    /// When to ask the message bus to start bluetoothd.
    private(set) var activation = Uptime.never
    private var activationPause = Timing.firstActivationPause
    /// When the last outage ended.
    private var regainedAt: Uptime?

    init(at start: Uptime) {
        firstReport = start + Timing.beforeFirstReport
    }

    /// Returns whether to report this outage: not at the start, and not twice.
    mutating func isNews(_ outage: Outage) -> Bool {
        guard self.outage == nil || isReported && self.outage != outage else { return false }
        isReported = true
        return true
    }

    mutating func lose(_ outage: Outage, at now: Uptime) {
        // A bluetoothd that ends soon after each start is started with growing pauses.
        let isRecent = regainedAt.map { now - $0 < Timing.lasting } ?? false
        let isRelapse = isRecent && activationPause > Timing.firstActivationPause
        if !isRelapse { activationPause = Timing.firstActivationPause }
        self.outage = outage
        activation = outage == .bluez ? now + (isRelapse ? activationPause : Timing.beforeActivation) : .never
        if outage != .hung { health = BluezHealth() }
    }

    /// Ends the outage.
    ///
    /// - Returns: whether the outage was reported.
    mutating func regain(at now: Uptime) -> Bool {
        let (wasReported, isNew, pause) = (isReported, outage != nil, activationPause)
        let (firstReport, offReported, isMissing) = (firstReport, offReported, isMissingReported)
        self = Reach(at: now)
        if !isNew { (self.firstReport, self.offReported, isMissingReported) = (firstReport, offReported, isMissing) }
        (outage, activationPause, regainedAt) = (nil, pause, now)
        return wasReported
    }

    /// Reports soon what is wrong with the adapters, because one came or went.
    mutating func reportSoon(at now: Uptime) { firstReport = min(firstReport, now + Timing.beforeFirstReport) }

    /// Returns whether to report now what is wrong since the start.
    mutating func isFirstReportDue(at now: Uptime) -> Bool {
        guard now >= firstReport else { return false }
        firstReport = .never
        return true
    }

    /// Records that the present outage is reported.
    ///
    /// - Returns: whether it wasn't before.
    mutating func report() -> Bool {
        defer { isReported = true }
        return !isReported
    }

    /// Returns whether to start bluetoothd now. The next attempt comes after a growing pause.
    mutating func isActivationDue(at now: Uptime) -> Bool {
        guard now >= activation else { return false }
        activation = now + activationPause
        activationPause = min(activationPause * 2, Timing.longestActivationPause)
        return true
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
        return ping()
    }

    /// Takes a reply, even an error.
    mutating func answered() { silences = 0 }

    /// Takes the result of a ping; `false` means that bluetoothd didn't reply.
    mutating func reply(_ isAlive: Bool, at now: Uptime) {
        isPinging = false
        silences = 0
        nextPing = isAlive ? .never : now + Self.pause
    }

    /// Returns whether to ping bluetoothd again.
    mutating func isDue(at now: Uptime) -> Bool { now >= nextPing && !isPinging && ping() }

    private mutating func ping() -> Bool {
        isPinging = true
        nextPing = .never
        return true
    }
}
