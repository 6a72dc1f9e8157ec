import DBus
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
    private let isFinite: Bool
    private var state: KeeperState
    private var pollers: [DevicePoller] = []
    /// Of the passive devices.
    private var readers: [DeviceID: BroadcastReader] = [:]
    private var session: Session?
    private var isStopping = false
    private var power: PowerMonitor!
    private var sleep: SleepMonitor!
    private var scribe: Scribe!

    /// - Parameters:
    ///   - connect: makes a new connection to the bus; called again after each loss.
    ///   - count: how many ticks to make with each device; `nil` for ever.
    ///   - wallTime: milliseconds since 1970, only for labels.
    ///   - supply: what the kernel says of the machine's power; as it does unless given.
    package init(
        _ configuration: Configuration, count: Int? = nil, on loop: RunLoop, store: any Store, sinks: [any Sink],
        log: Logger, wallTime: @escaping () -> Int64 = WallClock.milliseconds,
        supply: (() -> SupplyFacts)? = nil,
        connect: @escaping @Sendable () async throws(BusError) -> any Bus
    ) {
        self.configuration = configuration
        self.connect = connect
        self.loop = loop
        self.log = log
        isFinite = count != nil
        inbox = Inbox(loop)
        let recorder = Recorder(store: store, sinks: sinks, loop: loop, log: log)
        self.recorder = recorder
        let plans = configuration.devices.map { DevicePlan($0, in: configuration, count: count) }
        state = KeeperState(
            plans: plans, adapter: configuration.adapter, maxLinks: configuration.maxLinks, at: loop.now)
        pollers = configuration.devices.map { device in
            DevicePoller(
                device, interval: device.interval ?? configuration.interval, layouts: configuration.layouts,
                isFinite: isFinite, loop: loop, wallTime: wallTime, record: recorder.record)
        }
        for (id, device) in configuration.devices.enumerated() where device.mode == .passive {
            readers[id] = BroadcastReader(device, wallTime: wallTime, record: recorder.record)
        }
        power = PowerMonitor(configuration.power.choice, on: loop, supply: supply) { [inbox] in
            inbox.post(.power($0))
        }
        sleep = SleepMonitor(on: loop, log: log) { [inbox] event in
            switch event {
            case .preparing(let cause): inbox.post(.sleep(cause))
            case .resumed(let how): inbox.postFirst(.awake(how))
            }
        }
        scribe = Scribe(
            configuration, store: store, recorder: recorder, log: log, loop: loop, wallTime: wallTime
        ) { [unowned self] in self.status }
        recorder.onSinkClosed = { [unowned self] in self.stop() }
    }

    /// Keeps the devices until `stop` is called, or until every device has had as many ticks as were asked for.
    /// Links of ours are let go and readings are safe when it returns.
    package func run() async -> KeeperReport {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.stayConnected() }
            var ending: Uptime?
            while true {
                let wake = min(state.nextWake(after: loop.now), ending ?? .never)
                let event = await inbox.next(until: min(wake, power.nextPoll + .seconds(60)))
                if sleep.checkClocks() {
                    let awake = await inbox.next(until: .start)
                    for effect in state.step(awake, at: loop.now) { perform(effect, &group) }
                }
                if loop.now >= power.nextPoll { group.addTask { await self.power.poll() } }
                for effect in state.step(event, at: loop.now) { perform(effect, &group) }
                scribe.saw(event)
                if state.isFinished, ending == nil {
                    ending = loop.now + Self.longestFarewell
                    inbox.post(.stop)
                } else if let ending, state.isQuiet || loop.now >= ending {
                    break
                }
            }
            scribe.end()
            recorder.settle()
            isStopping = true
            sleep.end()
            power.stop()
            session?.mirror.stop()
            session?.bus.close()
            group.cancelAll()
        }
        return KeeperReport(state)
    }

    /// Ends `run` soon: within 1.5 s, whatever is under way.
    package func stop() { inbox.post(.stop) }

    /// How everything is at this moment. To be asked for on the loop.
    package var status: KeeperStatus {
        KeeperStatus(state, at: loop.now) { [session] device in
            device.facts.flatMap { session?.mirror.tree[$0.path, Device1.rssi] }.map { Int($0) }
        }
    }

    private static let longestFarewell: Duration = .milliseconds(1500)
    /// A poll that takes longer is named in the log.
    private static let longestPoll: Duration = .seconds(60)

    // MARK: Effects

    private func perform(_ effect: Effect, _ group: inout DiscardingTaskGroup) {
        switch effect {
        case .notice(let notice): tell(notice)
        case .attempt(let id, let attempt): scribe.take(id, attempt)
        case .settle: recorder.settle()
        case .flushed: sleep.flushed()
        case .refresh:
            power.resumed()
            session?.mirror.refresh()
        case .activate: group.addTask { await self.activate() }
        case .ask: group.addTask { await self.askForLife() }
        case .countForeignLinks: group.addTask { await self.session?.countForeignLinks() }
        case .failed(let id, let tick, let failure):
            pollers[id].tickFailed(tick, failure)
            scribe.miss(id, failure)
        case .startDiscovery(let path): group.addTask { await self.startDiscovery(path) }
        case .stopDiscovery(let path): group.addTask { await self.stopDiscovery(path) }
        case .connect(let id, let link, let path, let within):
            pollers[id].unbind()
            group.addTask { await self.connect(id, link, path, within) }
        case .disconnect(let id, let path):
            pollers[id].unbind()
            session?.bus.send(MethodCall(Bluez.service, path, Device1.name, Device1.disconnect.name, within: .zero))
            // What is under way on this link would be answered only when it is down.
            session?.bus.abandonCalls(below: path)
        case .poll(let id, let link, let path, let tick):
            group.addTask { await self.poll(id, link, path, tick) }
        }
    }

    private func tell(_ notice: Notice) {
        let text = notice.device.map { "\(configuration.devices[$0].name): \(notice.text)" } ?? notice.text
        // That a device is lost, and that it reads again, the ledger tells in its own words.
        if notice.device != nil, notice.level == .warning || notice.text == "reads again" {
            log.debug("\(text)")
            return
        }
        switch notice.level {
        case .debug: log.debug("\(text)")
        case .notice: log.notice("\(text)")
        case .warning: log.warning("\(text)")
        }
    }

    private func startDiscovery(_ path: ObjectPath) async {
        guard let bus = session?.bus else { return }
        let adapter = bus.object(Bluez.service, path)
        do throws(BusError) {
            // Without a filter BlueZ also looks for classic devices, which takes the air from ours; and who listens
            // must be told of a packet that is the same as the one before, or it would seem to be silent.
            var filter = ["Transport": Variant("le")]
            if configuration.devices.contains(where: \.mode.listens) { filter["DuplicateData"] = Variant(true) }
            _ = try await adapter.call(Adapter1.setDiscoveryFilter, filter, within: .seconds(5))
            _ = try await adapter.call(Adapter1.startDiscovery, within: .seconds(10))
            inbox.post(.answered(true))
            inbox.post(.discovering(path, nil))
        } catch {
            inbox.post(.answered(error != .timedOut))
            inbox.post(.discovering(path, error))
        }
    }

    private func stopDiscovery(_ path: ObjectPath) async {
        if let bus = session?.bus {
            let adapter = bus.object(Bluez.service, path)
            do throws(BusError) {
                _ = try await adapter.call(Adapter1.stopDiscovery, within: .seconds(5))
                inbox.post(.answered(true))
            } catch .remote(name: "org.bluez.Error.InProgress", _) {
                // BlueZ's own idea of who discovers is wrong: starting once more puts it right.
                _ = try? await adapter.call(Adapter1.startDiscovery, within: .seconds(5))
                _ = try? await adapter.call(Adapter1.stopDiscovery, within: .seconds(5))
            } catch {
                inbox.post(.answered(error != .timedOut))
            }
        }
        inbox.post(.discoveryEnded(path))
    }

    /// Every D-Bus service answers this, unless it is stuck.
    private func askForLife() async {
        guard let bus = session?.bus else { return inbox.post(.alive(true)) }
        do throws(BusError) {
            _ = try await bus.object(Bluez.service, .root).call(Peer.ping, within: .seconds(5))
            inbox.post(.alive(true))
        } catch { inbox.post(.alive(error != .timedOut)) }
    }

    private func connect(_ id: DeviceID, _ link: Int, _ path: ObjectPath, _ within: Duration) async {
        log.debug("\(configuration.devices[id].name): connecting")
        var failure: BusError?
        do throws(BusError) {
            guard let bus = session?.bus else { throw .disconnected }
            _ = try await bus.object(Bluez.service, path).call(Device1.connect, within: within)
        } catch { failure = error }
        inbox.post(.connected(id, link: link, failure))
    }

    private func poll(_ id: DeviceID, _ link: Int, _ path: ObjectPath, _ tick: DueTick) async {
        var result = PollResult(ending: .wait)
        let section = sleep.begin(
            named: "tick \(tick.number) of \(configuration.devices[id].name)", budget: Self.longestPoll)
        defer { sleep.end(section) }
        if let session {
            result = await pollers[id].poll(tick, bus: session.bus, mirror: session.mirror, device: path)
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
                pause = .milliseconds(500)
                try await live(on: bus)
            } catch {
                guard !isStopping else { return }
                log.debug("\(error)")
                inbox.post(.lost(.bus("\(error)")))
            }
            session = nil
            for poller in pollers { poller.unbind() }
            try? await loop.sleep(until: loop.now + pause)
            pause = min(pause * 2, .seconds(30))
        }
    }

    private func live(on bus: any Bus) async throws(BusError) {
        let session = Session(
            bus, devices: configuration.devices.map { ($0.address, $0.adapter ?? configuration.adapter) },
            notifications: { [unowned self] in self.pollers.flatMap(\.rules) }, post: inbox.post,
            onNotification: { [unowned self] path, octets in
                for poller in self.pollers { poller.notified(path, octets) }
            },
            onTreeChange: { [unowned self] id in
                if let id {
                    self.pollers[id].treeChanged()
                } else {
                    for poller in self.pollers { poller.treeChanged() }
                }
            })
        session.onAdvertisement = { [unowned self] id, heard, names in
            guard let reader = self.readers[id] else { return }
            let hearing = reader.hear(
                heard, makers: names.contains(Device1.manufacturerData.name.text),
                services: names.contains(Device1.serviceData.name.text))
            self.inbox.post(.broadcast(id, hearing))
        }
        self.session = session
        // When the connection ends, so does the mirror: nothing else waits on it.
        bus.onClose = { session.mirror.lose() }
        defer { bus.close() }
        inbox.post(.lost(.bluez))
        let agent = RefusingAgent(on: bus) { [unowned self] device in
            for poller in self.pollers { poller.pairingWanted(by: device) }
        }
        let arrival = Gate(loop)
        session.onSnapshot = { arrival.open() }
        let outcome: Result<Void, BusError> = await withTaskGroup(of: Void.self) { group in
            group.addTask { await agent.stayRegistered(arrival) }
            group.addTask { await self.power.run(on: bus) }
            group.addTask { await self.sleep.run(on: bus) }
            defer {
                agent.stop()
                arrival.open()
                power.stop()
                sleep.stop()
            }
            do throws(BusError) { return .success(try await session.mirror.run()) } catch { return .failure(error) }
        }
        try outcome.get()
    }

    /// Asks the daemon to start bluetoothd: nobody else does after it has crashed.
    private func activate() async {
        guard let bus = session?.bus else { return }
        do throws(BusError) {
            _ = try await bus.daemon.call(
                BusDaemon.startServiceByName, Bluez.service.text, 0, within: .seconds(30))
        } catch { log.debug("bluetoothd was not started: \(error)") }
    }
}

/// How a run went, device by device.
package struct KeeperReport: Sendable {
    package struct Device: Sendable {
        package var name: String
        package var goodTicks: Int
        package var failedTicks: Int
        package var lastFailure: ReadingFailure?
    }

    package var devices: [Device]

    init(_ state: KeeperState) {
        devices = state.devices.map {
            Device(name: $0.plan.name, goodTicks: $0.good, failedTicks: $0.bad, lastFailure: $0.lastFailure)
        }
    }
}

extension DevicePlan {
    init(_ device: DeviceConfiguration, in configuration: Configuration, count: Int?) {
        let interval = device.interval ?? configuration.interval
        let points = device.characteristics
        let own = points.filter { !$0.notify }.map { $0.interval ?? interval }
        self.init(
            name: device.name, address: device.address, adapter: device.adapter ?? configuration.adapter,
            mode: device.mode, intervals: own.isEmpty ? [interval] : Set(own),
            rhythm: configuration.power.rhythm.overridden(by: device.rhythm),
            subscribes: points.contains(where: \.notify),
            count: count)
        adaptive = device.adaptive
    }
}
