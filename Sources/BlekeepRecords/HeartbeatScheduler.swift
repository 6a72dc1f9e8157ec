import RunLoop

/// Decides when a heartbeat is due, and creates it.
package final class HeartbeatScheduler: @unchecked Sendable {
    private let clocks: () -> ClockReading
    private let asleep: () -> Duration
    private var asleepBefore: Duration
    private var started: ClockReading?
    private var status = PowerStatus.unknown
    private var state = Heartbeat.State.running
    private var last: Uptime?
    private var lastMode = PowerMode.normal
    private var downtime: Downtime?
    /// Returns what listening took and brought since the start; `nil` when nothing listens any more.
    package var air: () -> AirUse? = { nil }
    private var airBefore = AirUse()

    /// The shortest time between heartbeats, except at a sleep, a gap or the end.
    static let interval: Duration = .seconds(60)
    /// The longest time without a heartbeat when no readings come.
    static let longestSilence: Duration = .seconds(900)

    /// - Parameter asleep: returns how long the machine has slept since its start.
    package init(asleep: @escaping () -> Duration, clocks: @escaping () -> ClockReading) {
        self.clocks = clocks
        self.asleep = asleep
        asleepBefore = asleep()
    }

    func apply(_ status: PowerStatus) { self.status = status }

    /// Records the start of `poll`.
    func start() { started = clocks() }

    /// Takes the last heartbeat before this start, perhaps some time after it. Returns the gap, if there is one.
    func begin(after last: Heartbeat?) -> Downtime? {
        downtime = last.map { Downtime(since: $0, until: started ?? clocks()) }
        return downtime
    }

    /// Makes a heartbeat with this state due at once.
    func turn(to state: Heartbeat.State) {
        guard state != self.state else { return }
        self.state = state
        last = nil
    }

    /// The state of the last heartbeat before a sleep or a shutdown; `nil` when none is announced.
    package private(set) var rest: Heartbeat.State?

    package func prepare(_ cause: SleepCause) { rest = cause == .shutdown ? .shutdown : .asleep }

    /// The machine is awake, after a sleep or instead of one.
    package func wake() {
        rest = nil
        turn(to: .running)
        noticeSleep()
    }

    /// Checks for a sleep that wasn't announced.
    private func noticeSleep() {
        let length = asleep() - asleepBefore
        asleepBefore += length
        guard length > .seconds(1) else { return }
        downtime = Downtime(asleep: length, until: clocks())
        last = nil
    }

    func isDue(at now: Uptime) -> Bool {
        if rest == nil { noticeSleep() }
        // After the last heartbeat before a sleep, there is none until the machine is awake.
        return last.map { now - $0 >= Self.interval && rest == nil } ?? true
    }

    /// Returns a heartbeat if one is due.
    ///
    /// - Parameter activities: returns the work for each device since the last one.
    func beat(at now: Uptime, activities: () -> [DeviceActivity]) -> Heartbeat? {
        guard isDue(at: now) else { return nil }
        var heartbeat = Heartbeat(
            clocks: clocks(), state: state, mode: status.mode, supply: status.supply, percentage: status.percentage,
            activities: activities(), downtime: downtime)
        heartbeat.air = air().map { $0 - airBefore } ?? AirUse()
        return heartbeat
    }

    /// Call this when the store holds the heartbeat.
    func committed(_ heartbeat: Heartbeat, at now: Uptime) {
        // A disk may take long for it, and the state and the gap are newer then.
        if heartbeat.state == state { last = now }
        lastMode = heartbeat.mode
        if heartbeat.downtime == downtime { downtime = nil }
        airBefore = airBefore + heartbeat.air
    }

    /// When the next heartbeat must come.
    var silentUntil: Uptime {
        guard rest == nil, let last else { return .never }
        // A change of the mode is recorded soon, so that reports count its work for the right mode.
        return last + (status.mode == lastMode ? Self.longestSilence : Self.interval)
    }
}
