import DBus
internal import Glibc
import Logging
import RunLoop

/// The running daemon: keeps the configured devices, and does what `KeeperState` decides.
package final class Keeper: @unchecked Sendable {
    private let configuration: Configuration
    private let connect: @Sendable () async throws(BusError) -> any Bus
    private let loop: RunLoop
    private let log: Logger
    private let inbox: Inbox
    private let recorder: Recorder
    private let pulse: Pulse
    // Touched with every event, on the loop's thread only.
    @exclusivity(unchecked) private var state: KeeperState
    private let pollers: [DevicePoller]
    /// Of the passive devices.
    private let readers: [DeviceID: BroadcastReader]
    /// What comes of each device by itself.
    private let throttled: [ThrottledReadings]
    private var session: Session?
    private var isStopping = false
    /// Whether the connection ends for a new one to take its place.
    private var isRenewing = false
    private let onlookers: Onlookers
    private let wake: ((Duration?) -> Void)?
    private let power: PowerMonitor
    private let sleep: SleepMonitor

    /// - Parameters:
    ///   - connect: makes a new connection to the bus; called again after each loss.
    ///   - count: how many ticks to make with each device; `nil` for ever.
    ///   - wallTime: milliseconds since 1970, only for labels.
    ///   - clocks: the machine's clocks, for heartbeats.
    ///   - isWatched: whether another process looks at what is read; asked when a tick is due.
    ///   - wake: wakes the machine so long from now; `nil`: not any more.
    ///   - supply: what the kernel says of the machine's power; as it does unless given.
    package init(
        _ configuration: Configuration, count: Int? = nil, on loop: RunLoop, store: any Store, sinks: [any Sink],
        log: Logger, wallTime: @escaping () -> Int64 = WallClock.milliseconds,
        clocks: @escaping () -> ClockReading = ClockReading.now, supply: (() -> SupplyFacts)? = nil,
        isWatched: (() -> Bool)? = nil, wake: ((Duration?) -> Void)? = nil,
        connect: @escaping @Sendable () async throws(BusError) -> any Bus
    ) {
        self.configuration = configuration
        self.connect = connect
        self.loop = loop
        self.log = log
        let isFinite = count != nil
        inbox = Inbox(loop)
        onlookers = Onlookers(isWatched: isWatched) { [inbox] in inbox.post(.attended($0)) }
        let plans = configuration.devices.map { DevicePlan($0, in: configuration, count: count) }
        let pulse = Pulse(
            plans.map { DeviceActivity(device: $0.name, address: $0.address) }, asleep: { loop.timeAsleep },
            clocks: clocks)
        self.pulse = pulse
        let book = LedgerBook(configuration, hasLedger: store is any Ledger, pid: getpid(), at: wallTime())
        let recorder = Recorder(
            store: store, sinks: sinks, loop: loop, log: log, pulse: pulse, book: book, clocks: clocks,
            wallTime: wallTime)
        self.recorder = recorder
        let throttled = configuration.devices.map { _ in
            ThrottledReadings(on: loop, wallTime: wallTime, record: recorder.record)
        }
        self.throttled = throttled
        for (id, each) in throttled.enumerated() { each.onCount = { recorder.record($0, of: id) } }
        pollers = zip(configuration.devices, throttled).map { device, throttled in
            DevicePoller(
                device, interval: device.interval ?? configuration.interval,
                throttle: device.throttle ?? configuration.throttle, layouts: configuration.layouts,
                isFinite: isFinite, loop: loop, wallTime: wallTime, record: recorder.record, throttled: throttled)
        }
        var readers: [DeviceID: BroadcastReader] = [:]
        for (id, device) in configuration.devices.enumerated() where device.mode == .passive {
            let throttle = device.throttle ?? configuration.throttle
            readers[id] = BroadcastReader(device, wallTime: wallTime, now: { loop.now }) {
                throttled[id].take($0, every: throttle)
            }
        }
        self.readers = readers
        power = PowerMonitor(configuration.power.choice, on: loop, supply: supply) { [inbox] in
            recorder.record($0)
            inbox.post(.power($0))
        }
        sleep = SleepMonitor(on: loop, log: log) { [inbox] event in
            switch event {
            // Who terminates posts by himself what is to end.
            case .preparing(.termination): break
            case .preparing(let cause): inbox.post(.sleep(cause))
            case .resumed(let how): inbox.postFirst(.awake(how))
            }
        }
        self.wake = configuration.power.wakes ? wake ?? WakeAlarm.setter(log) : nil
        state = KeeperState(
            plans: plans, adapter: configuration.adapter, maxLinks: configuration.maxLinks, at: loop.now)
        state.inherit(recorder.inherit(for: configuration))
        recorder.onInheritance = { [inbox] in inbox.post(.recalled($0)) }
        state.settings.keepsLinks = configuration.onStop == .keep
        state.recovery.allowed = configuration.recovery
        recorder.onSinkClosed = { [inbox] in inbox.post(.time) }
    }

    /// Keeps the devices until `stop` is called, or until every device has had as many ticks as were asked for.
    /// Links of ours are let go and readings are safe when it returns.
    package func run() async -> KeeperReport {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.stayConnected() }
            var ending: Uptime?
            recorder.begin()
            while true {
                let wake = min(state.wake, ending ?? .never)
                let event = await inbox.next(until: min(wake, power.nextPoll + .seconds(60)))
                if sleep.checkClocks() {
                    let awake = await inbox.next(until: .start)
                    step(awake, &group)
                }
                if power.takePoll() { group.addTask { await self.power.poll() } }
                onlookers.look(if: state.hasTickDue(at: loop.now))
                step(event, &group)
                if recorder.isSinkClosed, !state.run.isStopping { stop() }
                if state.isFinished, ending == nil {
                    ending = loop.now + SleepState.grace
                    inbox.post(.stop)
                } else if let ending, state.isQuiet && sleep.openSections.isEmpty || loop.now >= ending {
                    break
                }
            }
            flushThrottled()
            recorder.close(pulse.isShuttingDown ? .shutdown : .stopped)
            recorder.end()
            isStopping = true
            sleep.end()
            power.end()
            session?.central.close()
            group.cancelAll()
        }
        return KeeperReport(state, sinkError: recorder.sinkError)
    }

    /// Ends `run` soon, on the path of a shutdown: nothing new is started, links are let go, work under way may end
    /// for half a second and expires then, readings are made safe; within 2 s, whatever is under way.
    package func stop() {
        flushThrottled()
        recorder.flush()
        sleep.terminate()
        inbox.post(.stop)
    }

    /// Stores what waits for the end of its throttle's period: there may be no later.
    private func flushThrottled() { for each in throttled { each.flush() } }

    /// Somebody looks at what is read; `detach` must follow. Several may.
    package func attach() { onlookers.attach() }
    package func detach() { onlookers.detach() }

    /// How much power is saved at this moment.
    package var powerMode: PowerMode { state.power.mode }

    /// What waits: events for the one loop, readings for the store. Both are bounded.
    package var backlog: (events: Int, readings: Int) { (inbox.count, recorder.backlog) }

    /// The first device that is said to be connected, by its name. To be asked for on the loop.
    package var connectedDevice: String? { state.devices.first(where: \.isConnected)?.plan.name }

    /// How everything is at this moment. To be asked for on the loop.
    package var status: KeeperStatus {
        var status = KeeperStatus(state, at: loop.now, rssi: rssi)
        status.missed = recorder.missed
        for (id, each) in throttled.enumerated() { status.devices[id].thinned = each.counts }
        return status
    }

    /// In dBm, as BlueZ heard the device last.
    private func rssi(_ device: DeviceState) -> Int? {
        device.facts.flatMap { session?.central.rssi(of: $0.path) }
    }

    /// A poll that takes longer is named in the log.
    private static let longestPoll: Duration = .seconds(60)

    // MARK: Effects

    private func step(_ event: Event, _ group: inout DiscardingTaskGroup) {
        switch event {
        case .sleep(let cause):
            flushThrottled()
            pulse.prepare(cause)
        case .attended(let isAttended): recorder.isWatched = isAttended
        case .awake:
            pulse.wake()
            wake?(nil)
            power.resumed()
        default: break
        }
        for effect in state.step(event, at: loop.now) { perform(effect, &group) }
    }

    private func perform(_ effect: Effect, _ group: inout DiscardingTaskGroup) {
        switch effect {
        case .notice(let notice): tell(notice)
        case .device(let id, let snapshot): recorder.record(snapshot, of: id, rssi: rssi(state.devices[id]))
        case .machine(let snapshot): recorder.record(snapshot)
        case .attempt(let id, let attempt, let verdict): recorder.record(attempt, verdict, of: id)
        case .commonAttempt(let attempt): recorder.record(attempt)
        case .settle: if let rest = pulse.rest { recorder.rest(rest) } else { recorder.settle() }
        case .flushed:
            let next = state.devices.map(\.nextTick).min() ?? .never
            wake?(WakePlan.delay(nextTick: next, mode: state.power.mode, at: loop.now))
            sleep.flushed()
        case .refresh: session?.central.mirror.refresh()
        case .renew:
            log.debug("making a new connection to the message bus: calls without a reply have used up the old one")
            isRenewing = true
            session?.central.stop()
        case .activate: group.addTask { await self.activate() }
        case .ask: group.addTask { await self.session?.askForLife() }
        case .countForeignLinks: group.addTask { await self.session?.central.countForeignLinks() }
        // At once: there may be no later.
        case .recover(.switchOn(let path)): session?.central.switchOnAtOnce(path)
        case .recover(let act):
            if case .cycle = act { recorder.writeAhead() }
            if case .forget(let id, _) = act { pollers[id].forgotten() }
            if case .survey = act { tellNotified() }
            group.addTask { await self.session?.recover(act) }
        case .failed(let id, let tick, let failure):
            pollers[id].tickFailed(tick, failure)
            if failure == .notHeard { session?.central.watched?.lookForMissing() }
        case .startDiscovery(let path):
            group.addTask { await self.session?.startDiscovery(path, repeating: self.listens) }
        case .stopDiscovery(let path): group.addTask { await self.session?.stopDiscovery(path) }
        case .connect(let id, let link, let path, let within):
            pollers[id].unbind()
            log.debug("\(configuration.devices[id].name): connecting")
            pulse.connects(id)
            recorder.writeAhead(id)
            let bearer = state.devices[id].isConnectedByBearer
            group.addTask { await self.session?.connect(id, link, path, within, by: bearer) }
        case .disconnect(let id, let path):
            pollers[id].unbind()
            session?.central.disconnect(path)
        case .abandon(let id, let path):
            pollers[id].unbind()
            session?.central.bus.abandonCalls(below: path)
        case .poll(let id, let link, let path, let tick):
            group.addTask { await self.poll(id, link, path, tick) }
        }
    }

    /// Who listens must be told of a packet that is the same as the one before, or it would seem to be silent.
    private var listens: Bool { configuration.devices.contains(where: \.mode.listens) }

    private func tell(_ notice: Notice) {
        let text = notice.device.map { "\(configuration.devices[$0].name): \(notice.text)" } ?? notice.text
        switch notice.level {
        case .debug: log.debug("\(text)")
        case .notice: log.notice("\(text)")
        case .warning: log.warning("\(text)")
        }
    }

    /// Notifications are not told one by one: a radio through which some came of late is not stuck.
    private func tellNotified() {
        for (id, poller) in pollers.enumerated() {
            if let last = poller.notifiedAt { inbox.post(.notified(id, at: last)) }
        }
    }

    private func poll(_ id: DeviceID, _ link: Int, _ path: ObjectPath, _ tick: DueTick) async {
        var result = PollResult(ending: .wait)
        let section = sleep.begin(
            named: "tick \(tick.number) of \(configuration.devices[id].name)", budget: Self.longestPoll)
        defer { sleep.end(section) }
        if let session {
            result = await pollers[id].poll(tick, on: LinkCore(session.central, path))
        }
        for _ in 0..<result.silences { inbox.post(.answered(false)) }
        if result.values > 0 || result.failures > result.silences { inbox.post(.answered(true)) }
        inbox.post(.polled(id, link: link, result))
    }

    // MARK: The connection

    /// Connects to the bus again and again for as long as the keeper runs.
    private func stayConnected() async {
        var pause: Duration = .milliseconds(500)
        while !isStopping {
            do throws(BusError) {
                let bus = try await connect()
                // Closed while it was made: nobody else would end what lives on it.
                guard !isStopping else { return bus.close() }
                pause = .milliseconds(500)
                let former = session?.central.mirror.owner
                session = nil
                try await live(on: bus, inPlaceOf: former)
                if isRenewing { continue }
            } catch {
                guard !isStopping else { return }
                isRenewing = false
                log.debug("\(error)")
                inbox.post(.lost(.bus("\(error)")))
            }
            session = nil
            try? await loop.sleep(until: loop.now + pause)
            pause = min(pause * 2, .seconds(30))
        }
    }

    /// - Parameter formerBluez: the owner of BlueZ's name on the connection that this one replaces.
    private func live(on bus: any Bus, inPlaceOf formerBluez: BusName?) async throws(BusError) {
        let events = SessionEvents(
            pollers, readers, replacing: isRenewing ? formerBluez : nil, on: loop, post: inbox.post)
        let central = CentralCore(on: bus, watching: watched) { central, event in events.take(event, of: central) }
        session = Session(central, post: inbox.post)
        bus.onPressure = { [inbox] in inbox.post(.pressure($0)) }
        if !isRenewing { inbox.post(.lost(.bluez)) }
        isRenewing = false
        let agent = RefusingAgent(on: bus) { [pollers] device in
            for poller in pollers { poller.pairingWanted(by: device) }
        }
        for poller in pollers { poller.agent = agent }
        let outcome: Result<Void, BusError> = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await events.arrival.wait()
                try? await agent.start()
            }
            group.addTask { await central.followAliases() }
            group.addTask { await self.power.run(on: bus) }
            group.addTask { await self.sleep.run(on: bus) }
            defer {
                // The tasks of this connection end with it, whatever they wait for.
                central.close()
                for poller in pollers { poller.unbind() }
                events.arrival.open()
                power.stop()
                sleep.stop()
            }
            do throws(BusError) { return .success(try await central.run()) } catch { return .failure(error) }
        }
        try outcome.get()
    }

    /// Asks the daemon to start bluetoothd: nobody else does after it has crashed.
    private func activate() async {
        guard let central = session?.central else { return }
        do throws(BusError) { try await central.activate(within: .seconds(30)) } catch {
            log.debug("bluetoothd was not started: \(error)")
        }
    }

    private var watched: [WatchedDevice] {
        configuration.devices.enumerated().map { id, device in
            WatchedDevice(
                address: device.address, adapter: device.adapter ?? configuration.adapter,
                isListenedTo: readers[id] != nil)
        }
    }
}
