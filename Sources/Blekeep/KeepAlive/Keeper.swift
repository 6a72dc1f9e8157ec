import DBus
internal import Glibc
import Logging
import RunLoop

/// The running daemon: keeps the configured devices. It composes what that takes, and takes events for as long as it
/// runs.
package final class Keeper: @unchecked Sendable {
    private let loop: RunLoop
    private let inbox: Inbox
    private let recorder: Recorder
    private let heartbeats: HeartbeatScheduler
    private let workers: DeviceWorkers
    private let connection: KeeperConnection
    private let stepper: KeeperStepper
    private let viewers: Viewers
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
        remoteSinks: [any RemoteSink] = [], log: Logger, wallTime: @escaping () -> Int64 = WallClock.milliseconds,
        clocks: @escaping () -> ClockReading = ClockReading.now, supply: (() -> SupplyFacts)? = nil,
        isWatched: (() -> Bool)? = nil, wake: ((Duration?) -> Void)? = nil,
        connect: @escaping @Sendable () async throws(BusError) -> any Bus
    ) {
        self.loop = loop
        let inbox = Inbox(loop)
        self.inbox = inbox
        viewers = Viewers(isWatched: isWatched) { inbox.post(.attended($0)) }
        let plans = configuration.devices.map { DevicePlan($0, in: configuration, count: count) }
        heartbeats = HeartbeatScheduler(
            plans.map { DeviceActivity(device: $0.name, address: $0.address) }, asleep: { loop.timeAsleep },
            clocks: clocks)
        let book = LedgerBook(configuration, hasLedger: store is any Ledger, pid: getpid(), at: wallTime())
        let recorder = Recorder(
            store: store, sinks: sinks, remoteSinks: remoteSinks, loop: loop, log: log, heartbeats: heartbeats,
            book: book, clocks: clocks,
            wallTime: wallTime)
        self.recorder = recorder
        workers = DeviceWorkers(
            configuration, isFinite: count != nil, on: loop, recorder: recorder, wallTime: wallTime)
        power = PowerMonitor(configuration.power.choice, on: loop, supply: supply) {
            recorder.record($0)
            inbox.post(.power($0))
        }
        sleep = SleepMonitor(on: loop, log: log) { event in
            switch event {
            // Who terminates posts by himself what is to end.
            case .preparing(.termination): break
            case .preparing(let cause): inbox.post(.sleep(cause))
            case .resumed(let how): inbox.postFirst(.awake(how))
            }
        }
        connection = KeeperConnection(
            configuration, workers, power: power, sleep: sleep, on: loop, log: log, post: inbox.post,
            connect: connect)
        var state = KeeperState(
            plans: plans, adapter: configuration.adapter, maxLinks: configuration.maxLinks, at: loop.now)
        state.inherit(recorder.inherit(for: configuration))
        state.settings.keepsLinks = configuration.onStop == .keep
        state.recovery.allowed = configuration.recovery
        stepper = KeeperStepper(
            state, configuration, workers, on: connection, inbox: inbox, recorder: recorder, heartbeats: heartbeats,
            power: power, sleep: sleep, loop: loop, log: log,
            wake: configuration.power.wakes ? wake ?? WakeAlarm.setter(log) : nil)
        recorder.onInheritance = { inbox.post(.recalled($0)) }
        recorder.onSinkClosed = { inbox.post(.time) }
    }

    /// Keeps the devices until `stop` is called, or until every device has had as many ticks as were asked for.
    /// Links of ours are let go and readings are safe when it returns.
    package func run() async -> KeeperReport {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.connection.run() }
            var ending: Uptime?
            recorder.begin()
            while true {
                let wake = min(stepper.state.wake, ending ?? .never)
                let event = await inbox.next(until: min(wake, power.nextPoll + .seconds(60)))
                if sleep.checkClocks() {
                    let awake = await inbox.next(until: .start)
                    stepper.step(awake, &group)
                }
                if power.takePoll() { group.addTask { await self.power.poll() } }
                viewers.look(if: stepper.state.hasTickDue(at: loop.now))
                stepper.step(event, &group)
                if recorder.isSinkClosed, !stepper.state.run.isStopping { stop() }
                if stepper.state.isFinished, ending == nil {
                    ending = loop.now + SleepTimes.grace
                    inbox.post(.stop)
                } else if let ending, stepper.state.isQuiet && sleep.openSections.isEmpty || loop.now >= ending {
                    break
                }
            }
            workers.flush()
            recorder.close(heartbeats.isShuttingDown ? .shutdown : .stopped)
            recorder.end()
            sleep.end()
            power.end()
            connection.stop()
            group.cancelAll()
        }
        return KeeperReport(stepper.state, sinkError: recorder.sinkError)
    }

    /// Ends `run` soon, on the path of a shutdown: nothing new is started, links are let go, work under way may end
    /// for half a second and expires then, readings are made safe; within 2 s, whatever is under way.
    package func stop() {
        workers.flush()
        recorder.flush()
        sleep.terminate()
        inbox.post(.stop)
    }

    /// Somebody looks at what is read; `detach` must follow. Several may.
    package func attach() { viewers.attach() }
    package func detach() { viewers.detach() }

    /// How much power is saved at this moment.
    package var powerMode: PowerMode { stepper.state.power.mode }

    /// What waits: events for the one loop, readings for the store. Both are bounded.
    package var backlog: (events: Int, readings: Int) { (inbox.count, recorder.backlog) }

    /// The first device that is said to be connected, by its name. To be asked for on the loop.
    package var connectedDevice: String? { stepper.state.devices.first(where: \.isConnected)?.plan.name }

    /// How everything is at this moment. To be asked for on the loop.
    package var status: KeeperStatus {
        var status = stepper.status
        status.missed = recorder.missed
        for (id, each) in workers.throttled.enumerated() { status.devices[id].thinned = each.counts }
        return status
    }
}
