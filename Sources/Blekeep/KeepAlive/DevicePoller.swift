import DBus
import RunLoop

/// Reads one device's points, one after another, and takes what it notifies.
final class DevicePoller: @unchecked Sendable {
    let configuration: DeviceConfiguration
    private let interval: Duration
    private let isFinite: Bool
    private let loop: RunLoop
    private let wallTime: () -> Int64
    private let record: ([Reading]) -> Void

    // Of the link that is up.
    private var link: (bus: any Bus, mirror: ObjectMirror, device: ObjectPath)?
    private(set) var points: [Point] = []
    private var followed: Set<ObjectPath> = []
    private let arrival: Gate

    // For as long as the program runs.
    private var last: [ObjectPath: [UInt8]] = [:]
    private var constantsRead: Set<ObjectPath> = []
    private var needsUser = NeedsUser()
    /// What is being read, as long as nobody has said that it needs pairing.
    private var reading: Point?
    /// When the tick's last read ends, answered or not.
    private var end = Uptime.never
    private let decoders: LayoutCache

    init(
        _ configuration: DeviceConfiguration, interval: Duration, layouts: [OwnLayout] = [], isFinite: Bool,
        loop: RunLoop, wallTime: @escaping () -> Int64, record: @escaping ([Reading]) -> Void
    ) {
        self.configuration = configuration
        self.interval = interval
        decoders = LayoutCache(own: layouts)
        self.isFinite = isFinite
        self.loop = loop
        self.wallTime = wallTime
        self.record = record
        arrival = Gate(loop)
    }

    /// The rules for the notifications of this link.
    var rules: [SignalMatch] { followed.sorted().map { .properties(of: GattCharacteristic1.name, at: $0) } }

    /// The link is down: nothing of it counts any more.
    func unbind() {
        link = nil
        points = []
        followed = []
        arrival.open()
    }

    // MARK: A tick

    /// Does a tick's work on a link whose services are resolved.
    func poll(_ tick: DueTick, bus: any Bus, mirror: ObjectMirror, device: ObjectPath) async -> PollResult {
        let deadline = loop.now + tick.budget
        end = deadline + Timing.beyondBudget
        var result = PollResult()
        if link == nil { await bind(bus, mirror, device, tick, &result) }
        await subscribe(tick, &result)
        for point in points where isDue(point, tick) && result.ending == nil {
            guard loop.now < deadline else {
                fail(point, tick, ReadingFailure(code: "budget", message: "the tick's time was up"), nil, &result)
                break
            }
            await read(point, tick, &result)
        }
        if result.values + result.failures == 0, points.contains(where: isParked) { result.failure = pairingFailure }
        if isFinite { await awaitNotifications(until: min(deadline, loop.now + .seconds(5)), &result) }
        return result
    }

    private func isDue(_ point: Point, _ tick: DueTick) -> Bool {
        guard point.characteristic.isReadable, !point.isSubscribed, loop.now >= point.notBefore, !isParked(point)
        else { return false }
        if point.isConstant { return !constantsRead.contains(point.characteristic.path) }
        return tick.intervals.contains(point.interval)
    }

    private func read(_ point: Point, _ tick: DueTick, _ result: inout PollResult) async {
        guard let link else {
            result.ending = .relink
            return
        }
        for attempt in 1...Self.busyAttempts {
            reading = point
            defer { reading = nil }
            do throws(BusError) {
                let octets = try await link.bus.call(point.read(on: link.bus, at: loop.now, until: end))
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
    /// How long a point that cannot be read is left alone.
    private static let parked: Duration = .seconds(900)

    private func readFailed(_ point: Point, _ tick: DueTick, _ error: BusError, _ result: inout PollResult) {
        // The link was let go under the read's feet: that tells nothing of the device.
        guard link != nil else {
            result.ending = .relink
            return
        }
        let remedy = Remedy(error)
        switch remedy {
        case .pairing: return park(point, tick, &result)
        case .relink, .rediscover, .wait:
            result.ending = remedy
            if error == .timedOut { timeouts[point.characteristic.path, default: 0] += 1 }
        case .retry, .backOff, .adopt, .point: break
        }
        fail(point, tick, ReadingFailure(read: error), nil, &result)
    }

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

    private func park(_ point: Point, _ tick: DueTick, _ result: inout PollResult) {
        needsUser.park(point.characteristic.path, isPaired: isPaired, until: loop.now + Self.parked)
        fail(point, tick, pairingFailure, nil, &result)
    }

    /// Reads of a point that were not answered in a row, over all links.
    private var timeouts: [ObjectPath: Int] = [:]
    private static let mostTimeouts = 3

    // MARK: Values

    /// A value that came by itself.
    func notified(_ path: ObjectPath, _ octets: [UInt8]) {
        guard let point = points.first(where: { $0.characteristic.path == path && $0.isSubscribed }) else { return }
        var ignored = PollResult()
        accept(octets, of: point, tick: 0, &ignored)
        arrival.open()
    }

    private func accept(_ octets: [UInt8], of point: Point, tick: Int, _ result: inout PollResult) {
        let path = point.characteristic.path
        result.values += 1
        result.isNew = result.isNew || last[path] != octets
        last[path] = octets
        timeouts[path] = nil
        point.hasValue = true
        if point.isConstant { constantsRead.insert(path) }
        do throws(DecodeError) {
            let raw = octets
            record(try point.decode(octets).map { reading(point, tick, .value($0, raw: raw)) })
        } catch {
            let failure = ReadingFailure(code: error.code, message: error.message)
            record([reading(point, tick, .failure(failure, raw: octets))])
        }
    }

    private func fail(
        _ point: Point, _ tick: DueTick, _ failure: ReadingFailure, _ raw: [UInt8]?, _ result: inout PollResult
    ) {
        result.failure = failure
        result.failures += 1
        record([reading(point, tick.number, .failure(failure, raw: raw))])
    }

    private func reading(_ point: Point, _ tick: Int, _ outcome: Reading.Outcome) -> Reading {
        Reading(
            time: wallTime(), tick: tick, device: configuration.name, address: configuration.address,
            service: point.characteristic.service, characteristic: point.characteristic.uuid, name: point.name,
            outcome: outcome)
    }

    /// A tick that ended before anything could be read, or before this characteristic could.
    func tickFailed(
        _ tick: Int, _ failure: ReadingFailure, of uuid: BluetoothUUID? = nil, in service: BluetoothUUID? = nil
    ) {
        record([
            Reading(
                time: wallTime(), tick: tick, device: configuration.name, address: configuration.address,
                service: service, characteristic: uuid,
                name: uuid.flatMap { AssignedNumbers.characteristicName($0) } ?? "",
                outcome: .failure(failure, raw: nil))
        ])
    }

    // MARK: Binding

    /// Finds the points in the device's tree. Objects may come a moment after the services are said to be resolved.
    private func bind(
        _ bus: any Bus, _ mirror: ObjectMirror, _ device: ObjectPath, _ tick: DueTick, _ result: inout PollResult
    ) async {
        var choice = choose(device, mirror)
        let patience = loop.now + .seconds(2)
        while choice.points.isEmpty || !choice.missing.isEmpty, loop.now < patience {
            try? await loop.sleep(until: loop.now + .milliseconds(200))
            choice = choose(device, mirror)
        }
        link = (bus, mirror, device)
        points = choice.points.map { chosen in
            Point(
                chosen.characteristic, on: bus, interval: chosen.interval ?? interval, isConstant: chosen.isConstant,
                subscribes: chosen.subscribes, within: min(Timing.read, tick.budget),
                layout: decoders[chosen.characteristic.uuid])
        }
        for point in points {
            if timeouts[point.characteristic.path, default: 0] >= Self.mostTimeouts {
                point.notBefore = loop.now + Self.parked
                timeouts[point.characteristic.path] = nil
            }
            await describe(point, bus)
        }
        report(choice.missing, tick, &result)
    }

    private func choose(
        _ device: ObjectPath, _ mirror: ObjectMirror
    ) -> (points: [PointChoice.Chosen], missing: [PointConfiguration]) {
        PointChoice.choose(from: GattTree(of: device, in: mirror.tree), for: configuration) { decoders[$0] != nil }
    }

    private func report(_ missing: [PointConfiguration], _ tick: DueTick, _ result: inout PollResult) {
        for point in missing {
            let failure = ReadingFailure(code: "no-point", message: "the device has no such characteristic")
            result.failure = failure
            result.failures += 1
            tickFailed(tick.number, failure, of: point.characteristic, in: point.service)
        }
        guard points.isEmpty, missing.isEmpty else { return }
        let failure = ReadingFailure(code: "nothing", message: "the device has nothing to read that is known here")
        result.failure = failure
        result.failures += 1
        tickFailed(tick.number, failure)
    }

    /// Asks the device itself what its value means, where no layout says so.
    private func describe(_ point: Point, _ bus: any Bus) async {
        guard point.decoder == nil else { return }
        let descriptors = point.characteristic.descriptors
        if let path = descriptors[BluetoothUUID(0x2904)], let octets = await readDescriptor(path, bus) {
            point.presentation = try? PresentationFormat(octets)
        }
        if point.name.isEmpty, let path = descriptors[BluetoothUUID(0x2901)],
            let octets = await readDescriptor(path, bus)
        {
            point.name = String(decoding: octets.prefix(128).filter { $0 != 0 }, as: UTF8.self)
        }
    }

    private func readDescriptor(_ path: ObjectPath, _ bus: any Bus) async -> [UInt8]? {
        try? await bus.object(Bluez.service, path).call(GattDescriptor1.readValue, [:], within: .seconds(5))
    }

    // MARK: Notifications

    private func subscribe(_ tick: DueTick, _ result: inout PollResult) async {
        let wanting = points.filter { $0.subscribes && !$0.isSubscribed && loop.now >= $0.notBefore }
        guard !wanting.isEmpty, let link else { return }
        followed.formUnion(wanting.map(\.characteristic.path))
        do throws(BusError) { try await link.mirror.updateRules() } catch { return }
        for point in wanting {
            point.isSubscribed = true
            do throws(BusError) {
                _ = try await link.bus.object(Bluez.service, point.characteristic.path)
                    .call(GattCharacteristic1.startNotify, within: Timing.read)
            } catch {
                point.isSubscribed = false
                point.notBefore = loop.now + Self.parked
                fail(point, tick, ReadingFailure(read: error), nil, &result)
            }
        }
    }

    /// A run of so many ticks waits a little, so that every subscribed point can say something.
    private func awaitNotifications(until deadline: Uptime, _ result: inout PollResult) async {
        while points.contains(where: { $0.isSubscribed && !$0.hasValue }), loop.now < deadline {
            await arrival.wait(until: deadline)
        }
        result.values += points.count { $0.isSubscribed && $0.hasValue }
    }
}
