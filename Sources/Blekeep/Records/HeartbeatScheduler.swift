import RunLoop

/// Makes heartbeats: when one is due, and what it says.
final class HeartbeatScheduler: @unchecked Sendable {
    private let clocks: () -> ClockReading
    private let asleep: () -> Duration
    private var asleepBefore: Duration
    private var started: ClockReading?
    // Touched with every event and every value, on the loop's thread only.
    private var tally: ActivityCounter
    private var status = PowerStatus.unknown
    private var state = Heartbeat.State.running
    private var last: Uptime?
    private var lastMode = PowerMode.normal
    private var downtime: Downtime?

    /// Heartbeats are as far apart at least, but for what must not be lost: a sleep, a gap, the end.
    static let interval: Duration = .seconds(60)
    /// When there is nothing to go with, one comes alone.
    static let longestSilence: Duration = .seconds(900)

    /// - Parameters:
    ///   - devices: what is counted for each device, without any activity.
    ///   - asleep: how long the machine has slept so far.
    init(_ devices: [DeviceActivity], asleep: @escaping () -> Duration, clocks: @escaping () -> ClockReading) {
        self.clocks = clocks
        self.asleep = asleep
        asleepBefore = asleep()
        tally = ActivityCounter(devices)
    }

    func take(_ readings: [Reading]) { tally.take(readings) }

    func take(_ id: DeviceID, _ device: DeviceSnapshot, at now: Uptime) { tally.take(id, device, at: now) }

    func connects(_ id: DeviceID) { tally.connects(id) }

    func take(_ status: PowerStatus) { self.status = status }

    /// The keeper starts now.
    func start() { started = clocks() }

    /// What the store says of the time before this start; it may say so later.
    ///
    /// - Returns: the gap, if there is one.
    func begin(after last: Heartbeat?) -> Downtime? {
        downtime = last.map { Downtime(since: $0, until: started ?? clocks()) }
        return downtime
    }

    /// The next heartbeat says what comes after it, and does not wait for its turn.
    func turn(to state: Heartbeat.State) {
        guard state != self.state else { return }
        self.state = state
        last = nil
    }

    /// What the next heartbeat says as soon as all is let go; `nil` as long as the machine is not about to end.
    private(set) var rest: Heartbeat.State?

    var isShuttingDown: Bool { rest == .shutdown }

    func prepare(_ cause: SleepCause) { rest = cause == .shutdown ? .shutdown : .asleep }

    /// The machine is awake again, or still is.
    func wake() {
        rest = nil
        turn(to: .running)
        noticeSleep()
    }

    /// The machine may have slept without a word.
    private func noticeSleep() {
        let length = asleep() - asleepBefore
        asleepBefore += length
        guard length > .seconds(1) else { return }
        downtime = Downtime(asleep: length, until: clocks())
        last = nil
    }

    /// The heartbeat that is due.
    func beat(at now: Uptime) -> Heartbeat? {
        if rest == nil { noticeSleep() }
        // After the last one before a sleep there is none until the machine is known to be awake.
        if let last, now - last < Self.interval || rest != nil { return nil }
        return Heartbeat(
            clocks: clocks(), state: state, mode: status.mode, supply: status.supply, percentage: status.percentage,
            activities: tally.activities(at: now), downtime: downtime)
    }

    /// This heartbeat is in the store.
    func kept(_ heartbeat: Heartbeat, at now: Uptime) {
        last = now
        lastMode = heartbeat.mode
        downtime = nil
        tally.keep(heartbeat.activities)
    }

    /// When a heartbeat is to come, whatever happens.
    var silentUntil: Uptime {
        guard rest == nil, let last else { return .never }
        // Another mode is told as soon as one may come: what it took is to be counted to it.
        return last + (status.mode == lastMode ? Self.longestSilence : Self.interval)
    }
}
