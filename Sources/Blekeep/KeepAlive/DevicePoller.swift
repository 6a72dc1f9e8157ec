import DBus
import RunLoop

/// Reads one device's points, one after another, and takes what it notifies.
final class DevicePoller: @unchecked Sendable {
    let configuration: DeviceConfiguration
    private let isFinite: Bool
    private let loop: RunLoop
    private let binding: DeviceBinding
    private let journal: DeviceJournal
    private let throttled: ThrottledReadings

    // Of the link that is up.
    private var link: (bus: any Bus, mirror: ObjectMirror, device: ObjectPath)?
    private(set) var points: [Point] = []
    private var followed: Set<ObjectPath> = []
    private var isTreeOld = false
    /// Counts the polls, and the links that went: what an older one has begun, it does not go on with.
    private var round = 0
    private let arrival: Gate
    /// When a value came by itself last.
    private(set) var notifiedAt: Uptime?
    /// Whether one that came by itself since the last tick was new.
    private var hasChanged = false

    // For as long as the program runs.
    private var constantsRead: Set<ObjectPath> = []
    @exclusivity(unchecked) private var needsUser = NeedsUser()
    /// Values in a row that do not fit what is known of their characteristics.
    private var misfits = 0
    /// How many values have come.
    private var answers = 0
    /// The agent that refuses pairings on the current connection.
    var agent: RefusingAgent? { didSet { binding.agent = agent } }
    /// What is being read, as long as nobody has said that it needs pairing.
    private var reading: Point?
    /// When the tick's last read ends, answered or not.
    private var end = Uptime.never

    /// - Parameters:
    ///   - throttle: the shortest time between two values that came by themselves and are stored.
    ///   - throttled: takes these values.
    init(
        _ configuration: DeviceConfiguration, interval: Duration, throttle: Duration = Configuration.defaultThrottle,
        layouts: [OwnLayout] = [], isFinite: Bool, loop: RunLoop, wallTime: @escaping () -> Int64,
        record: @escaping ([Reading]) -> Void, throttled: ThrottledReadings
    ) {
        self.configuration = configuration
        self.isFinite = isFinite
        self.loop = loop
        binding = DeviceBinding(
            configuration, interval: interval, throttle: throttle, layouts: layouts, loop: loop)
        journal = DeviceJournal(configuration, wallTime: wallTime, record: record, throttled: throttled)
        self.throttled = throttled
        arrival = Gate(loop)
    }

    /// The rules for the notifications of this link.
    var rules: [SignalMatch] { followed.sorted().map { .properties(of: GattCharacteristic1.name, at: $0) } }

    /// The link is down: nothing of it counts any more.
    func unbind() {
        throttled.flush()
        round += 1
        link = nil
        points = []
        followed = []
        arrival.open()
    }

    /// The device's objects are others now: the points are looked for anew before the next read.
    func treeChanged() {
        isTreeOld = true
        binding.forget()
    }

    /// BlueZ forgets the device: what did not fit may do so now.
    func forgotten() {
        unbind()
        misfits = 0
    }

    /// A tick that ended before anything could be read.
    func tickFailed(_ tick: Int, _ failure: ReadingFailure) { journal.failure(failure, tick: tick) }

    // MARK: A tick

    /// Does a tick's work on a link whose services are resolved.
    func poll(_ tick: DueTick, bus: any Bus, mirror: ObjectMirror, device: ObjectPath) async -> PollResult {
        round += 1
        let mine = round
        let deadline = loop.now + tick.budget
        end = deadline + Timing.beyondBudget
        var result = PollResult()
        var done: Set<ObjectPath> = []
        // When the objects change under the reads, those that are left are read from the new ones.
        repeat {
            if link == nil || isTreeOld { await bind(bus, mirror, device, tick, &result) }
            // Nothing but a pairing changes this.
            for point in points where point.plan.security != .none && !isPaired && !isParked(point) {
                park(point, tick, until: .never, &result)
            }
            await subscribe(tick, &result)
            if tick.isOnlySubscribing { return result }
            for point in points where isDue(point, tick) && !done.contains(point.characteristic.path) {
                guard result.ending == nil, !isTreeOld, round == mine else { break }
                guard loop.now < deadline else {
                    fail(point, tick, ReadingFailure(code: "budget", message: "the tick's time was up"), &result)
                    break
                }
                done.insert(point.characteristic.path)
                await read(point, tick, &result)
            }
        } while isTreeOld && round == mine && result.ending == nil && loop.now < deadline
        guard round == mine else { return PollResult(values: result.values, isNew: result.isNew, ending: .relink) }
        readBattery(tick, &result)
        if result.values + result.failures == 0, points.contains(where: isParked) { result.failure = pairingFailure }
        await awaitNotifications(tick, until: min(deadline, loop.now + Timing.firstWord), &result)
        return result
    }

    private func isDue(_ point: Point, _ tick: DueTick) -> Bool {
        guard point.characteristic.isReadable, !point.isSubscribed, loop.now >= point.memory.restUntil else {
            return false
        }
        let isMeant =
            point.plan.isConstant
            ? !constantsRead.contains(point.characteristic.path) : tick.intervals.contains(point.plan.interval)
        return isMeant && !isParked(point)
    }

    private func read(_ point: Point, _ tick: DueTick, _ result: inout PollResult) async {
        guard let link else {
            result.ending = .relink
            return
        }
        let mine = round
        let isPaired = isPaired
        let agent = point.memory.mayNeedPairing(for: .read, isPaired: isPaired) ? agent : nil
        agent?.begin()
        defer { agent?.end() }
        for attempt in 1...Self.busyAttempts where round == mine {
            reading = point
            defer { reading = nil }
            do throws(BusError) {
                let octets = try await link.bus.call(point.plan.read(on: link.bus, at: loop.now, until: end))
                point.memory.permit(.read, isPaired: isPaired)
                return accept(octets, of: point, tick: tick.number, &result)
            } catch .remote(name: "org.bluez.Error.InProgress", _) where attempt < Self.busyAttempts {
                try? await loop.sleep(until: loop.now + .milliseconds(100))
            } catch {
                guard reading == nil else { return readFailed(point, tick, error, &result) }
                // The request is still with BlueZ, which will not end it.
                result.ending = .relink
                return park(point, tick, &result)
            }
        }
    }

    private static let busyAttempts = 20

    private func readFailed(_ point: Point, _ tick: DueTick, _ error: BusError, _ result: inout PollResult) {
        // The link was let go under the read's feet: that tells nothing of the device.
        guard let link else {
            result.ending = .relink
            return
        }
        if error == .timedOut {
            point.memory.unanswered(at: loop.now, answers: answers)
            points = points.doubtfulLast
            result.silences += 1
        } else {
            point.memory.answered()
        }
        let remedy = Remedy(error)
        let isUp = link.mirror.tree[link.device, Device1.connected] == true
        switch remedy {
        case .pairing: return park(point, tick, &result)
        // Only the characteristic went: the others are there, or it is, in another place.
        case .rediscover where isUp: treeChanged()
        case .relink, .rediscover, .wait: result.ending = remedy
        case .unsupported: point.memory.restUntil = loop.now + Timing.parked
        case .stale: misfits += 1
        // Whatever the answer says: the link may have gone, with it or before it.
        default: if !isUp { result.ending = .relink }
        }
        result.misfits = misfits
        fail(point, tick, ReadingFailure(read: error), &result)
    }

    // MARK: Values

    /// A value that came by itself.
    func notified(_ path: ObjectPath, _ octets: [UInt8]) {
        guard let point = points.first(where: { $0.characteristic.path == path && $0.isSubscribed }) else { return }
        var ignored = PollResult()
        accept(octets, of: point, tick: 0, &ignored)
        if ignored.values > 0 { point.hasNews = true }
        hasChanged = hasChanged || ignored.isNew
        notifiedAt = loop.now
        arrival.open()
    }

    private func accept(_ octets: [UInt8], of point: Point, tick: Int, _ result: inout PollResult) {
        answers += 1
        point.memory.answered()
        result.isNew = result.isNew || point.memory.last != octets
        point.memory.last = octets
        point.hasValue = true
        if point.plan.isConstant { constantsRead.insert(point.characteristic.path) }
        if let failure = journal.value(octets, of: point, tick: tick) {
            misfits += 1
            result.failure = failure
            result.failures += 1
        } else {
            misfits = 0
            result.values += 1
        }
        result.misfits = misfits
    }

    private func fail(_ point: Point, _ tick: DueTick, _ failure: ReadingFailure, _ result: inout PollResult) {
        result.failure = failure
        result.failures += 1
        journal.failure(failure, of: point, tick: tick.number)
    }

    /// Some versions of BlueZ keep the battery service to themselves, and tell only what they have read of it.
    private func readBattery(_ tick: DueTick, _ result: inout PollResult) {
        guard let link, result.ending == nil, configuration.wantsBattery,
            !points.contains(where: { $0.characteristic.uuid == BluetoothUUID(0x2A19) }),
            link.mirror.tree[link.device, Device1.connected] == true,
            let percentage = link.mirror.tree[link.device, Battery1.percentage], percentage <= 100
        else { return }
        result.values += 1
        result.isNew = result.isNew || battery != percentage
        battery = percentage
        journal.battery(percentage, tick: tick.number)
    }

    private var battery: UInt8?

    // MARK: Pairing

    /// BlueZ asked to pair this device: what is being read needs it, and will not be answered.
    func pairingWanted(by device: ObjectPath) {
        guard let link, link.device == device, let point = reading else { return }
        reading = nil
        link.bus.abandonCalls(below: point.characteristic.path)
    }

    private func isParked(_ point: Point) -> Bool {
        needsUser.holds(point.characteristic.path, isPaired: isPaired, at: loop.now)
    }

    private var isPaired: Bool { link.flatMap { $0.mirror.tree[$0.device, Device1.paired] } ?? false }
    private var pairingFailure: ReadingFailure { NeedsUser.failure(configuration.address, isPaired: isPaired) }

    private func park(_ point: Point, _ tick: DueTick, until end: Uptime? = nil, _ result: inout PollResult) {
        needsUser.park(point.characteristic.path, isPaired: isPaired, until: end ?? loop.now + Timing.parked)
        fail(point, tick, pairingFailure, &result)
    }

    // MARK: Binding

    private func bind(
        _ bus: any Bus, _ mirror: ObjectMirror, _ device: ObjectPath, _ tick: DueTick, _ result: inout PollResult
    ) async {
        isTreeOld = false
        link = (bus, mirror, device)
        let mine = round
        let bound = await binding.points(on: bus, mirror, device, within: tick.budget) { round == mine }
        // The link may have gone meanwhile.
        guard round == mine else {
            result.ending = .relink
            return
        }
        points = bound.points.doubtfulLast
        followed = []
        forgetOthers()
        if !tick.isOnlySubscribing { report(bound.missing, tick, &result) }
    }

    /// Forgets what was remembered of objects that are gone.
    private func forgetOthers() {
        guard !points.isEmpty else { return }
        let paths = Set(points.map(\.characteristic.path))
        constantsRead.formIntersection(paths)
        needsUser.keep(only: paths)
    }

    /// How much it remembers of single objects. It doesn't grow when a device's objects move.
    var memories: Int { constantsRead.count + needsUser.count }

    private func report(_ missing: [PointConfiguration], _ tick: DueTick, _ result: inout PollResult) {
        let isServedByBluez = link.map { $0.mirror.tree.has(Battery1.name, at: $0.device) } ?? false
        for point in missing where !(isServedByBluez && point.characteristic == BluetoothUUID(0x2A19)) {
            let failure = ReadingFailure(code: "no-point", message: "the device has no such characteristic")
            result.failure = failure
            result.failures += 1
            journal.failure(failure, tick: tick.number, of: point.characteristic, in: point.service)
        }
        guard points.isEmpty, missing.isEmpty, !isServedByBluez else { return }
        let failure = ReadingFailure(
            code: "nothing",
            message: "the device has nothing to read that is known here: 'blekeep gatt \(configuration.address)' "
                + "shows what it has, to be named under 'characteristics:'")
        result.failure = failure
        result.failures += 1
        journal.failure(failure, tick: tick.number)
    }

    // MARK: Notifications

    private func subscribe(_ tick: DueTick, _ result: inout PollResult) async {
        let wanting = points.filter {
            $0.plan.subscribes && !$0.isSubscribed && loop.now >= $0.memory.subscribeAfter && !isParked($0)
        }
        guard !wanting.isEmpty, let link else { return }
        let mine = round
        let before = followed
        followed.formUnion(wanting.map(\.characteristic.path))
        do throws(BusError) { try await link.mirror.updateRules() } catch {
            guard round == mine else { return }
            // Without its rule a subscription would succeed and never deliver a value.
            followed = before
            for point in wanting { subscriptionRefused(point, tick, error, &result) }
            return
        }
        guard round == mine else { return }
        for point in wanting {
            point.isSubscribed = true
            let agent = point.memory.mayNeedPairing(for: .subscribe, isPaired: isPaired) ? agent : nil
            agent?.begin()
            defer { agent?.end() }
            do throws(BusError) {
                _ = try await link.bus.object(Bluez.service, point.characteristic.path)
                    .call(GattCharacteristic1.startNotify, within: Timing.read)
                point.memory.permit(.subscribe, isPaired: isPaired)
            } catch {
                point.isSubscribed = false
                let remedy = Remedy(error)
                switch remedy {
                case .pairing:
                    park(point, tick, &result)
                    continue
                case .relink, .rediscover, .wait: result.ending = remedy
                // Another program may have it to itself: until it lets go, it is read like any other.
                case .unsupported: point.memory.subscribeAfter = loop.now + Timing.subscribeAgain
                default: break
                }
                fail(point, tick, ReadingFailure(read: error), &result)
                if result.ending != nil { return }
            }
        }
    }

    private func subscriptionRefused(_ point: Point, _ tick: DueTick, _ error: BusError, _ result: inout PollResult) {
        if Remedy(error) == .wait {
            result.ending = .wait
            return
        }
        point.memory.subscriptionRefused(at: loop.now)
        fail(point, tick, ReadingFailure(read: error), &result)
    }

    /// What has come by itself since the last tick counts with this one, unless what was read failed: to read that has its
    /// pauses. Where the link goes after it, or nothing else is read, and in a run of so many ticks, every subscribed point
    /// has a moment to say something.
    private func awaitNotifications(_ tick: DueTick, until deadline: Uptime, _ result: inout PollResult) async {
        if result.ending == nil, isFinite || tick.isAlone || result.values + result.failures == 0 {
            while points.contains(where: { $0.isSubscribed && !$0.hasValue }), loop.now < deadline {
                await arrival.wait(until: deadline)
            }
        }
        if isFinite || result.failures == 0 {
            result.values += points.count { $0.isSubscribed && (isFinite ? $0.hasValue : $0.hasNews) }
            result.isNew = result.isNew || hasChanged
        }
        hasChanged = false
        for point in points { point.hasNews = false }
    }
}

extension DeviceConfiguration {
    /// Whether the battery's level is among what is to be read.
    fileprivate var wantsBattery: Bool {
        characteristics.isEmpty || characteristics.contains { $0.characteristic == BluetoothUUID(0x2A19) }
    }
}
