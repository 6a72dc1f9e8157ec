import DBus
import RunLoop

/// What is known of a device's characteristics: on the link that is up, and over all links.
struct DevicePoints: Sendable {
    /// A characteristic on the link that is up.
    struct Point: Sendable {
        let plan: PointPlan
        /// Whether its notifications pass the message bus.
        var isFollowed = false
        var isSubscribed = false
        /// Whether a value has come on this link.
        var hasValue = false
        /// Whether one has come by itself since the last tick.
        var hasNews = false
    }

    private let address: BluetoothAddress
    private let readsBattery: Bool

    // Of the link that is up.
    private(set) var points: [Point] = []
    /// The places of the points in the order in which they are read.
    private(set) var order: [Int] = []
    /// Whether the points must be looked for: they never were, or the device's objects have changed since.
    var isOld = true
    /// Counts the polls, and the links that went: what an older one has begun, it doesn't go on with.
    private(set) var round = 0

    // For as long as the program runs.
    private var memories: [ObjectPath: PointMemory] = [:]
    private var battery: UInt8?
    /// How many values have come.
    private var answers = 0
    /// Consecutive values that do not fit what is known of their characteristics.
    private(set) var misfits = 0
    /// Whether a value that came by itself since the last tick was new.
    private var hasChanged = false

    /// - Parameter readsBattery: whether the battery's level is among what is to be read.
    init(_ address: BluetoothAddress, readsBattery: Bool) {
        self.address = address
        self.readsBattery = readsBattery
    }

    /// Of how many characteristics it remembers something. It doesn't grow when a device's objects move.
    var remembered: Int { memories.count }

    subscript(_ place: Int) -> Point {
        get { points[place] }
        set { points[place] = newValue }
    }

    /// What is remembered of a characteristic.
    subscript(_ plan: PointPlan) -> PointMemory {
        get { memories[plan.path] ?? PointMemory() }
        _modify { yield &memories[plan.path, default: PointMemory()] }
    }

    // MARK: The link

    /// The link is down: nothing of it counts any more.
    mutating func unbind() {
        round += 1
        points = []
        order = []
        isOld = true
    }

    /// BlueZ removes the device from its cache: what did not fit may do so now.
    mutating func forgetMisfits() { misfits = 0 }

    /// - Returns: the number of a poll that begins.
    mutating func begin() -> Int {
        round += 1
        sort()
        return round
    }

    /// These were found on the link that is up.
    mutating func bind(_ plans: [PointPlan]) {
        points = plans.map { Point(plan: $0) }
        if !plans.isEmpty {
            // BlueZ moves a device's objects to other paths.
            let paths = Set(plans.map(\.path))
            memories = memories.filter { paths.contains($0.key) }
        }
        sort()
    }

    /// Those last that were not answered: they don't keep the others from being read.
    private mutating func sort() {
        func isDoubtful(_ place: Int) -> Bool { self[points[place].plan].isDoubtful }
        let places = points.indices
        order =
            places.contains(where: isDoubtful)
            ? places.filter { !isDoubtful($0) } + places.filter(isDoubtful) : Array(places)
    }

    // MARK: Questions

    /// - Returns: the place of the point that has subscribed to these values.
    func subscriber(of path: ObjectPath) -> Int? { points.firstIndex { $0.isSubscribed && $0.plan.path == path } }

    /// Whether only a user can help with it at present.
    func isParked(_ place: Int, isPaired: Bool, at now: Uptime) -> Bool {
        self[points[place].plan].isParked(isPaired: isPaired, at: now)
    }

    func isDue(_ place: Int, for tick: DueTick, isPaired: Bool, at now: Uptime) -> Bool {
        let point = points[place]
        guard point.plan.characteristic.isReadable, !point.isSubscribed else { return false }
        let memory = self[point.plan]
        let isMeant = point.plan.isConstant ? memory.last == nil : tick.intervals.contains(point.plan.interval)
        return isMeant && now >= memory.restUntil && !memory.isParked(isPaired: isPaired, at: now)
    }

    /// The places of the points that are to be subscribed to.
    func wanting(isPaired: Bool, at now: Uptime) -> [Int] {
        order.filter {
            points[$0].plan.subscribes && !points[$0].isSubscribed && now >= self[points[$0].plan].subscribeAfter
                && !isParked($0, isPaired: isPaired, at: now)
        }
    }

    /// Some versions of BlueZ keep the battery service to themselves, and tell only what they have read of it.
    var lacksBattery: Bool {
        readsBattery && !points.contains { $0.plan.characteristic.uuid == BluetoothUUID(0x2A19) }
    }

    func pairingFailure(isPaired: Bool) -> ReadingFailure { NeedsUser.failure(address, isPaired: isPaired) }

    /// The device has nothing that blekeep could read.
    var nothingFailure: ReadingFailure {
        ReadingFailure(
            .nothing,
            "the device has nothing to read that is known here: 'blekeep gatt \(address)' shows what it has, to "
                + "be named under 'characteristics:'")
    }

    // MARK: Answers

    /// A value came.
    ///
    /// - Parameter misfit: why the bytes don't fit the form that is known of the characteristic.
    mutating func take(
        _ bytes: [UInt8], of plan: PointPlan, _ misfit: ReadingFailure?, _ result: inout PollResult
    ) {
        answers += 1
        let isNew = self[plan].answered(bytes)
        result.isNew = result.isNew || isNew
        misfits = misfit == nil ? 0 : misfits + 1
        result.misfits = misfits
        if let misfit { result.fail(misfit) } else { result.values += 1 }
    }

    /// A read ended without a value.
    mutating func failed(_ plan: PointPlan, _ error: BusError, _ remedy: Remedy, at now: Uptime) {
        if error == .timedOut { self[plan].unanswered(at: now, answers: answers) } else { self[plan].answered() }
        if remedy == .stale { misfits += 1 }
    }

    /// A value came by itself.
    mutating func notified(_ place: Int, _ bytes: [UInt8], _ misfit: ReadingFailure?) {
        var result = PollResult()
        take(bytes, of: points[place].plan, misfit, &result)
        points[place].hasValue = true
        if result.values > 0 { points[place].hasNews = true }
        hasChanged = hasChanged || result.isNew
    }

    /// What has come by itself since the last tick counts with this one, unless what was read failed: to read that has
    /// its pauses.
    ///
    /// - Parameter isFinite: what came earlier on this link counts, too.
    mutating func countNews(_ result: inout PollResult, isFinite: Bool) {
        if isFinite || result.failures == 0 {
            result.values += points.count { $0.isSubscribed && (isFinite ? $0.hasValue : $0.hasNews) }
            result.isNew = result.isNew || hasChanged
        }
        hasChanged = false
        result.isSubscribed = points.contains(where: \.isSubscribed)
        for place in points.indices { points[place].hasNews = false }
    }

    /// BlueZ has read of the battery itself, in percent.
    mutating func batteryRead(_ percentage: UInt8, _ result: inout PollResult) {
        result.values += 1
        result.isNew = result.isNew || battery != percentage
        battery = percentage
    }
}
