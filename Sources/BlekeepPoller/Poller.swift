import DBus
internal import DequeModule
internal import Glibc
import Logging
import RunLoop

/// The poller of `blekeep poll`: creates its parts, passes one event after another to `PollerState`, and performs the effects.
package final class Poller: @unchecked Sendable {
    // Used only on the loop's thread.
    private var state: PollerState
    private var configured: ConfiguredDevices
    private let isOneOff: Bool
    private let loop: RunLoop
    private let inbox: Inbox
    package let recorder: Recorder
    private let heartbeats: HeartbeatScheduler
    private let workers: DeviceWorkers
    private let connection: PollerConnection
    private let viewers: Viewers
    private let power: PowerMonitor
    private let sleep: SleepMonitor
    /// Makes the function that sets the machine's wake-up timer; `nil` if that can't wake it.
    private let makeAlarm: () -> ((Duration?) -> Void)?
    /// Sets the machine's wake-up timer; `nil` to let the machine sleep.
    private var wake: ((Duration?) -> Void)?
    private let log: Logger
    /// The callbacks of the pauses and resumptions in the inbox.
    private var answers = Deque<() -> Void>()

    /// - Parameters:
    ///   - connect: connects to the bus. Called again after each loss.
    ///   - count: the number of ticks for each device; `nil` for no limit.
    ///   - wallTime: returns milliseconds since 1970, only for labels.
    ///   - clocks: reads the machine's clocks, for heartbeats.
    ///   - isWatched: returns whether another process shows readings to a user. Called when a tick is due.
    ///   - wake: sets the machine's wake-up timer; `nil` clears it.
    ///   - supply: reads the machine's power supply; `nil` to ask the kernel.
    package init(
        _ configuration: PollConfiguration, count: Int? = nil, on loop: RunLoop, store: any Store, sinks: [any Sink],
        log: Logger, wallTime: @escaping () -> Int64 = WallClock.milliseconds,
        clocks: @escaping () -> ClockReading = ClockReading.now, supply: (() -> SupplyFacts)? = nil,
        isWatched: (() -> Bool)? = nil, wake: ((Duration?) -> Void)? = nil,
        connect: @escaping @Sendable () async throws(BusError) -> any Bus
    ) {
        self.loop = loop
        self.log = log
        let inbox = Inbox(loop)
        self.inbox = inbox
        viewers = Viewers(isWatched: isWatched) { inbox.post(.watched($0)) }
        let settings = configuration.devices.map { DeviceSetting($0, in: configuration) }
        configured = ConfiguredDevices(settings)
        isOneOff = count != nil
        makeAlarm = { wake ?? WakeAlarm.setter(log) }
        heartbeats = HeartbeatScheduler(asleep: { loop.timeAsleep }, clocks: clocks)
        let book = LedgerBook(
            configuration, hasLedger: store is any Ledger, isOneOff: isOneOff, pid: getpid(), at: wallTime())
        let recorder = Recorder(
            store: store, sinks: sinks, gateway: configuration.gateway, loop: loop, log: log, heartbeats: heartbeats,
            book: book, clocks: clocks, wallTime: wallTime)
        self.recorder = recorder
        workers = DeviceWorkers(settings, isOneOff: isOneOff, on: loop, recorder: recorder, wallTime: wallTime)
        power = PowerMonitor(configuration.power.choice, on: loop, supply: supply) {
            recorder.record($0)
            inbox.post(.power($0))
        }
        sleep = SleepMonitor(on: loop, log: log) { event in
            switch event {
            // stop() posts its own event.
            case .preparing(.termination): break
            case .preparing(let cause): inbox.post(.sleep(cause))
            case .resumed(let how): inbox.postFirst(.awake(how))
            }
        }
        connection = PollerConnection(
            workers, power: power, sleep: sleep, on: loop, log: log, post: inbox.post,
            connect: connect)
        state = PollerState(
            plans: settings.map { DevicePlan($0, count: count) }, adapter: configuration.adapter,
            maxLinks: configuration.maxLinks, at: loop.now)
        let inheritance = recorder.inherit(for: configuration)
        state.inherit(inheritance, at: loop.now)
        workers.inherit(inheritance)
        state.apply(configuration)
        // The last heartbeat may be written when the poller is gone.
        heartbeats.air = { [weak self] in
            guard let self else { return nil }
            return AirUse(scanned: state.scans.length(until: loop.now), packets: workers.packets)
        }
        if configuration.power.wakes { self.wake = makeAlarm() }
        recorder.onInheritance = { [workers] inheritance in
            workers.inherit(inheritance)
            inbox.post(.recalled(inheritance))
        }
        recorder.publishers.onClosed = { inbox.post(.time) }
        recorder.publishers.onCommand = { [unowned self] in self.obey($0, answer: $1) }
    }

    private var session: Session? { connection.session }
    private var central: CentralCore? { session?.central }

    /// - Parameter id: the device's index in the state.
    private func rssi(of id: Int) -> Int? { state.devices[id].facts.flatMap { central?.rssi(of: $0.path) } }

    /// How long the last readings may take to servers after the last tick.
    private static let maxDelivery: Duration = .seconds(5)

    /// How long the last records may take to a slow disk. systemd kills a service after 90 s.
    private static let maxStore: Duration = .seconds(75)

    /// Polls until `stop` is called, or until each device had its number of ticks. When it returns, blekeep has
    /// disconnected, and written all readings to disk. After the last tick, it waits for the confirmation of servers.
    package func run() async -> PollerReport {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.connection.run() }
            var ending: Uptime?
            recorder.begin()
            while true {
                let event = await inbox.next(until: min(state.wake, ending ?? .never, power.nextPoll + .seconds(60)))
                if sleep.checkClocks() {
                    let awake = await inbox.next(until: .start)
                    step(awake, in: &group)
                }
                if power.beginPoll() { group.addTask { await self.power.poll() } }
                viewers.look(if: state.hasTickDue(at: loop.now))
                step(event, in: &group)
                if recorder.publishers.isClosed, !state.run.isStopping { stop() }
                if state.isFinished, ending == nil {
                    ending = loop.now + SleepTimes.grace
                    inbox.post(.stop)
                } else if let ending, state.isQuiet && sleep.openSections.isEmpty || loop.now >= ending {
                    break
                }
            }
            workers.flush()
            workers.refuseAll(.refused("blekeep is stopping"))
            await recorder.settleSinks(until: loop.now + Self.maxDelivery)
            recorder.close(heartbeats.rest == .shutdown ? .shutdown : .stopped)
            await recorder.settleStore(until: loop.now + Self.maxStore)
            recorder.end()
            sleep.end()
            power.end()
            connection.stop()
            group.cancelAll()
        }
        return report
    }

    /// Ends `run` within 2 s: starts nothing new, disconnects, lets work go on for half a second, and writes all readings
    /// to disk.
    package func stop() {
        recorder.leaveSinks()
        workers.flush()
        recorder.flush()
        sleep.terminate()
        inbox.post(.stop)
    }

    /// Carries out a command. Call it on the loop.
    ///
    /// - Parameter answer: called once: when the device was read, with the bytes that were written, if any; or with a failure.
    package func obey(
        _ command: DeviceCommand, answer: @escaping (Result<[UInt8], ReadingFailure>) -> Void = { _ in }
    ) {
        guard let configured = configured[command.device], let worker = workers[configured.number],
            let id = state.devices.index(of: configured.number), !state.run.isStopping
        else { return answer(.failure(.refused("blekeep doesn't poll this device now"))) }
        let device = state.devices[id]
        switch command.action.answer {
        case .whenRead:
            guard !device.isStandingBy else {
                return answer(.failure(.refused("another gateway reads the device; ask that one")))
            }
            guard !device.isPaused else { return answer(.failure(.refused("the device is paused; resume it first"))) }
            guard case .write(let request) = command.action else {
                workers.waiters.add((worker.number, device.nextRead), answer: answer)
                break
            }
            guard configured.setting.device.allows(request) else {
                return answer(.failure(.refused("the configuration doesn't allow to write it; set 'write: true'")))
            }
            worker.poller.write(request, answer: answer)
        // Before the event of the pause or the resumption, which calls it.
        case .whenStored: answers.append { answer(.success([])) }
        case .atOnce: answer(.success([]))
        }
        inbox.post(.device(worker.number, .command(command.action)))
    }

    /// Takes a new configuration. A device that isn't changed isn't touched: its connection stays up, and its ticks don't
    /// move. A sink stays as it is if it is in this list and in the earlier one.
    ///
    /// - Throws: a sentence for the user. Then nothing has changed.
    package func reconfigure(_ new: PollConfiguration, sinks: [any Sink]) throws(UserError) {
        guard !isOneOff else { throw UserError("a run of a given number of ticks keeps its configuration") }
        guard !state.run.isStopping else { throw UserError("blekeep is stopping") }
        if let (device, id) = configured.givenAnotherID(by: new.devices) {
            throw UserError(
                "the ID of \(device.address) is \(id) now, and was \(device.id): restart blekeep, or keep the ID")
        }
        var configured = configured
        let changes = configured.apply(new.devices.map { DeviceSetting($0, in: new) })
        let earlier: EarlierRun.Legacy
        do { earlier = try recorder.earlier(of: changes) } catch {
            throw UserError("can't read the history of the new devices, so nothing changed: \(error)")
        }
        self.configured = configured
        power.choose(new.power.choice)
        wakeMachine(new.power.wakes)
        // A new sink gets only what comes from now on.
        if recorder.replace(sinks) { workers.renewBroadcasts() }
        inbox.post(.configured(Reconfiguration(configuration: new, changes: changes, earlier: earlier)))
    }

    private func wakeMachine(_ wakes: Bool) {
        if wakes {
            wake = wake ?? makeAlarm()
        } else {
            wake?(nil)
            wake = nil
        }
    }

    /// Adds a viewer. `detach` must follow.
    package func attach() { viewers.attach() }
    package func detach() { viewers.detach() }

    package var powerMode: PowerMode { state.power.mode }

    /// The numbers of waiting events and readings. Both are bounded.
    package var backlog: (events: Int, readings: Int) { (inbox.count, recorder.backlog) }

    /// The name of the first connected device. Use it on the loop.
    package var connectedDevice: String? { state.devices.first(where: \.isConnected)?.plan.name }

    /// How far the poller is behind its own plan. Use it on the loop.
    package var lag: PollerLag { PollerLag(loop: max(.zero, loop.now - state.wake), store: recorder.commitLag) }

    /// Called once, when the message bus is there, or known to be missing.
    package var onReady: (() -> Void)?

    /// The current status. Use it on the loop.
    package var status: PollerStatus {
        let machine = state.machineSnapshot
        var status = PollerStatus(
            devices: [], outage: machine.outage, adapters: machine.adapters, power: state.power,
            missed: recorder.publishers.missed)
        for (id, device) in state.devices.enumerated() where !device.hasLeft {
            guard var shown = recorder.status(of: device.number) else { continue }
            // Not what the ledger will say, but what is.
            (shown.link, shown.condition) = (device.linkStatus, device.health.condition)
            shown.rssi = rssi(of: id)
            if let worker = workers[device.number] { shown.dropped = worker.throttled.counts }
            status.devices.append(shown)
        }
        return status
    }

    /// The results so far. Use it on the loop.
    package var report: PollerReport { PollerReport(state, sinkError: recorder.publishers.error) }

    // MARK: Events

    private func step(_ event: Event, in group: inout DiscardingTaskGroup) {
        switch event {
        case .sleep(let cause):
            workers.flush()
            heartbeats.prepare(cause)
        case .watched(let isWatched): recorder.isWatched = isWatched
        case .configured(let new): configure(new)
        case .lost, .bluez:
            onReady?()
            onReady = nil
        case .device(let number, .command(.pause)): refuse(number, because: "the device was paused")
        case .device(let number, .command(.standBy)): refuse(number, because: "another gateway reads the device now")
        case .device(let number, .heard), .device(let number, .broadcast):
            if let worker = workers[number], worker.device.isShared, let id = state.devices.index(of: number),
                let rssi = rssi(of: id)
            {
                recorder.publishers.forEachSink { $0.note(worker.device.id, rssi: rssi) }
            }
        case .awake:
            heartbeats.wake()
            wake?(nil)
            power.resumed()
        default: break
        }
        let effects = state.step(event, at: loop.now)
        if case .configured = event { forgetDevices() }
        for effect in effects { perform(effect, in: &group) }
        if case .device(_, .command(let action)) = event, action.answer == .whenStored {
            recorder.writeAhead()
            answers.popFirst()?()
        }
    }

    /// Changes the parts that hold the devices, before the state does.
    private func configure(_ new: Reconfiguration) {
        workers.apply(new.changes)
        recorder.apply(new)
        workers.inherit(new.earlier.inheritance)
    }

    /// Forgets the devices that the state has forgotten, and watches the others.
    private func forgetDevices() {
        workers.keep(state.devices.map(\.number))
        connection.watchDevices()
    }

    private func refuse(_ number: DeviceNumber, because reason: String) {
        if let worker = workers[number] { workers.refuse(worker, .refused(reason)) }
    }

    // MARK: Effects

    private func perform(_ effect: Effect, in group: inout DiscardingTaskGroup) {
        switch effect {
        case .notice(let notice): report(notice)
        case .device(let number, let snapshot):
            guard let id = state.devices.index(of: number) else { return }
            workers[number]?.reader?.isPaused = state.devices[id].isPaused
            recorder.record(snapshot, of: number, rssi: rssi(of: id))
        case .machine(let snapshot): recorder.record(snapshot)
        case .attempt(let number, let attempt, let condition): recorder.record(attempt, condition, of: number)
        case .timed(let number, let time):
            if let worker = workers[number] { recorder.publishers.forEachSink { $0.note(time, of: worker.device.id) } }
        case .commonAttempt(let attempt): recorder.record(attempt)
        case .tickEnded(let number, let tick, let failure):
            workers.waiters.answer(failure.map { .failure($0) } ?? .success([])) {
                $0.wish.device == number && tick >= $0.wish.tick
            }
        case .settle: if let rest = heartbeats.rest { recorder.rest(rest) } else { recorder.settle() }
        case .flushed:
            let next = state.devices.map(\.nextTick).min() ?? .never
            wake?(WakePlan.delay(nextTick: next, mode: state.power.mode, at: loop.now))
            sleep.flushed()
        case .refresh: central?.mirror.refresh()
        case .renew: connection.renew()
        case .activate: group.addTask { await self.connection.activate() }
        case .ping: group.addTask { await self.session?.ping() }
        case .countExternalLinks: group.addTask { await self.central?.countExternalLinks() }
        // At once, because there may be no later time.
        case .recover(.switchOn(let path)): central?.switchOnAtOnce(path)
        case .recover(let act): recover(act, in: &group)
        case .failed(let number, let tick, let failure):
            workers[number]?.poller.tickFailed(tick, failure: failure)
            if failure == .notHeard { central?.watched?.lookForMissing() }
        case .startDiscovery(let path):
            group.addTask { await self.session?.startDiscovery(path, repeating: self.state.listens) }
        case .stopDiscovery(let path): group.addTask { await self.session?.stopDiscovery(path) }
        case .startMonitors(let path):
            group.addTask { await self.session?.startMonitors(path, for: self.workers.patterns) }
        case .stopMonitors(let path): central?.stopMonitors(on: path)
        case .queryDiscovery(let path): group.addTask { await self.session?.queryDiscovery(path) }
        case .connect(let number, let link, let path, let within):
            guard let worker = workers[number], let id = state.devices.index(of: number) else { return }
            let bearer = state.devices[id].isConnectedByBearer
            worker.poller.unbind()
            log.debug("\(worker.device.name): connecting")
            recorder.writeAhead(number)
            let request = ConnectRequest(number, link: link, path)
            worker.request = request
            group.addTask { await self.session?.connect(request, within: within, by: bearer) }
        case .disconnect(let number, let link, let path):
            workers[number]?.poller.unbind()
            session?.disconnect(path, link: link, after: workers[number]?.request)
        case .endLinks(let addresses):
            group.addTask { await self.endLinks(to: addresses) }
        case .abandon(let number, let path):
            workers[number]?.poller.unbind()
            central?.abandonCalls(to: path)
        case .poll(let number, let link, let path, let tick, let isHeld):
            guard let worker = workers[number] else { return }
            group.addTask { await self.poll(worker, link: link, path: path, tick: tick, isHeld: isHeld) }
        }
    }

    private func report(_ notice: Notice) {
        let device = notice.device.flatMap { workers[$0]?.device }
        let text = device.map { "\($0.name): \(notice.text)" } ?? notice.text
        let level: Logger.Level =
            switch notice.level {
            case .debug: .debug
            case .notice: .notice
            case .warning: .warning
            }
        var metadata = device.map { Logger.Metadata.device($0.name, address: $0.address) } ?? [:]
        metadata.add(notice.code.map { .known($0) })
        log.log(level: level, "\(text)", metadata: metadata)
    }

    /// Ends the connections that the last run left to devices that aren't configured any more.
    private func endLinks(to devices: [BluetoothAddress]) async {
        for path in await central?.unusedLinks(to: devices) ?? [] {
            // A new configuration may have the device again.
            guard let address = BluetoothAddress(device: path),
                !workers.all.contains(where: { $0.device.address == address })
            else { continue }
            log.notice("\(address) isn't configured any more: ending the connection that the last run left")
            central?.disconnect(path)
        }
    }

    private func recover(_ act: Recovery, in group: inout DiscardingTaskGroup) {
        switch act {
        case .cycle: recorder.writeAhead()
        case .forget(let number, _): workers[number]?.poller.forgotten()
        case .countLinks: reportNotifications()
        case .switchOn, .restartBluez, .preferLowEnergy: break
        }
        group.addTask { await self.session?.recover(act) }
    }

    /// Posts the times of the last notifications, which have no events of their own. An adapter that delivers them isn't
    /// stuck.
    private func reportNotifications() {
        for worker in workers.all {
            if let last = worker.poller.notifiedAt { inbox.post(.device(worker.number, .notified(at: last))) }
        }
    }

    private func poll(_ worker: DeviceWorker, link: Int, path: ObjectPath, tick: DueTick, isHeld: Bool) async {
        // Another event may have ended it before it began.
        guard let id = state.devices.index(of: worker.number), state.devices[id].link.isPolling(on: link) else {
            return
        }
        var result = PollResult(ending: .wait)
        let section = sleep.begin(named: "tick \(tick.number) of \(worker.device.name)", budget: Timing.poll)
        defer { sleep.end(section) }
        if let central { result = await worker.poller.poll(tick, on: LinkCore(central, path), isHeld: isHeld) }
        inbox.post(.device(worker.number, .polled(link: link, result)))
    }
}

/// The viewers of readings: in this process by `attach`, in other processes by `isWatched`.
final class Viewers {
    private let isWatched: (() -> Bool)?
    private let onChange: (Bool) -> Void
    private var count = 0
    private var wasWatched = false

    /// - Parameter onChange: called with `true` for the first viewer, and with `false` after the last.
    init(isWatched: (() -> Bool)?, onChange: @escaping (Bool) -> Void) {
        self.isWatched = isWatched
        self.onChange = onChange
    }

    func attach() {
        count += 1
        if count == 1 { onChange(true) }
    }

    func detach() {
        count -= 1
        if count == 0 { onChange(false) }
    }

    /// Checks for viewers in other processes, if `isTime`.
    func look(if isTime: @autoclosure () -> Bool) {
        guard let isWatched, isTime(), isWatched() != wasWatched else { return }
        wasWatched.toggle()
        if wasWatched { attach() } else { detach() }
    }
}

/// The results of a run for each device.
package struct PollerReport: Sendable {
    package struct Device: Sendable {
        package var name: String
        package var address: BluetoothAddress
        package var goodTicks: Int
        package var failedTicks: Int
        /// The number of good ticks in which a value failed.
        package var partialTicks: Int
        package var lastFailure: ReadingFailure?
    }

    package var devices: [Device]
    /// The failure of a sink, if it ended the run.
    package var sinkError: (any Error)?

    init(_ state: PollerState, sinkError: (any Error)? = nil) {
        self.sinkError = sinkError
        devices = state.devices.filter { !$0.hasLeft }.map {
            Device(
                name: $0.plan.name, address: $0.plan.address, goodTicks: $0.health.goodTicks,
                failedTicks: $0.health.failedTicks, partialTicks: $0.health.partialTicks,
                lastFailure: $0.health.lastTickFailure ?? $0.health.lastFailure)
        }
    }
}

/// The status of the poller and its devices at a given time, for users.
package struct PollerStatus: Sendable {
    package var devices: [DeviceStatus]
    /// The outage that prevents polling of all devices.
    package var outage: ReadingFailure?
    package var adapters: [GatewayStatus.Adapter]
    package var power: PowerStatus
    /// The lines that the reader of the output missed.
    package var missed: MissedLines?
}

/// How far the poller is behind its own plan: zero while it makes progress.
package struct PollerLag: Sendable, Hashable {
    /// Since the time of the step that it planned, such as a due tick.
    package var loop: Duration
    /// Since the time of the commit that it planned. A commit that fails was attempted.
    package var store: Duration

    package init(loop: Duration, store: Duration) { (self.loop, self.store) = (loop, store) }
}
