import DBus
internal import Glibc
import Logging
import RunLoop

/// The poller of `blekeep poll`: creates its parts, and runs the loop of events.
package final class Poller: @unchecked Sendable {
    private var configured: ConfiguredDevices
    private let isFinite: Bool
    private let loop: RunLoop
    private let inbox: Inbox
    private let recorder: Recorder
    private let heartbeats: HeartbeatScheduler
    private let workers: DeviceWorkers
    private let connection: PollerConnection
    private let stepper: PollerStepper
    private let viewers: Viewers
    private let power: PowerMonitor
    private let sleep: SleepMonitor
    /// Makes the function that sets the machine's wake-up timer; `nil` if that can't wake it.
    private let makeAlarm: () -> ((Duration?) -> Void)?

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
        let inbox = Inbox(loop)
        self.inbox = inbox
        viewers = Viewers(isWatched: isWatched) { inbox.post(.watched($0)) }
        let settings = configuration.devices.map { DeviceSetting($0, in: configuration) }
        configured = ConfiguredDevices(settings)
        isFinite = count != nil
        makeAlarm = { wake ?? WakeAlarm.setter(log) }
        heartbeats = HeartbeatScheduler(
            configuration.devices.map(DeviceActivity.init), asleep: { loop.timeAsleep },
            clocks: clocks)
        let book = LedgerBook(
            configuration, hasLedger: store is any Ledger, isOneOff: isFinite, pid: getpid(), at: wallTime())
        let recorder = Recorder(
            store: store, sinks: sinks, gateway: configuration.gateway, loop: loop, log: log, heartbeats: heartbeats,
            book: book, clocks: clocks, wallTime: wallTime)
        self.recorder = recorder
        workers = DeviceWorkers(settings, isFinite: isFinite, on: loop, recorder: recorder, wallTime: wallTime)
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
        var state = PollerState(
            plans: settings.map { DevicePlan($0, count: count) }, adapter: configuration.adapter,
            maxLinks: configuration.maxLinks, at: loop.now)
        let inheritance = recorder.inherit(for: configuration)
        state.inherit(inheritance, at: loop.now)
        workers.inherit(inheritance)
        state.apply(configuration)
        stepper = PollerStepper(
            state, workers: workers, on: connection, inbox: inbox, recorder: recorder, heartbeats: heartbeats,
            power: power, sleep: sleep, loop: loop, log: log)
        if configuration.power.wakes { stepper.wake = makeAlarm() }
        recorder.onInheritance = { [workers] inheritance in
            workers.inherit(inheritance)
            inbox.post(.recalled(inheritance))
        }
        recorder.onSinkClosed = { inbox.post(.time) }
        recorder.onCommand = { [unowned self] in self.obey($0, answer: $1) }
    }

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
                let wake = min(stepper.state.wake, ending ?? .never)
                let event = await inbox.next(until: min(wake, power.nextPoll + .seconds(60)))
                if sleep.checkClocks() {
                    let awake = await inbox.next(until: .start)
                    stepper.step(awake, in: &group)
                }
                if power.beginPoll() { group.addTask { await self.power.poll() } }
                viewers.look(if: stepper.state.hasTickDue(at: loop.now))
                stepper.step(event, in: &group)
                if recorder.isSinkClosed, !stepper.state.run.isStopping { stop() }
                if stepper.state.isFinished, ending == nil {
                    ending = loop.now + SleepTimes.grace
                    inbox.post(.stop)
                } else if let ending, stepper.state.isQuiet && sleep.openSections.isEmpty || loop.now >= ending {
                    break
                }
            }
            workers.flush()
            workers.refuseAll(.refused("blekeep is stopping"))
            await recorder.settleSinks(until: loop.now + Self.maxDelivery)
            recorder.close(heartbeats.isShuttingDown ? .shutdown : .stopped)
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
            let id = stepper.state.devices.index(of: configured.number), !stepper.state.run.isStopping
        else {
            return answer(.failure(.refused("blekeep doesn't poll this device now")))
        }
        let device = stepper.state.devices[id]
        switch command.action.answer {
        case .whenRead:
            guard !device.isStandingBy else {
                return answer(.failure(.refused("another gateway reads the device; ask that one")))
            }
            guard !device.isPaused else {
                return answer(.failure(.refused("the device is paused; resume it first")))
            }
            guard case .write(let request) = command.action else {
                workers.waiters.add(worker.number, tick: device.nextRead, answer: answer)
                break
            }
            guard configured.setting.device.allows(request) else {
                return answer(.failure(.refused("the configuration doesn't allow to write it; set 'write: true'")))
            }
            worker.poller.writes.add(request, answer: answer)
        case .whenStored: stepper.willObey { answer(.success([])) }
        case .atOnce: answer(.success([]))
        }
        inbox.post(.device(worker.number, .command(command.action)))
    }

    /// Takes a new configuration. A device that isn't changed isn't touched: its connection stays up, and its ticks don't
    /// move. A sink stays as it is if it is in this list and in the earlier one.
    ///
    /// - Throws: a sentence for the user. Then nothing has changed.
    package func reconfigure(
        _ new: PollConfiguration, sinks: [any Sink]
    ) throws(UserError) {
        guard !isFinite else { throw UserError("a run of a given number of ticks keeps its configuration") }
        guard !stepper.state.run.isStopping else { throw UserError("blekeep is stopping") }
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
        recorder.replace(sinks)
        inbox.post(.configured(Reconfiguration(configuration: new, changes: changes, earlier: earlier)))
    }

    private func wakeMachine(_ wakes: Bool) {
        if wakes {
            stepper.wake = stepper.wake ?? makeAlarm()
        } else {
            stepper.wake?(nil)
            stepper.wake = nil
        }
    }

    /// Adds a viewer. `detach` must follow.
    package func attach() { viewers.attach() }
    package func detach() { viewers.detach() }

    package var powerMode: PowerMode { stepper.state.power.mode }

    /// The numbers of waiting events and readings. Both are bounded.
    package var backlog: (events: Int, readings: Int) { (inbox.count, recorder.backlog) }

    /// The name of the first connected device. Use it on the loop.
    package var connectedDevice: String? { stepper.state.devices.first(where: \.isConnected)?.plan.name }

    /// How far the poller is behind its own plan. Use it on the loop.
    package var lag: PollerLag {
        PollerLag(loop: max(.zero, loop.now - stepper.state.wake), store: recorder.commitLag)
    }

    /// For tests: returns how long a write to the store takes in virtual time.
    package var virtualWriteLength: () -> Duration {
        get { recorder.virtualWriteLength }
        set { recorder.virtualWriteLength = newValue }
    }

    /// Called once, when the message bus is there, or known to be missing.
    package var onReady: (() -> Void)? {
        get { stepper.onReady }
        set { stepper.onReady = newValue }
    }

    /// The current status. Use it on the loop.
    package var status: PollerStatus { stepper.status }

    /// The results so far. Use it on the loop.
    package var report: PollerReport { PollerReport(stepper.state, sinkError: recorder.sinkError) }
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

    package init(loop: Duration, store: Duration) {
        self.loop = loop
        self.store = store
    }
}
