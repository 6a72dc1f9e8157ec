import DBus
import RunLoop

/// The state of a device's characteristics: on the current connection, and across connections.
struct DevicePoints: Sendable {
    /// A characteristic on the current connection.
    struct Point: Sendable {
        let plan: PointPlan
        /// Whether the message bus delivers its notifications.
        var isFollowed = false
        var isSubscribed = false
        /// Whether a value came on this connection.
        var hasValue = false
        /// Whether the device sent a value by itself since the last tick.
        var hasNews = false
    }

    private let address: BluetoothAddress
    private let readsBattery: Bool

    // The current connection.
    private(set) var points: [Point] = []
    /// The indices of the points in the order of reading.
    private(set) var order: [Int] = []
    /// Whether the points must be searched again, because the device's objects may have changed.
    var isOld = true
    /// The number of the current poll or connection. Work of an older one is void.
    private(set) var round = 0
    /// Whether values wait to be written.
    var hasWrites = false

    // All connections of this run.
    private var memories: [ObjectPath: PointMemory] = [:]
    private var battery: UInt8?
    /// The number of values so far.
    private var answers = 0
    /// The number of consecutive values that don't match their format.
    private(set) var misfits = 0
    /// Whether the device sent a changed value by itself since the last tick.
    private var hasChanged = false

    /// - Parameter readsBattery: whether the battery level is configured.
    init(_ address: BluetoothAddress, readsBattery: Bool) {
        self.address = address
        self.readsBattery = readsBattery
    }

    /// The number of remembered characteristics.
    var remembered: Int { memories.count }

    subscript(_ index: Int) -> Point {
        get { points[index] }
        set { points[index] = newValue }
    }

    subscript(_ plan: PointPlan) -> PointMemory {
        get { memories[plan.path] ?? PointMemory() }
        _modify { yield &memories[plan.path, default: PointMemory()] }
    }

    // MARK: The link

    /// Call this when the connection ended.
    mutating func unbind() {
        round += 1
        points = []
        order = []
        isOld = true
    }

    /// Call this when BlueZ removes the device from its cache.
    mutating func forgetMisfits() { misfits = 0 }

    /// Begins a poll, and returns its number.
    mutating func begin() -> Int {
        round += 1
        sort()
        return round
    }

    /// Takes the characteristics of the current connection.
    mutating func bind(_ plans: [PointPlan]) {
        points = plans.map { Point(plan: $0) }
        if !plans.isEmpty {
            // BlueZ may move a device's objects to other paths.
            let paths = Set(plans.map(\.path))
            memories = memories.filter { paths.contains($0.key) }
        }
        sort()
    }

    /// Moves characteristics that didn't answer to the end, so that they don't delay the others.
    private mutating func sort() {
        func isDoubtful(_ index: Int) -> Bool { self[points[index].plan].isDoubtful }
        let indices = points.indices
        order =
            indices.contains(where: isDoubtful)
            ? indices.filter { !isDoubtful($0) } + indices.filter(isDoubtful) : Array(indices)
    }

    // MARK: Questions

    /// Returns the index of the subscribed point at this path.
    func subscriber(of path: ObjectPath) -> Int? { points.firstIndex { $0.isSubscribed && $0.plan.path == path } }

    func isWaitingForUser(_ index: Int, isPaired: Bool, at now: Uptime) -> Bool {
        self[points[index].plan].isWaitingForUser(isPaired: isPaired, at: now)
    }

    func isDue(_ index: Int, for tick: DueTick, isPaired: Bool, at now: Uptime) -> Bool {
        let point = points[index]
        guard point.plan.characteristic.isReadable, !point.isSubscribed else { return false }
        let memory = self[point.plan]
        let isMeant = point.plan.isConstant ? memory.last == nil : tick.intervals.contains(point.plan.interval)
        return isMeant && now >= memory.restUntil && !memory.isWaitingForUser(isPaired: isPaired, at: now)
    }

    /// Returns the indices of the points that need a subscription.
    func wanting(isPaired: Bool, at now: Uptime) -> [Int] {
        order.filter {
            points[$0].plan.subscribes && !points[$0].isSubscribed && now >= self[points[$0].plan].subscribeAfter
                && !isWaitingForUser($0, isPaired: isPaired, at: now)
        }
    }

    /// Whether the battery level must come from BlueZ: some versions hide the battery service.
    var lacksBattery: Bool {
        readsBattery && !points.contains { $0.plan.characteristic.uuid == BluetoothUUID(0x2A19) }
    }

    func pairingFailure(isPaired: Bool) -> ReadingFailure { NeedsUser.failure(address, isPaired: isPaired) }

    /// The device has nothing that blekeep could read.
    var nothingFailure: ReadingFailure {
        ReadingFailure(
            .nothing,
            "blekeep knows none of the device's characteristics: 'blekeep gatt \(address)' lists them; name those to "
                + "read under 'characteristics:'")
    }

    // MARK: Answers

    /// Takes a value.
    ///
    /// - Parameter misfit: the failure when the bytes don't match the format.
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

    /// Takes a failed read.
    mutating func failed(_ plan: PointPlan, _ error: BusError, _ remedy: Remedy, at now: Uptime) {
        if error == .timedOut { self[plan].unanswered(at: now, answers: answers) } else { self[plan].answered() }
        if remedy == .stale { misfits += 1 }
    }

    /// Takes a value that the device sent by itself.
    mutating func notified(_ index: Int, _ bytes: [UInt8], _ misfit: ReadingFailure?) {
        var result = PollResult()
        take(bytes, of: points[index].plan, misfit, &result)
        points[index].hasValue = true
        if result.values > 0 { points[index].hasNews = true }
        hasChanged = hasChanged || result.isNew
    }

    /// Adds the values that the device sent by itself since the last tick, unless a read failed.
    ///
    /// - Parameter isFinite: whether earlier values on this connection count, too.
    mutating func countNews(_ result: inout PollResult, isFinite: Bool) {
        if isFinite || result.failures == 0 {
            result.values += points.count { $0.isSubscribed && (isFinite ? $0.hasValue : $0.hasNews) }
            result.isNew = result.isNew || hasChanged
        }
        hasChanged = false
        result.isSubscribed = points.contains(where: \.isSubscribed)
        for index in points.indices { points[index].hasNews = false }
    }

    /// Returns the battery level in percent that BlueZ shows on a connection of this age; `nil` when it means nothing
    /// yet, because BlueZ may show 0 % before the device has told its own.
    static func level(_ percentage: UInt8, afterLinkOf age: Duration) -> UInt8? {
        percentage == 0 && age < Timing.emptyBattery ? nil : percentage
    }

    /// Takes the battery level in percent that BlueZ itself read.
    mutating func batteryRead(_ percentage: UInt8, _ result: inout PollResult) {
        result.values += 1
        result.isNew = result.isNew || battery != percentage
        battery = percentage
    }
}
