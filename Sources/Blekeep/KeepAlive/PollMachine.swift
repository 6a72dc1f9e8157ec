import DBus
import RunLoop

/// One tick's work with a device on one link: decides what to read next, what a failure asks for, and when the tick is
/// over. Pure: it reads nothing.
struct PollMachine: Sendable {
    private enum Phase: Sendable {
        case binding
        case subscribing(PollSubscriptions)
        /// Those before this place in the order of reading were read, or had no need to be.
        case reading(Int)
        /// What BlueZ itself knows of the battery is next.
        case finishing
        /// What was subscribed to has until then to say something.
        case listening(until: Uptime)
    }

    let tick: DueTick
    /// Whether the run ends after so many ticks.
    private let isFinite: Bool
    /// No read begins after it.
    private let deadline: Uptime
    private var phase = Phase.binding
    /// What came of the requests.
    var outcome: PollOutcome
    /// What was read. When the objects change under the reads, those that are left are read from the new ones.
    private var done: Set<ObjectPath> = []

    /// Begins a tick's work on a link whose services are resolved.
    init(_ tick: DueTick, with device: inout DevicePoints, isFinite: Bool, at now: Uptime) {
        self.tick = tick
        self.isFinite = isFinite
        outcome = PollOutcome(round: device.begin())
        deadline = now + tick.budget
    }

    /// When the last read ends, answered or not.
    var end: Uptime { deadline + Timing.beyondBudget }

    /// Whether the link on which this began is there, and no other poll has begun since.
    func isCurrent(_ device: DevicePoints) -> Bool { outcome.isCurrent(device) }

    /// - Returns: what is to be done next. When it was done, what came of it is handed in, and this is asked again.
    mutating func next(_ device: inout DevicePoints, isPaired: Bool, at now: Uptime) -> PollAction {
        while true {
            if let report = outcome.nextReport() { return .report(report) }
            guard isCurrent(device) else { return .end(interrupted) }
            switch phase {
            case .binding:
                guard !device.isOld else {
                    device.isOld = false
                    return .bind
                }
                parkUnpaired(&device, isPaired, now)
                phase = .subscribing(PollSubscriptions(device, isPaired: isPaired, at: now))
            case .subscribing(let left):
                if let action = subscribeNext(left, &device, isPaired) { return action }
            case .reading(let place):
                if let action = readNext(place, device, isPaired, now) { return action }
            case .finishing:
                phase = .listening(until: min(deadline, now + Timing.firstWord))
                if outcome.result.ending == nil, device.lacksBattery { return .readBattery }
            case .listening(let end):
                guard now < end, mustListen(device) else { return .end(finish(&device, isPaired, now)) }
                return .listen(until: end)
            }
        }
    }

    /// The link went: what was read stays, and a poll that has only listened has done its work.
    private var interrupted: PollResult {
        if case .listening = phase { return outcome.result }
        return PollResult(values: outcome.result.values, isNew: outcome.result.isNew, ending: .relink)
    }

    private mutating func finish(_ device: inout DevicePoints, _ isPaired: Bool, _ now: Uptime) -> PollResult {
        if outcome.result.isEmpty, device.order.contains(where: { device.isParked($0, isPaired: isPaired, at: now) }) {
            outcome.result.failure = device.pairingFailure(isPaired: isPaired)
        }
        device.countNews(&outcome.result, isFinite: isFinite)
        return outcome.result
    }

    // MARK: Binding

    /// The points were found.
    ///
    /// - Parameters:
    ///   - missing: what the configuration names but the device lacks.
    ///   - isBatteryServed: whether BlueZ itself tells what it has read of the battery.
    mutating func bound(
        _ device: inout DevicePoints, _ plans: [PointPlan], missing: [CharacteristicConfiguration],
        isBatteryServed: Bool
    ) {
        device.bind(plans)
        guard !tick.isOnlySubscribing else { return }
        for point in missing where !(isBatteryServed && point.characteristic == BluetoothUUID(0x2A19)) {
            outcome.fail(.missing(point), ReadingFailure(.noPoint, "the device has no such characteristic"))
        }
        if plans.isEmpty, missing.isEmpty, !isBatteryServed { outcome.fail(.device, device.nothingFailure) }
    }

    /// Nothing but a pairing helps with these.
    private mutating func parkUnpaired(_ device: inout DevicePoints, _ isPaired: Bool, _ now: Uptime) {
        guard !isPaired else { return }
        for place in device.order where device[place].plan.security != .none {
            if !device.isParked(place, isPaired: false, at: now) { outcome.park(place, &device, false, until: .never) }
        }
    }

    // MARK: Subscriptions

    private mutating func subscribeNext(
        _ left: PollSubscriptions, _ device: inout DevicePoints, _ isPaired: Bool
    ) -> PollAction? {
        var left = left
        if outcome.result.ending == nil, let action = left.next(&device, isPaired: isPaired) {
            phase = .subscribing(left)
            return action
        }
        if tick.isOnlySubscribing { return .end(outcome.result) }
        phase = .reading(0)
        return nil
    }

    /// The message bus refused to let notifications through: without that a subscription would succeed and never deliver
    /// a value.
    mutating func followRefused(_ device: inout DevicePoints, _ places: [Int], _ error: BusError, at now: Uptime) {
        guard isCurrent(device), case .subscribing(var left) = phase else { return }
        let refused = left.refuse(places, &device)
        phase = .subscribing(left)
        guard Remedy(error) != .wait else {
            outcome.result.ending = .wait
            return
        }
        for place in refused {
            device[device[place].plan].subscriptionRefused(at: now)
            outcome.fail(.point(place), ReadingFailure(read: error))
        }
    }

    /// Where the link goes after the tick, or nothing else is read, and in a run of so many ticks, every subscribed
    /// point has a moment to say something.
    private func mustListen(_ device: DevicePoints) -> Bool {
        outcome.result.ending == nil && (isFinite || tick.isAlone || outcome.result.isEmpty)
            && device.points.contains { $0.isSubscribed && !$0.hasValue }
    }

    // MARK: Reads

    private mutating func readNext(
        _ place: Int, _ device: DevicePoints, _ isPaired: Bool, _ now: Uptime
    ) -> PollAction? {
        guard outcome.result.ending == nil, !device.isOld,
            let next = device.order[place...].firstIndex(where: {
                !done.contains(device[$0].plan.path) && device.isDue($0, for: tick, isPaired: isPaired, at: now)
            })
        else {
            phase = device.isOld && outcome.result.ending == nil && now < deadline ? .binding : .finishing
            return nil
        }
        let point = device.order[next]
        guard now < deadline else {
            outcome.fail(.point(point), ReadingFailure(.budget, "the tick's time was up"))
            phase = .finishing
            return nil
        }
        phase = .reading(next + 1)
        let plan = device[point].plan
        done.insert(plan.path)
        return .read(point, mayNeedPairing: device[plan].mayNeedPairing(for: .read, isPaired: isPaired))
    }
}
