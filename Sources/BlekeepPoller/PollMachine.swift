import DBus
import RunLoop

/// Decides the work of a tick on a connection: what to read next, what to do about a failure, and when the tick ends. Pure.
struct PollMachine: Sendable {
    private enum Phase: Sendable {
        case binding
        case subscribing(PollSubscriptions)
        /// The points before this index, in the order of reading, are done.
        case reading(Int)
        /// The battery level from BlueZ is next.
        case finishing
        /// Waiting for the first values of subscriptions.
        case listening(until: Uptime)
    }

    let tick: DueTick
    /// Whether the run ends after a number of ticks.
    private let isFinite: Bool
    /// The end of the budget. No read begins after it.
    private let deadline: Uptime
    private var phase = Phase.binding
    /// The results of the requests.
    var outcome: PollOutcome
    /// The characteristics that were read. When the objects change meanwhile, the rest is read from the new objects.
    private var done: Set<ObjectPath> = []

    /// Begins a tick's work on a connection with resolved services.
    init(_ tick: DueTick, with device: inout DevicePoints, isFinite: Bool, at now: Uptime) {
        self.tick = tick
        self.isFinite = isFinite
        outcome = PollOutcome(round: device.begin())
        deadline = now + tick.budget
    }

    /// The deadline of the last read.
    var end: Uptime { deadline + Timing.beyondBudget }

    /// Whether the connection is still up, and no newer poll began.
    func isCurrent(_ device: DevicePoints) -> Bool { outcome.isCurrent(device) }

    /// Returns the next action. Perform it, pass its result to `outcome`, and call this again.
    mutating func next(_ device: inout DevicePoints, isPaired: Bool, at now: Uptime) -> PollAction {
        while true {
            if let report = outcome.nextReport() { return .report(report) }
            guard isCurrent(device) else { return .end(interrupted) }
            if device.hasWrites, isBound, outcome.result.ending == nil { return .write }
            switch phase {
            case .binding:
                guard !device.isOld else {
                    device.isOld = false
                    return .bind
                }
                waitForPairing(&device, isPaired, now)
                phase = .subscribing(PollSubscriptions(device, isPaired: isPaired, at: now))
            case .subscribing(let left):
                if let action = subscribeNext(left, &device, isPaired) { return action }
            case .reading(let index):
                if let action = readNext(index, device, isPaired, now) { return action }
            case .finishing:
                phase = .listening(until: min(deadline, now + Timing.firstValue))
                if outcome.result.ending == nil, device.lacksBattery { return .readBattery }
            case .listening(let end):
                guard now < end, mustListen(device) else { return .end(finish(&device, isPaired, now)) }
                return .listen(until: end)
            }
        }
    }

    private var isBound: Bool { if case .binding = phase { false } else { true } }

    /// The result when the connection ended. A poll that only waited for values is complete.
    private var interrupted: PollResult {
        if case .listening = phase { return outcome.result }
        return PollResult(values: outcome.result.values, isNew: outcome.result.isNew, ending: .relink)
    }

    private mutating func finish(_ device: inout DevicePoints, _ isPaired: Bool, _ now: Uptime) -> PollResult {
        if outcome.result.isEmpty,
            device.order.contains(where: { device.isWaitingForUser($0, isPaired: isPaired, at: now) })
        {
            outcome.result.failure = device.pairingFailure(isPaired: isPaired)
        }
        device.countNews(&outcome.result, isFinite: isFinite)
        return outcome.result
    }

    // MARK: Binding

    /// Takes the device's points.
    ///
    /// - Parameters:
    ///   - missing: the configured characteristics that the device lacks.
    ///   - isBatteryServed: whether BlueZ itself reads the battery level.
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

    /// Lets points that need pairing wait for the user.
    private mutating func waitForPairing(_ device: inout DevicePoints, _ isPaired: Bool, _ now: Uptime) {
        guard !isPaired else { return }
        for index in device.order where device[index].plan.security != .none {
            if !device.isWaitingForUser(index, isPaired: false, at: now) {
                outcome.waitForUser(index, &device, false, until: .never)
            }
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

    /// Handles a refusal of the message bus to deliver notifications. A subscription would succeed without ever delivering a
    /// value.
    mutating func followRefused(_ device: inout DevicePoints, _ indices: [Int], _ error: BusError, at now: Uptime) {
        guard isCurrent(device), case .subscribing(var left) = phase else { return }
        let refused = left.refuse(indices, &device)
        phase = .subscribing(left)
        guard Remedy(error) != .wait else {
            outcome.result.ending = .wait
            return
        }
        for index in refused {
            device[device[index].plan].subscriptionRefused(at: now)
            outcome.fail(.point(index), ReadingFailure(read: error))
        }
    }

    /// Whether the tick waits for the first value of each subscription: before a disconnect, without reads, and in a finite
    /// run.
    private func mustListen(_ device: DevicePoints) -> Bool {
        outcome.result.ending == nil && (isFinite || tick.isAlone || outcome.result.isEmpty)
            && device.points.contains { $0.isSubscribed && !$0.hasValue }
    }

    // MARK: Reads

    private mutating func readNext(
        _ index: Int, _ device: DevicePoints, _ isPaired: Bool, _ now: Uptime
    ) -> PollAction? {
        guard outcome.result.ending == nil, !device.isOld,
            let next = device.order[index...].firstIndex(where: {
                !done.contains(device[$0].plan.path) && device.isDue($0, for: tick, isPaired: isPaired, at: now)
            })
        else {
            phase = device.isOld && outcome.result.ending == nil && now < deadline ? .binding : .finishing
            return nil
        }
        let point = device.order[next]
        guard now < deadline else {
            outcome.fail(.point(point), ReadingFailure(.budget, "the tick's time was used up"))
            phase = .finishing
            return nil
        }
        phase = .reading(next + 1)
        let plan = device[point].plan
        done.insert(plan.path)
        return .read(point, mayNeedPairing: device[plan].mayNeedPairing(for: .read, isPaired: isPaired))
    }
}
