import RunLoop

/// Throttles the readings that a device sends by itself. Each field of a characteristic or advertisement has its own
/// throttle, and so have its failures. So the times of each field rise, but not those of the whole device.
///
/// Events, such as a press of a button or the begin of a motion, pass at once. Only a flood of them is throttled.
final class ThrottledReadings {
    private let loop: RunLoop
    private let wallTime: () -> Int64
    private let record: ([Reading]) -> Void
    private var slots: [SeriesKey: Slot] = [:]
    /// The throttle of all fields beyond `maxSlots`.
    private var rest: Slot?
    private var prunedAt = Uptime.start
    private var arrivals = 0
    private var events = CommandBudget()
    private(set) var counts = DroppedValues()
    private let onCount: (DroppedValues) -> Void

    /// The number of fields with their own throttle, so that a device can't fill the memory.
    static let maxSlots = 1024

    private struct Arrival {
        var reading: Reading
        var time: Uptime
        /// The number among all arrivals.
        var number: Int
    }

    private final class Slot {
        var throttle: Throttle<Arrival>
        /// The last truth value that came.
        var flag: Bool?
        private let onDue: (Slot) -> Void
        private(set) lazy var timer = ClosureTimer { [weak self] in if let self { onDue(self) } }

        init(_ period: Duration, onDue: @escaping (Slot) -> Void) {
            throttle = Throttle(period)
            self.onDue = onDue
        }
    }

    /// - Parameters:
    ///   - wallTime: returns milliseconds since 1970.
    ///   - onCount: called when the counts change.
    init(
        on loop: RunLoop, wallTime: @escaping () -> Int64, record: @escaping ([Reading]) -> Void,
        onCount: @escaping (DroppedValues) -> Void = { _ in }
    ) {
        self.onCount = onCount
        self.loop = loop
        self.wallTime = wallTime
        self.record = record
    }

    /// Takes new readings.
    ///
    /// - Parameter period: the shortest time between two stored readings; 0 stores all.
    func add(_ readings: [Reading], every period: Duration) {
        counts.total += readings.count
        defer { onCount(counts) }
        guard period > .zero else { return record(readings) }
        let now = loop.now
        var passed: [Reading] = []
        for reading in readings {
            arrivals += 1
            let slot = slot(for: reading, period)
            let isEvent = isEvent(reading, in: slot) && events.spend(at: now)
            // The timer may be late. What waits comes before an event.
            if slot.throttle.due <= now || isEvent, let arrival = release(slot) { passed.append(stamped(arrival)) }
            guard !isEvent else {
                passed.append(reading)
                continue
            }
            switch slot.throttle.admit(Arrival(reading: reading, time: now, number: arrivals), at: now) {
            case .store:
                passed.append(reading)
                continue
            case .wait: break
            case .replace: counts.count += 1
            }
            loop.arm(slot.timer, at: slot.throttle.due)
        }
        if !passed.isEmpty { record(passed) }
    }

    /// Takes the readings of a tick, which have no throttle. What waits of the same fields came before.
    func pass(_ readings: [Reading]) {
        guard !slots.isEmpty else { return record(readings) }
        let earlier = readings.compactMap { (slots[$0.key.newest] ?? rest).flatMap(release) }
        record(earlier.map(stamped) + readings)
    }

    /// Whether something happened: an event, or another truth value.
    private func isEvent(_ reading: Reading, in slot: Slot) -> Bool {
        guard case .value(let measurement, _) = reading.outcome else { return false }
        guard case .boolean(let flag)? = measurement.value else { return measurement.isEvent }
        defer { slot.flag = flag }
        return slot.flag.map { $0 != flag } ?? false
    }

    /// Stores all readings that wait, in the order of their arrival.
    func flush() {
        let waiting = (Array(slots.values) + (rest.map { [$0] } ?? [])).filter { $0.throttle.due < .never }
        let released = waiting.compactMap(release).sorted { $0.number < $1.number }
        if !released.isEmpty { record(released.map(stamped)) }
    }

    private func release(_ slot: Slot) -> Arrival? {
        loop.disarm(slot.timer)
        return slot.throttle.release(at: loop.now)
    }

    private func store(_ slot: Slot) {
        if let arrival = release(slot) { record([stamped(arrival)]) }
    }

    /// Returns the reading with the time of its arrival by the current clock, which may have been set since.
    private func stamped(_ arrival: Arrival) -> Reading {
        var reading = arrival.reading
        reading.time = wallTime() - (loop.now - arrival.time).wholeMilliseconds
        return reading
    }

    private func slot(for reading: Reading, _ period: Duration) -> Slot {
        let field = reading.key.newest
        if let slot = slots[field] { return slot }
        if slots.count >= Self.maxSlots { prune() }
        guard slots.count < Self.maxSlots else {
            let slot = rest ?? makeSlot(period)
            rest = slot
            return slot
        }
        let slot = makeSlot(period)
        slots[field] = slot
        return slot
    }

    private func makeSlot(_ period: Duration) -> Slot { Slot(period) { [weak self] in self?.store($0) } }

    /// Forgets fields without recent values, at most once a second.
    private func prune() {
        let now = loop.now
        guard now >= prunedAt else { return }
        prunedAt = now + .seconds(1)
        slots = slots.filter { !$0.value.throttle.isIdle(at: now) }
    }
}

/// A limit for values that a device sends by itself: at most one per period is stored, and the newest wins.
///
/// A value within the period waits for its end, and a newer one replaces it. If none replaces it, it is stored after nine
/// tenths of the period. So a device that sends once per period loses no values, even if it sends
/// slightly early or late.
struct Throttle<Value> {
    let period: Duration
    private var storedAt: Uptime?
    private var waiting: Value?
    /// Whether a value was replaced since the last one was stored.
    private var isCrowded = false

    init(_ period: Duration) { self.period = period }

    enum Decision {
        /// Store the value now.
        case store
        /// Store the value when it is due.
        case wait
        /// Store the value when it is due, and drop the one that waited.
        case replace
    }

    /// Takes a value that came at `now`.
    mutating func admit(_ value: Value, at now: Uptime) -> Decision {
        if waiting == nil, now >= earliest {
            storedAt = now
            return .store
        }
        isCrowded = waiting != nil
        waiting = value
        return isCrowded ? .replace : .wait
    }

    /// When to store the value that waits.
    var due: Uptime { waiting == nil ? .never : earliest }

    /// Removes and returns the value that waits, to store it at `now`.
    mutating func release(at now: Uptime) -> Value? {
        guard let value = waiting else { return nil }
        waiting = nil
        isCrowded = false
        storedAt = now
        return value
    }

    /// Whether no value waits, and the next value would be stored at once.
    func isIdle(at now: Uptime) -> Bool { waiting == nil && now >= earliest }

    private var earliest: Uptime {
        guard let storedAt else { return .start }
        return storedAt + (isCrowded ? period : period * 9 / 10)
    }
}
