import DBus
import RunLoop

/// The next action in a device's tick. Points are named by their index.
enum PollAction: Sendable, Equatable {
    /// Find the device's points.
    case bind
    case report(Report)
    /// Request the notifications of these points from the message bus.
    case follow([Int])
    /// Write the values that wait.
    case write
    case subscribe(Int, mayNeedPairing: Bool)
    case read(Int, mayNeedPairing: Bool)
    /// Ask the device by its recipe.
    case converse
    /// Take the battery level that BlueZ itself read, if it did.
    case readBattery
    /// Wait until the device sends a value by itself.
    case listen(until: Uptime)
    case end(PollResult)

    /// A read that failed, or that wasn't possible.
    struct Report: Sendable, Equatable {
        enum Subject: Sendable, Equatable {
            case point(Int)
            case missing(CharacteristicConfiguration)
            /// The conversation by the device's recipe.
            case recipe
            case device
        }

        let subject: Subject
        let failure: ReadingFailure
    }
}

/// The result of a tick's reads.
struct PollResult: Sendable, Hashable {
    /// The number of values, and whether any of them changed.
    var values = 0
    var isNew = false
    /// Whether the device sends values by itself.
    var isSubscribed = false
    var failures = 0
    /// The remedy that ended the poll early; `nil` for none.
    var ending: Remedy?
    /// The number of reads without an answer.
    var silences = 0
    /// The number of consecutive values, across connections, that don't match their format.
    var misfits = 0
    var failure: ReadingFailure?
    /// The cause when the tick had nothing to read, or nothing came, and the device isn't at fault.
    var skipped: ReadingFailure?

    /// Whether there were neither values nor failures.
    var isEmpty: Bool { values + failures == 0 }

    mutating func fail(_ failure: ReadingFailure) {
        self.failure = failure
        failures += 1
    }
}

/// A device's reads, for the device's life: its points on the current connection, what is known of each across connections,
/// and the tick in progress. It decides what to read next, what to do about a failure, and when the tick ends. Pure.
///
/// Each tick reads what is there, and ends within its budget with a cause, whatever is missing: no action begins after the
/// deadline of its round, and each has a deadline of its own. When the objects change meanwhile, they are searched again,
/// but only until that deadline.
///
/// Each call is complete when it returns. Meanwhile requests are on their way, notifications come, the connection ends, or
/// another tick begins: a result names the tick that it belongs to, and that of another tick is void.
struct PollMachine: Sendable {
    /// A tick's work on a connection. What its requests bring comes with it.
    struct Round: Sendable, Equatable {
        let tick: DueTick
        /// Whether the connection stays up afterwards. Otherwise, subscriptions must deliver values before.
        let isHeld: Bool
        /// The end of the budget. Nothing begins after it.
        let deadline: Uptime
        fileprivate let number: Int

        /// The deadline of the last request.
        var end: Uptime { deadline + Timing.beyondBudget }

        /// Before the first tick.
        fileprivate static let none = Round(tick: .subscribing(at: .start), isHeld: false, deadline: .start, number: 0)
    }

    /// A characteristic on the current connection.
    struct Point: Sendable {
        let plan: PointPlan
        /// Whether the message bus delivers its notifications.
        fileprivate(set) var isFollowed = false
        fileprivate(set) var isSubscribed = false
        /// Whether a value came on this connection.
        fileprivate var hasValue = false
        /// Whether the device sent a value by itself since the last tick.
        fileprivate var hasNews = false
    }

    /// The phases in their order. At the deadline of the round, each goes on to the last one, which ends.
    private enum Phase: Sendable {
        case binding
        case subscribing(ArraySlice<Int>)
        /// The points before this index, in the order of reading, are done.
        case reading(Int)
        /// The battery level from BlueZ is next.
        case finishing
        /// Waiting for the first values of subscriptions.
        case listening(until: Uptime)
    }

    /// The tick in progress, or the last one.
    private struct Poll: Sendable {
        var round = Round.none
        var phase = Phase.binding
        var result = PollResult()
        var reports: [PollAction.Report] = []
        /// Whether the device was asked by its recipe.
        var hasConversed = false
        /// The characteristics that were read. When the objects change meanwhile, the rest is read from the new objects.
        var done: Set<ObjectPath> = []

        mutating func fail(_ subject: PollAction.Report.Subject, failure: ReadingFailure) {
            reports.append(PollAction.Report(subject: subject, failure: failure))
            result.fail(failure)
        }
    }

    private let readsBattery: Bool
    /// Whether the run ends after a number of ticks.
    private let isOneOff: Bool
    /// The time between conversations by the device's recipe; `nil` without one.
    private let conversesEvery: Duration?

    // The current connection.
    private(set) var points: [Point] = []
    /// The indices of the points in the order of reading.
    private var order: [Int] = []
    /// The configured characteristics that the device lacks.
    private var missing: [CharacteristicConfiguration] = []
    private var services = FoundServices.some
    /// Whether the points must be searched again, because the device's objects may have changed.
    private(set) var isOld = true
    /// The number of the current tick or connection.
    private var number = 0
    private var poll = Poll()

    // All connections of this run.
    private var memories: [ObjectPath: PointMemory] = [:]
    private var battery: UInt8?
    /// The number of the last tick that reported that the device shows no services.
    private var reportedNothingIn: Int?
    /// What the last conversation brought.
    private var lastAnswers: [Conversation.Answer] = []
    /// The number of values so far.
    private var answers = 0
    /// The number of consecutive values that don't match their format.
    private var misfits = 0
    /// Whether the device sent a changed value by itself since the last tick.
    private var hasChanged = false

    /// - Parameters:
    ///   - readsBattery: whether the battery level is configured.
    ///   - isOneOff: whether the run ends after a number of ticks.
    ///   - conversesEvery: the time between conversations by the device's recipe; `nil` without one.
    init(readsBattery: Bool, isOneOff: Bool, conversesEvery: Duration? = nil) {
        self.readsBattery = readsBattery
        self.isOneOff = isOneOff
        self.conversesEvery = conversesEvery
    }

    /// The number of remembered characteristics.
    var remembered: Int { memories.count }

    func memory(of plan: PointPlan) -> PointMemory { memories[plan.path] ?? PointMemory() }

    private subscript(_ plan: PointPlan) -> PointMemory {
        get { memory(of: plan) }
        _modify { yield &memories[plan.path, default: PointMemory()] }
    }

    // MARK: The connection

    /// Call this when the connection ended.
    mutating func unbind() {
        number += 1
        points = []
        order = []
        missing = []
        services = .some
        isOld = true
    }

    /// Call this when the device's objects changed. The next read searches the points again.
    mutating func objectsChanged() { isOld = true }

    /// Call this when BlueZ removes the device from its cache.
    mutating func forgetMisfits() { misfits = 0 }

    func subscriber(of path: ObjectPath) -> Int? { points.firstIndex { $0.isSubscribed && $0.plan.path == path } }

    // MARK: A tick

    /// Begins a tick's work on a connection with resolved services. An older one is over.
    mutating func begin(_ tick: DueTick, isHeld: Bool, at now: Uptime) -> Round {
        number += 1
        sort()
        poll = Poll(round: Round(tick: tick, isHeld: isHeld, deadline: now + tick.budget, number: number))
        return poll.round
    }

    /// Whether the connection of this tick is still up, and no newer tick began.
    func isCurrent(_ round: Round) -> Bool { number == round.number }

    /// Whether this tick may still write.
    func mayWrite(in round: Round, at now: Uptime) -> Bool {
        isCurrent(round) && poll.result.ending == nil && now < round.deadline
    }

    /// Returns the next action of a tick. Perform it, tell its result, and call this again.
    ///
    /// - Parameter hasWrites: whether values wait to be written.
    mutating func next(in round: Round, hasWrites: Bool = false, isPaired: Bool, at now: Uptime) -> PollAction {
        // A newer tick began.
        guard poll.round.number == round.number else { return .end(PollResult(ending: .relink)) }
        while true {
            if !poll.reports.isEmpty { return .report(poll.reports.removeFirst()) }
            guard isCurrent(round) else { return .end(interrupted) }
            if hasWrites, poll.result.ending == nil, now < round.deadline {
                if case .binding = poll.phase {} else { return .write }
            }
            switch poll.phase {
            case .binding:
                // A tick without time for a search ends with what it has.
                if isOld, now < round.deadline {
                    isOld = false
                    return .bind
                }
                waitForPairing(isPaired: isPaired, at: now)
                poll.phase = .subscribing(wanting(isPaired: isPaired, at: now)[...])
            case .subscribing(let left):
                if let action = subscribeNext(left, isPaired: isPaired, at: now) { return action }
            case .reading(let index):
                if let action = readNext(index, isPaired: isPaired, at: now) { return action }
            case .finishing:
                if findsNothing() { continue }
                if mustConverse(at: now) {
                    poll.hasConversed = true
                    return .converse
                }
                poll.phase = .listening(until: min(round.deadline, now + Timing.firstValue))
                guard poll.result.ending == nil, !poll.round.tick.isOnlySubscribing else { continue }
                reportMissing()
                if lacksBattery { return .readBattery }
            case .listening(let end):
                guard now < end, mustListen else { return .end(finish(isPaired: isPaired, at: now)) }
                return .listen(until: end)
            }
        }
    }

    /// The result when the connection ended. A tick that only waited for values is complete.
    private var interrupted: PollResult {
        if case .listening = poll.phase, !poll.result.isEmpty { return poll.result }
        return PollResult(values: poll.result.values, isNew: poll.result.isNew, ending: .relink)
    }

    /// Ends the tick with a cause if nothing came.
    private mutating func finish(isPaired: Bool, at now: Uptime) -> PollResult {
        if poll.result.isEmpty, order.contains(where: { isWaitingForUser($0, isPaired: isPaired, at: now) }) {
            poll.result.failure = .missingPairing(isPaired: isPaired)
        }
        countNews()
        guard poll.result.isEmpty, poll.result.failure == nil, poll.result.ending == nil else { return poll.result }
        if points.contains(where: \.isSubscribed) {
            // The device may have nothing to say. A run that waits for a value fails.
            if isOneOff { poll.result.failure = .noValue } else { poll.result.skipped = .noValue }
        } else if isOld || now >= poll.round.deadline {
            poll.result.failure = .usedUp
        } else {
            poll.result.skipped = points.contains { now < self[$0.plan].restUntil } ? .resting : .notDue
        }
        return poll.result
    }

    /// Adds the values that the device sent by itself since the last tick, unless a read failed. In a one-off run, earlier
    /// values on this connection count, too.
    private mutating func countNews() {
        if isOneOff || poll.result.failures == 0 {
            poll.result.values += points.count { $0.isSubscribed && (isOneOff ? $0.hasValue : $0.hasNews) }
            poll.result.isNew = poll.result.isNew || hasChanged
        }
        hasChanged = false
        poll.result.isSubscribed = points.contains(where: \.isSubscribed)
        for index in points.indices { points[index].hasNews = false }
    }

    /// Changes the result of a tick; of an older one, nothing.
    private mutating func change(_ round: Round, change: (inout Poll) -> Void) {
        if poll.round.number == round.number { change(&poll) }
    }

    // MARK: Binding

    /// Takes the characteristics of the connection.
    ///
    /// - Parameter missing: the configured characteristics that the device lacks.
    mutating func bound(
        _ plans: [PointPlan], missing: [CharacteristicConfiguration], services: FoundServices = .some, in round: Round
    ) {
        guard isCurrent(round) else { return }
        points = plans.map { Point(plan: $0) }
        self.missing = missing
        self.services = services
        if !plans.isEmpty {
            // BlueZ may move a device's objects to other paths.
            let paths = Set(plans.map(\.path))
            memories = memories.filter { paths.contains($0.key) }
        }
        sort()
    }

    /// Ends the tick if BlueZ shows no services at all. The device has some, so another connection may show them.
    private mutating func findsNothing() -> Bool {
        guard poll.result.isEmpty, poll.result.ending == nil, !isOld, services != .some else { return false }
        switch services {
        case .some: return false
        case .none: poll.result.ending = .relink
        case .classic: poll.result.ending = .bearer
        }
        let failure: ReadingFailure = services == .classic ? .classic : .noServices
        // A tick has two connections for it, and one failure.
        if reportedNothingIn == poll.round.tick.number {
            poll.result.fail(failure)
        } else {
            poll.fail(.device, failure: failure)
        }
        reportedNothingIn = poll.round.tick.number
        return true
    }

    /// Reports what the device lacks, or doesn't let blekeep read, once a tick. This comes after the reads, because objects
    /// may come late.
    private mutating func reportMissing() {
        for point in missing where !point.isBatteryLevel { poll.fail(.missing(point), failure: .noCharacteristic) }
        for index in order where !points[index].plan.isObtainable { poll.fail(.point(index), failure: .notReadable) }
    }

    /// Moves characteristics that didn't answer to the end, so that they don't delay the others.
    private mutating func sort() {
        func isDoubtful(_ index: Int) -> Bool { self[points[index].plan].isDoubtful }
        let indices = points.indices
        order =
            indices.contains(where: isDoubtful)
            ? indices.filter { !isDoubtful($0) } + indices.filter(isDoubtful) : Array(indices)
    }

    // MARK: Pairing

    private func isWaitingForUser(_ index: Int, isPaired: Bool, at now: Uptime) -> Bool {
        self[points[index].plan].isWaitingForUser(isPaired: isPaired, at: now)
    }

    /// Lets points that need pairing wait for the user.
    private mutating func waitForPairing(isPaired: Bool, at now: Uptime) {
        guard !isPaired else { return }
        for index in order where points[index].plan.security != .none {
            guard !isWaitingForUser(index, isPaired: false, at: now) else { continue }
            self[points[index].plan].waitForUser(isPaired: false, until: .never)
            poll.fail(.point(index), failure: .missingPairing(isPaired: false))
        }
    }

    /// Takes a request for which BlueZ asked to pair the device. BlueZ doesn't end this request.
    /// Returns the failure to report.
    mutating func pairingWanted(
        for plan: PointPlan, in round: Round, isPaired: Bool, at now: Uptime
    ) -> ReadingFailure {
        self[plan].waitForUser(isPaired: isPaired, until: now + Timing.waitForUser)
        let failure = ReadingFailure.missingPairing(isPaired: isPaired)
        change(round) {
            $0.result.ending = .relink
            $0.result.fail(failure)
        }
        return failure
    }

    // MARK: Subscriptions

    /// The indices of the points that need a subscription.
    private func wanting(isPaired: Bool, at now: Uptime) -> [Int] {
        order.filter {
            points[$0].plan.subscribes && !points[$0].isSubscribed && now >= self[points[$0].plan].subscribeAfter
                && !isWaitingForUser($0, isPaired: isPaired, at: now)
        }
    }

    private mutating func subscribeNext(_ left: ArraySlice<Int>, isPaired: Bool, at now: Uptime) -> PollAction? {
        guard poll.result.ending == nil, now < poll.round.deadline, let index = left.first else {
            if poll.round.tick.isOnlySubscribing { return .end(poll.result) }
            poll.phase = .reading(0)
            return nil
        }
        let unfollowed = left.filter { !points[$0].isFollowed }
        guard unfollowed.isEmpty else {
            for index in unfollowed { points[index].isFollowed = true }
            return .follow(unfollowed)
        }
        poll.phase = .subscribing(left.dropFirst())
        // Values may come before the call's reply.
        points[index].isSubscribed = true
        return .subscribe(
            index, mayNeedPairing: self[points[index].plan].mayNeedPairing(for: .subscribe, isPaired: isPaired))
    }

    mutating func subscribed(to plan: PointPlan, isPaired: Bool) { self[plan].permit(.subscribe, isPaired: isPaired) }

    /// Takes a refusal of the message bus to deliver notifications. A subscription would succeed without ever delivering a
    /// value.
    mutating func followRefused(_ indices: [Int], error: BusError, in round: Round, at now: Uptime) {
        guard isCurrent(round), case .subscribing(let left) = poll.phase else { return }
        for index in indices { points[index].isFollowed = false }
        poll.phase = .subscribing([])
        let remedy = Remedy(error)
        if remedy.policy.provesNothing {
            poll.result.ending = remedy
        } else {
            for index in left {
                self[points[index].plan].subscriptionRefused(at: now)
                poll.fail(.point(index), failure: ReadingFailure(read: error))
            }
        }
    }

    /// Whether the tick waits for the first value of each subscription: before a disconnect, without reads, and in a one-off
    /// run.
    private var mustListen: Bool {
        poll.result.ending == nil && (isOneOff || !poll.round.isHeld || poll.result.isEmpty)
            && points.contains { $0.isSubscribed && !$0.hasValue }
    }

    /// Takes a value that the device sent by itself.
    ///
    /// - Parameter misfit: the failure when the bytes don't match the format.
    mutating func notified(_ index: Int, bytes: [UInt8], misfit: ReadingFailure?) {
        var result = PollResult()
        answered(bytes, of: points[index].plan, misfit: misfit, result: &result)
        points[index].hasValue = true
        if result.values > 0 { points[index].hasNews = true }
        hasChanged = hasChanged || result.isNew
    }

    // MARK: Reads

    private mutating func readNext(_ index: Int, isPaired: Bool, at now: Uptime) -> PollAction? {
        guard poll.result.ending == nil, !isOld,
            let next = order[index...].firstIndex(where: {
                !poll.done.contains(points[$0].plan.path)
                    && isDue($0, for: poll.round.tick, isPaired: isPaired, at: now)
            })
        else {
            poll.phase = isOld && poll.result.ending == nil && now < poll.round.deadline ? .binding : .finishing
            return nil
        }
        let point = order[next]
        guard now < poll.round.deadline else {
            poll.fail(.point(point), failure: .usedUp)
            poll.phase = .finishing
            return nil
        }
        poll.phase = .reading(next + 1)
        let plan = points[point].plan
        poll.done.insert(plan.path)
        return .read(point, mayNeedPairing: self[plan].mayNeedPairing(for: .read, isPaired: isPaired))
    }

    private func isDue(_ index: Int, for tick: DueTick, isPaired: Bool, at now: Uptime) -> Bool {
        let point = points[index]
        guard point.plan.characteristic.isReadable, !point.isSubscribed else { return false }
        let memory = self[point.plan]
        let isMeant = point.plan.isConstant ? memory.last == nil : tick.intervals.contains(point.plan.interval)
        return isMeant && now >= memory.restUntil && !memory.isWaitingForUser(isPaired: isPaired, at: now)
    }

    /// Takes a value. It counts even if the connection ended after it.
    ///
    /// - Parameter misfit: the failure when the bytes don't match the format.
    mutating func read(
        _ index: Int, plan: PointPlan, bytes: [UInt8], misfit: ReadingFailure?, in round: Round, isPaired: Bool
    ) {
        self[plan].permit(.read, isPaired: isPaired)
        var result = poll.result
        answered(bytes, of: plan, misfit: misfit, result: &result)
        change(round) { $0.result = result }
        if isCurrent(round) { points[index].hasValue = true }
    }

    private mutating func answered(
        _ bytes: [UInt8], of plan: PointPlan, misfit: ReadingFailure?, result: inout PollResult
    ) {
        answers += 1
        let isNew = self[plan].answered(bytes)
        result.isNew = result.isNew || isNew
        misfits = misfit == nil ? 0 : misfits + 1
        result.misfits = misfits
        if let misfit { result.fail(misfit) } else { result.values += 1 }
    }

    /// Takes a failed request. If the connection ended meanwhile, it proves nothing about the device.
    ///
    /// - Parameter isUp: whether BlueZ reports the device as connected.
    mutating func failed(
        _ request: PointMemory.Request, of index: Int, error: BusError, isUp: Bool, in round: Round, isPaired: Bool,
        at now: Uptime
    ) {
        guard isCurrent(round) else { return }
        let plan = points[index].plan
        let remedy = Remedy(error)
        switch request {
        case .read:
            if error == .timedOut {
                self[plan].unanswered(at: now, answers: answers)
                poll.result.silences += 1
            } else {
                self[plan].answered()
            }
        case .subscribe: points[index].isSubscribed = false
        }
        switch remedy.policy.request {
        case .search where request == .read && isUp: isOld = true
        case .endTick, .search: poll.result.ending = remedy
        case .pausePoint: self[plan].unsupported(request, at: now)
        case .suspectCache: if request == .read { misfits += 1 }
        case .goOn: if request == .read, !isUp { poll.result.ending = .relink }
        case .askUser:
            self[plan].waitForUser(isPaired: isPaired, until: now + Timing.waitForUser)
            return poll.fail(.point(index), failure: .missingPairing(isPaired: isPaired))
        }
        if request == .read { poll.result.misfits = misfits }
        poll.fail(.point(index), failure: ReadingFailure(read: error))
    }

    // MARK: Recipes

    private func mustConverse(at now: Uptime) -> Bool {
        guard let conversesEvery, !poll.hasConversed, poll.result.ending == nil, now < poll.round.deadline else {
            return false
        }
        return poll.round.tick.intervals.contains(conversesEvery)
    }

    /// Takes the end of a conversation. If blekeep ended the connection meanwhile, its failure proves nothing about the
    /// device.
    ///
    /// - Parameter isUp: whether BlueZ reports the device as connected.
    mutating func conversed(_ outcome: Conversation.Outcome, isUp: Bool, in round: Round) {
        let count = outcome.answers.reduce(0) { $0 + $1.measurements.count }
        let isNew = count > 0 && outcome.answers != lastAnswers
        if count > 0 { lastAnswers = outcome.answers }
        let isCurrent = isCurrent(round)
        change(round) { poll in
            poll.result.values += count
            poll.result.isNew = poll.result.isNew || isNew
            guard isCurrent, let failure = outcome.failure else { return }
            poll.fail(.recipe, failure: failure)
            if !isUp { poll.result.ending = .relink }
        }
    }

    // MARK: The battery level that BlueZ itself read

    /// Whether the battery level must come from BlueZ: some versions hide the battery service.
    private var lacksBattery: Bool {
        readsBattery && !points.contains { $0.plan.characteristic.uuid == .batteryLevel }
    }

    /// Returns the battery level in percent that BlueZ shows on a connection of this age; `nil` when it means nothing
    /// yet, because BlueZ may show 0 % before it has the level of the device.
    static func level(_ percentage: UInt8, afterLinkOf age: Duration) -> UInt8? {
        percentage == 0 && age < Timing.emptyBattery ? nil : percentage
    }

    /// BlueZ didn't read the battery level, either.
    mutating func batteryMissing(in round: Round) {
        let wanted = missing.filter(\.isBatteryLevel)
        let isAll = points.isEmpty && missing.isEmpty && conversesEvery == nil && !isOld
        change(round) { poll in
            for point in wanted { poll.fail(.missing(point), failure: .noCharacteristic) }
            if isAll, poll.result.isEmpty { poll.fail(.device, failure: .nothingKnown) }
        }
    }

    mutating func batteryRead(_ percentage: UInt8, in round: Round) {
        let isNew = battery != percentage
        battery = percentage
        change(round) {
            $0.result.values += 1
            $0.result.isNew = $0.result.isNew || isNew
        }
    }
}

/// The state of a characteristic across connections.
struct PointMemory: Sendable {
    private(set) var last: [UInt8]?
    /// The end of a pause between reads.
    private(set) var restUntil = Uptime.start
    /// The end of a pause between subscriptions. Meanwhile, the characteristic is read if possible.
    private(set) var subscribeAfter = Uptime.start
    /// The wait for the user, which also ends when the device is paired or unpaired.
    private var waiting: (until: Uptime, wasPaired: Bool)?
    private var refusals = 0
    /// The number of consecutive reads without an answer, while other values came.
    private var silences = 0
    /// The number of the device's values at the last read without an answer.
    private var answersBefore = -1

    private static let maxSilences = 3

    /// Whether the last read had no answer.
    private(set) var isDoubtful = false

    /// A request that may need pairing.
    enum Request { case read, subscribe }

    /// The requests that succeeded, and whether the device was paired then.
    private var permitted: [Request: Bool] = [:]

    /// Records that a request succeeded, and so needs no pairing until the device is paired or unpaired.
    mutating func permit(_ request: Request, isPaired: Bool) { permitted[request] = isPaired }

    func mayNeedPairing(for request: Request, isPaired: Bool) -> Bool { permitted[request] != isPaired }

    /// Pauses a request that fails for now. Another program may have the notifications of a characteristic for itself.
    mutating func unsupported(_ request: Request, at now: Uptime) {
        switch request {
        case .read: restUntil = now + Timing.waitForUser
        case .subscribe: subscribeAfter = now + Timing.subscribeAgain
        }
    }

    mutating func waitForUser(isPaired: Bool, until end: Uptime) { waiting = (end, isPaired) }

    func isWaitingForUser(isPaired: Bool, at now: Uptime) -> Bool {
        waiting.map { now < $0.until && $0.wasPaired == isPaired } ?? false
    }

    /// Takes a value. Returns whether it differs from the last one.
    mutating func answered(_ bytes: [UInt8]) -> Bool {
        answered()
        defer { last = bytes }
        return bytes != last
    }

    mutating func answered() {
        silences = 0
        isDoubtful = false
    }

    /// Records that the message bus refused a subscription: the next attempt is after 1 min, then 2, up to 1 h.
    mutating func subscriptionRefused(at now: Uptime) {
        subscribeAfter = now + min(.seconds(60 << min(refusals, 6)), Timing.subscribeAgain)
        refusals += 1
    }

    /// Takes a read without an answer. After three in a row, the characteristic pauses. A read counts only
    /// if the device sent another value since the last one. A device that answers nothing has its own pauses.
    ///
    /// - Parameter answers: the number of the device's values so far.
    mutating func unanswered(at now: Uptime, answers: Int) {
        isDoubtful = true
        permitted[.read] = nil
        guard answers > answersBefore else { return }
        answersBefore = answers
        silences += 1
        guard silences >= Self.maxSilences else { return }
        silences = 0
        restUntil = now + Timing.waitForUser
    }
}

extension PointPlan {
    /// Whether its values can come to blekeep.
    fileprivate var isObtainable: Bool { characteristic.isReadable || characteristic.canNotify || isForWrites }
}

extension CharacteristicConfiguration {
    var isBatteryLevel: Bool { characteristic == .batteryLevel }
}

extension BluetoothUUID {
    static let batteryLevel = BluetoothUUID(0x2A19)
}

extension ReadingFailure {
    static let usedUp = ReadingFailure(.budget, "the tick's time was used up")
    static let noCharacteristic = ReadingFailure(.noPoint, "the device has no such characteristic")
    fileprivate static let noServices = ReadingFailure(.services, "no service appeared on the connection")
    fileprivate static let classic = ReadingFailure(
        .services, "bluetoothd connected it by classic Bluetooth, which has none of the services")
    fileprivate static let nothingKnown = ReadingFailure(
        .nothing, "blekeep knows none of the device's characteristics; name those to read under 'characteristics:'")
    fileprivate static let notReadable = ReadingFailure(
        .nothing, "the device doesn't allow to read this characteristic, and doesn't send it")
    fileprivate static let noValue = ReadingFailure(.silent, "the device sent no value by itself since the last tick")
    fileprivate static let resting = ReadingFailure(.nothing, "what failed before isn't asked again yet")
    fileprivate static let notDue = ReadingFailure(.nothing, "this tick had nothing to read")
}
