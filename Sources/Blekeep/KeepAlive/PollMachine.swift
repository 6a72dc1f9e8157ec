import DBus
import RunLoop

/// One tick's work with a device on one link: decides what to read next, what a failure asks for, and when the tick is
/// over. Pure: it reads nothing.
struct PollMachine: Sendable {
    private enum Phase: Sendable {
        case binding
        /// These are left to be subscribed to.
        case subscribing(ArraySlice<Int>)
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
    private let round: Int
    /// No read begins after it.
    private let deadline: Uptime
    private var phase = Phase.binding
    private var result = PollResult()
    /// What was read. When the objects change under the reads, those that are left are read from the new ones.
    private var done: Set<ObjectPath> = []
    /// What is to be written down next.
    private var reports: [PollAction.Report] = []

    /// Begins a tick's work on a link whose services are resolved.
    init(_ tick: DueTick, with device: inout DevicePoints, isFinite: Bool, at now: Uptime) {
        self.tick = tick
        self.isFinite = isFinite
        round = device.begin()
        deadline = now + tick.budget
    }

    /// When the last read ends, answered or not.
    var end: Uptime { deadline + Timing.beyondBudget }

    /// Whether the link on which this began is there, and no other poll has begun since.
    func isCurrent(_ device: DevicePoints) -> Bool { device.round == round }

    /// - Returns: what is to be done next. When it was done, what came of it is handed in, and this is asked again.
    mutating func next(_ device: inout DevicePoints, isPaired: Bool, at now: Uptime) -> PollAction {
        while true {
            if !reports.isEmpty { return .report(reports.removeFirst()) }
            guard isCurrent(device) else { return .end(interrupted) }
            switch phase {
            case .binding:
                guard !device.isOld else {
                    device.isOld = false
                    return .bind
                }
                parkUnpaired(&device, isPaired, now)
                phase = .subscribing(device.wanting(isPaired: isPaired, at: now)[...])
            case .subscribing(let left):
                if let action = subscribeNext(left, &device, isPaired) { return action }
            case .reading(let place):
                if let action = readNext(place, device, isPaired, now) { return action }
            case .finishing:
                phase = .listening(until: min(deadline, now + Timing.firstWord))
                if result.ending == nil, device.lacksBattery { return .readBattery }
            case .listening(let end):
                guard now < end, mustListen(device) else { return .end(finish(&device, isPaired, now)) }
                return .listen(until: end)
            }
        }
    }

    /// The link went: what was read stays, and a poll that has only listened has done its work.
    private var interrupted: PollResult {
        if case .listening = phase { return result }
        return PollResult(values: result.values, isNew: result.isNew, ending: .relink)
    }

    private mutating func finish(_ device: inout DevicePoints, _ isPaired: Bool, _ now: Uptime) -> PollResult {
        if result.isEmpty, device.order.contains(where: { device.isParked($0, isPaired: isPaired, at: now) }) {
            result.failure = device.pairingFailure(isPaired: isPaired)
        }
        device.countNews(&result, isFinite: isFinite)
        return result
    }

    private mutating func fail(_ subject: PollAction.Report.Subject, _ failure: ReadingFailure) {
        reports.append(PollAction.Report(subject: subject, failure: failure))
        result.fail(failure)
    }

    private mutating func park(_ place: Int, _ device: inout DevicePoints, _ isPaired: Bool, until end: Uptime) {
        device[device[place].plan].park(isPaired: isPaired, until: end)
        fail(.point(place), device.pairingFailure(isPaired: isPaired))
    }

    // MARK: Binding

    /// The points were found.
    ///
    /// - Parameters:
    ///   - missing: what the configuration names but the device lacks.
    ///   - isBatteryServed: whether BlueZ itself tells what it has read of the battery.
    mutating func bound(
        _ device: inout DevicePoints, _ plans: [PointPlan], missing: [PointConfiguration], isBatteryServed: Bool
    ) {
        device.bind(plans)
        guard !tick.isOnlySubscribing else { return }
        for point in missing where !(isBatteryServed && point.characteristic == BluetoothUUID(0x2A19)) {
            fail(.missing(point), ReadingFailure(.noPoint, "the device has no such characteristic"))
        }
        if plans.isEmpty, missing.isEmpty, !isBatteryServed { fail(.device, device.nothingFailure) }
    }

    /// Nothing but a pairing helps with these.
    private mutating func parkUnpaired(_ device: inout DevicePoints, _ isPaired: Bool, _ now: Uptime) {
        guard !isPaired else { return }
        for place in device.order where device[place].plan.security != .none {
            if !device.isParked(place, isPaired: false, at: now) { park(place, &device, false, until: .never) }
        }
    }

    // MARK: Subscriptions

    private mutating func subscribeNext(
        _ left: ArraySlice<Int>, _ device: inout DevicePoints, _ isPaired: Bool
    ) -> PollAction? {
        guard let place = left.first, result.ending == nil else {
            if tick.isOnlySubscribing { return .end(result) }
            phase = .reading(0)
            return nil
        }
        let unfollowed = left.filter { !device[$0].isFollowed }
        guard unfollowed.isEmpty else {
            for place in unfollowed { device[place].isFollowed = true }
            return .follow(unfollowed)
        }
        phase = .subscribing(left.dropFirst())
        // Values may come before the call's reply.
        device[place].isSubscribed = true
        let memory = device[device[place].plan]
        return .subscribe(place, mayNeedPairing: memory.mayNeedPairing(for: .subscribe, isPaired: isPaired))
    }

    /// The message bus refused to let notifications through: without that a subscription would succeed and never deliver
    /// a value.
    mutating func followRefused(_ device: inout DevicePoints, _ places: [Int], _ error: BusError, at now: Uptime) {
        guard isCurrent(device), case .subscribing(let left) = phase else { return }
        for place in places { device[place].isFollowed = false }
        phase = .subscribing([])
        guard Remedy(error) != .wait else {
            result.ending = .wait
            return
        }
        for place in left {
            device[device[place].plan].subscriptionRefused(at: now)
            fail(.point(place), ReadingFailure(read: error))
        }
    }

    /// Where the link goes after the tick, or nothing else is read, and in a run of so many ticks, every subscribed
    /// point has a moment to say something.
    private func mustListen(_ device: DevicePoints) -> Bool {
        result.ending == nil && (isFinite || tick.isAlone || result.isEmpty)
            && device.points.contains { $0.isSubscribed && !$0.hasValue }
    }

    // MARK: Reads

    private mutating func readNext(
        _ place: Int, _ device: DevicePoints, _ isPaired: Bool, _ now: Uptime
    ) -> PollAction? {
        guard result.ending == nil, !device.isOld,
            let next = device.order[place...].firstIndex(where: {
                !done.contains(device[$0].plan.path) && device.isDue($0, for: tick, isPaired: isPaired, at: now)
            })
        else {
            phase = device.isOld && result.ending == nil && now < deadline ? .binding : .finishing
            return nil
        }
        let point = device.order[next]
        guard now < deadline else {
            fail(.point(point), ReadingFailure(.budget, "the tick's time was up"))
            phase = .finishing
            return nil
        }
        phase = .reading(next + 1)
        let plan = device[point].plan
        done.insert(plan.path)
        return .read(point, mayNeedPairing: device[plan].mayNeedPairing(for: .read, isPaired: isPaired))
    }

    /// A value was read; it counts also when the link went after it.
    ///
    /// - Parameter misfit: why the bytes don't fit the form that is known of the characteristic.
    mutating func read(
        _ device: inout DevicePoints, _ place: Int, _ plan: PointPlan, _ bytes: [UInt8], _ misfit: ReadingFailure?,
        isPaired: Bool
    ) {
        device[plan].permit(.read, isPaired: isPaired)
        device.take(bytes, of: plan, misfit, &result)
        if isCurrent(device) { device[place].hasValue = true }
    }

    /// A request ended with an error.
    ///
    /// - Parameter isUp: whether BlueZ says that the link is there.
    mutating func failed(
        _ request: PointMemory.Request, _ device: inout DevicePoints, _ place: Int, _ error: BusError, isUp: Bool,
        isPaired: Bool, at now: Uptime
    ) {
        // The link went under the request's feet: that says nothing of the device.
        guard isCurrent(device) else { return }
        let plan = device[place].plan
        let isRead = request == .read
        let remedy = Remedy(error)
        if isRead {
            device.failed(plan, error, remedy, at: now)
            result.misfits = device.misfits
            if error == .timedOut { result.silences += 1 }
        } else {
            device[place].isSubscribed = false
        }
        switch remedy {
        case .pairing: return park(place, &device, isPaired, until: now + Timing.parked)
        // Only the characteristic went: the others are there, or it is, in another place.
        case .rediscover where isRead && isUp: device.isOld = true
        case .relink, .rediscover, .wait: result.ending = remedy
        case .unsupported: device[plan].unsupported(request, at: now)
        case .stale: break
        // Whatever the answer says: the link may have gone, with it or before it.
        default: if isRead, !isUp { result.ending = .relink }
        }
        fail(.point(place), ReadingFailure(read: error))
    }

    /// BlueZ asked to pair the device during a read. The request is still with BlueZ, which won't end it.
    ///
    /// - Returns: what is to be written down of this point.
    mutating func pairingWanted(
        _ device: inout DevicePoints, _ plan: PointPlan, isPaired: Bool, at now: Uptime
    ) -> ReadingFailure {
        result.ending = .relink
        device[plan].park(isPaired: isPaired, until: now + Timing.parked)
        let failure = device.pairingFailure(isPaired: isPaired)
        result.fail(failure)
        return failure
    }

    /// BlueZ has read of the battery itself, in percent.
    mutating func batteryRead(_ device: inout DevicePoints, _ percentage: UInt8) {
        device.batteryRead(percentage, &result)
    }
}

extension PollResult {
    /// Whether nothing was read, and nothing failed.
    var isEmpty: Bool { values + failures == 0 }

    mutating func fail(_ failure: ReadingFailure) {
        self.failure = failure
        failures += 1
    }
}
