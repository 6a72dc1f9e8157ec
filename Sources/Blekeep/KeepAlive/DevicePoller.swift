import DBus
import RunLoop

/// Does what a `PollMachine` decides: reads one device's points, one after another, and takes what it notifies.
final class DevicePoller: @unchecked Sendable {
    private let loop: RunLoop
    private let binding: DeviceBinding
    private let journal: ReadingBuilder
    private let throttled: ThrottledReadings
    private let isFinite: Bool
    private var device: DevicePoints
    /// The device's points on the link that is up.
    private var points: [BoundPoint] = []
    /// Its listeners on the link that is up.
    private var listening: [NotificationTable.Entry] = []
    private let arrival: Gate
    /// When a value came by itself last.
    private(set) var notifiedAt: Uptime?

    /// - Parameters:
    ///   - throttle: the shortest time between two values that came by themselves and are stored.
    ///   - throttled: takes these values.
    init(
        _ configuration: DeviceConfiguration, interval: Duration, throttle: Duration = Configuration.defaultThrottle,
        layouts: [OwnLayout] = [], isFinite: Bool, loop: RunLoop, wallTime: @escaping () -> Int64,
        record: @escaping ([Reading]) -> Void, throttled: ThrottledReadings
    ) {
        self.loop = loop
        self.isFinite = isFinite
        device = DevicePoints(configuration.address, readsBattery: configuration.readsBattery)
        binding = DeviceBinding(
            configuration, interval: interval, throttle: throttle, layouts: layouts, loop: loop)
        journal = ReadingBuilder(configuration, wallTime: wallTime, record: record, throttled: throttled)
        self.throttled = throttled
        arrival = Gate(loop)
    }

    /// Of how many characteristics it remembers something.
    var memories: Int { device.remembered }

    /// The link is down: nothing of it counts any more.
    func unbind() {
        throttled.flush()
        device.unbind()
        points = []
        endListening()
        arrival.open()
    }

    /// The device's objects are others now: the points are looked for again before the next read.
    func treeChanged() {
        device.isOld = true
        binding.forget()
    }

    /// BlueZ removes the device from its cache: what did not fit may do so now.
    func forgotten() {
        unbind()
        device.forgetMisfits()
    }

    /// A tick that ended before anything could be read.
    func tickFailed(_ tick: Int, _ failure: ReadingFailure) { journal.failure(failure, tick: tick) }

    // MARK: A tick

    /// Does a tick's work on a link whose services are resolved.
    func poll(_ tick: DueTick, on link: LinkCore) async -> PollResult {
        var machine = PollMachine(tick, with: &device, isFinite: isFinite, at: loop.now)
        while true {
            switch machine.next(&device, isPaired: link.isPaired, at: loop.now) {
            case .bind: await bind(&machine, link)
            case .report(let report): write(report, tick.number)
            case .follow(let places): await follow(places, &machine, link)
            case .subscribe(let place, let mayNeedPairing):
                await link.core.refusals.withAgent(if: mayNeedPairing) {
                    await subscribe(place, &machine, link)
                }
            case .read(let place, let mayNeedPairing):
                await link.core.refusals.withAgent(if: mayNeedPairing) {
                    await read(place, &machine, link)
                }
            case .readBattery:
                guard let percentage = link.battery else { break }
                machine.outcome.batteryRead(&device, percentage)
                journal.battery(percentage, tick: tick.number)
            case .listen(let end): await arrival.wait(until: end)
            case .end(let result): return result
            }
        }
    }

    private func write(_ report: PollAction.Report, _ tick: Int) {
        switch report.subject {
        case .point(let place): journal.failure(report.failure, of: points[place], tick: tick)
        case .missing(let point):
            journal.failure(report.failure, tick: tick, of: point.characteristic, in: point.service)
        case .device: journal.failure(report.failure, tick: tick)
        }
    }

    private func bind(_ machine: inout PollMachine, _ link: LinkCore) async {
        let mine = machine
        let bound = await binding.points(on: link, within: machine.tick.budget) { mine.isCurrent(device) }
        guard machine.isCurrent(device) else { return }
        points = bound.points
        endListening()
        machine.bound(&device, points.map(\.plan), missing: bound.missing, isBatteryServed: link.hasBattery)
    }

    private func follow(_ places: [Int], _ machine: inout PollMachine, _ link: LinkCore) async {
        let new = places.map { place in
            let path = points[place].plan.path
            return link.core.notifications.add(at: path, receive: { [unowned self] in notified(path, $0) })
        }
        listening += new
        do throws(BusError) { try await link.adoptRules() } catch {
            for entry in new { entry.remove() }
            machine.followRefused(&device, places, error, at: loop.now)
        }
    }

    private func endListening() {
        for entry in listening { entry.remove() }
        listening = []
    }

    private func subscribe(_ place: Int, _ machine: inout PollMachine, _ link: LinkCore) async {
        let plan = points[place].plan
        let isPaired = link.isPaired
        do throws(BusError) {
            try await link.startNotify(plan.path)
            device[plan].permit(.subscribe, isPaired: isPaired)
        } catch {
            machine.outcome.failed(
                .subscribe, &device, place, error, isUp: link.isUp, isPaired: link.isPaired, at: loop.now)
        }
    }

    private func read(_ place: Int, _ machine: inout PollMachine, _ link: LinkCore) async {
        let point = points[place]
        let isPaired = link.isPaired
        for attempt in 1...Self.busyAttempts where machine.isCurrent(device) {
            let request = link.core.refusals.begin(point.plan.path, of: link.device)
            do throws(BusError) {
                let bytes = try await link.read(point.read(on: link, at: loop.now, until: machine.end))
                link.core.refusals.end(request)
                let misfit = journal.value(bytes, of: point, tick: machine.tick.number)
                return machine.outcome.read(&device, place, point.plan, bytes, misfit, isPaired: isPaired)
            } catch .remote(name: "org.bluez.Error.InProgress", _) where attempt < Self.busyAttempts {
                link.core.refusals.end(request)
                try? await loop.sleep(until: loop.now + .milliseconds(100))
            } catch {
                if link.core.refusals.end(request) {
                    let failure = machine.outcome.pairingWanted(
                        &device, point.plan, isPaired: link.isPaired, at: loop.now)
                    return journal.failure(failure, of: point, tick: machine.tick.number)
                }
                machine.outcome.failed(
                    .read, &device, place, error, isUp: link.isUp, isPaired: link.isPaired, at: loop.now)
                // Its objects may be others, though BlueZ hasn't reported that yet.
                if device.isOld { binding.forget() }
                return
            }
        }
    }

    /// Another program reads the same characteristic: that takes a moment.
    private static let busyAttempts = 20

    /// A value that came by itself.
    private func notified(_ path: ObjectPath, _ bytes: [UInt8]) {
        guard let place = device.subscriber(of: path) else { return }
        let misfit = journal.value(bytes, of: points[place], tick: 0)
        device.notified(place, bytes, misfit)
        notifiedAt = loop.now
        arrival.open()
    }
}

extension DeviceConfiguration {
    /// Whether the battery's level is among what is to be read.
    fileprivate var readsBattery: Bool {
        characteristics.isEmpty || characteristics.contains { $0.characteristic == BluetoothUUID(0x2A19) }
    }
}
