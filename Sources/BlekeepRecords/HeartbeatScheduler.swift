import RunLoop

/// Counts the work for each device, decides when a heartbeat is due, and creates it.
package final class HeartbeatScheduler: @unchecked Sendable {
    /// The work for a device since the start, and that of earlier heartbeats.
    private struct Entry: Sendable, DevicePart {
        let number: DeviceNumber
        var total: DeviceActivity
        var kept: DeviceActivity
        /// When blekeep's connection began, while it is up.
        var upSince: Uptime?
        /// Whether the device has left. Another one may have its ID.
        var hasLeft = false

        init(_ number: DeviceNumber, idle: DeviceActivity) {
            self.number = number
            total = idle
            kept = idle
        }
    }

    private let clocks: () -> ClockReading
    private let asleep: () -> Duration
    private var asleepBefore: Duration
    private var started: ClockReading?
    // Touched with every event and every value, on the loop's thread only.
    private var entries: [Entry]
    private var status = PowerStatus.unknown
    private var state = Heartbeat.State.running
    private var last: Uptime?
    private var lastMode = PowerMode.normal
    private var downtime: Downtime?
    /// Returns how long the adapters scanned actively since the start.
    package var scanned: () -> Duration = { .zero }
    private var scannedBefore: Duration = .zero

    /// The shortest time between heartbeats, except at a sleep, a gap or the end.
    static let interval: Duration = .seconds(60)
    /// The longest time without a heartbeat when no readings come.
    static let longestSilence: Duration = .seconds(900)

    /// - Parameters:
    ///   - devices: an empty count for each device.
    ///   - asleep: returns how long the machine has slept since its start.
    package init(_ devices: [DeviceActivity], asleep: @escaping () -> Duration, clocks: @escaping () -> ClockReading) {
        self.clocks = clocks
        self.asleep = asleep
        asleepBefore = asleep()
        entries = devices.enumerated().map { Entry(DeviceNumber($0.offset), idle: $0.element) }
    }

    func apply(_ status: PowerStatus) { self.status = status }

    /// Records the start of `poll`.
    func start() { started = clocks() }

    /// Takes the last heartbeat before this start, perhaps some time after it.
    ///
    /// - Returns: the gap, if there is one.
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

    package var isShuttingDown: Bool { rest == .shutdown }

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

    /// Returns a heartbeat if one is due.
    func beat(at now: Uptime) -> Heartbeat? {
        if rest == nil { noticeSleep() }
        // After the last heartbeat before a sleep, there is none until the machine is awake.
        if let last, now - last < Self.interval || rest != nil { return nil }
        var heartbeat = Heartbeat(
            clocks: clocks(), state: state, mode: status.mode, supply: status.supply, percentage: status.percentage,
            activities: activities(at: now), downtime: downtime)
        heartbeat.scanned = max(.zero, scanned() - scannedBefore)
        return heartbeat
    }

    /// Call this when the store holds the heartbeat.
    func committed(_ heartbeat: Heartbeat, at now: Uptime) {
        // A disk may take long for it, and the state and the gap are newer then.
        if heartbeat.state == state { last = now }
        lastMode = heartbeat.mode
        if heartbeat.downtime == downtime { downtime = nil }
        scannedBefore += heartbeat.scanned
        keep(heartbeat.activities)
    }

    /// When the next heartbeat must come.
    var silentUntil: Uptime {
        guard rest == nil, let last else { return .never }
        // A change of the mode is recorded soon, so that reports count its work for the right mode.
        return last + (status.mode == lastMode ? Self.longestSilence : Self.interval)
    }

    // MARK: The work for each device

    /// Takes the devices that join, leave and change.
    package func apply(_ changes: [DeviceChange]) {
        entries.removeAll { $0.hasLeft && $0.upSince == nil && ($0.total - $0.kept).isIdle }
        for change in changes {
            switch change.kind {
            case .joined(let setting): join(change.number, idle: DeviceActivity(setting.device))
            case .changed(_, let setting): rename(change.number, to: setting.device.name)
            case .left: if let index = entries.index(of: change.number) { entries[index].hasLeft = true }
            }
        }
    }

    private func join(_ number: DeviceNumber, idle: DeviceActivity) {
        // A heartbeat has one activity for each device.
        entries.removeAll { $0.hasLeft && $0.total.id == idle.id && $0.total.address == idle.address }
        entries.append(Entry(number, idle: idle))
    }

    private func rename(_ number: DeviceNumber, to name: String) {
        guard let index = entries.index(of: number) else { return }
        entries[index].total.device = name
        entries[index].kept.device = name
    }

    /// Takes a device's newest snapshot.
    func apply(_ device: DeviceSnapshot, of number: DeviceNumber, at now: Uptime) {
        guard let index = entries.index(of: number) else { return }
        entries[index].total.good = device.goodTicks
        entries[index].total.failed = device.failedTicks
        entries[index].total.missed = device.missedTicks
        if device.isInUse, entries[index].upSince == nil { entries[index].upSince = now }
        if !device.isInUse { settle(index, at: now) }
    }

    /// Counts an attempt to connect a device.
    package func connects(_ number: DeviceNumber) {
        if let index = entries.index(of: number) { entries[index].total.connects += 1 }
    }

    /// Counts values.
    func count(_ readings: [Reading]) {
        for reading in readings {
            guard case .value = reading.outcome,
                let index = entries.firstIndex(where: { $0.total.id == reading.id && !$0.hasLeft })
            else { continue }
            entries[index].total.values += 1
        }
    }

    /// Returns the counts since the last `keep`, without idle devices.
    func activities(at now: Uptime) -> [DeviceActivity] {
        for index in entries.indices where entries[index].upSince != nil {
            settle(index, at: now)
            entries[index].upSince = now
        }
        return entries.map { $0.total - $0.kept }.filter { !$0.isIdle }
    }

    /// Call this when the store holds these activities.
    func keep(_ activities: [DeviceActivity]) {
        for activity in activities {
            let index = entries.firstIndex { $0.total.id == activity.id && $0.total.address == activity.address }
            guard let index else { continue }
            entries[index].kept = entries[index].kept + activity
        }
    }

    private func settle(_ index: Int, at now: Uptime) {
        guard let since = entries[index].upSince else { return }
        entries[index].total.onAir += now - since
        entries[index].upSince = nil
    }
}
