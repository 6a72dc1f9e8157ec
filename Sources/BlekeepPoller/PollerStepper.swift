import DBus
internal import DequeModule
import Logging
import RunLoop

/// Passes events to `PollerState`, and performs the effects.
final class PollerStepper: @unchecked Sendable {
    // Used only on the loop's thread.
    private(set) var state: PollerState
    private let log: Logger
    private let inbox: Inbox
    private let recorder: Recorder
    private let heartbeats: HeartbeatScheduler
    private let workers: DeviceWorkers
    private let connection: PollerConnection
    private let power: PowerMonitor
    private let sleep: SleepMonitor
    /// Sets the machine's wake-up timer; `nil` to let the machine sleep.
    var wake: ((Duration?) -> Void)?
    private let loop: RunLoop
    /// The callbacks of the pauses and resumptions in the inbox.
    private var answers = Deque<() -> Void>()

    init(
        _ state: PollerState, workers: DeviceWorkers,
        on connection: PollerConnection, inbox: Inbox, recorder: Recorder, heartbeats: HeartbeatScheduler,
        power: PowerMonitor, sleep: SleepMonitor, loop: RunLoop, log: Logger
    ) {
        self.state = state
        self.workers = workers
        self.connection = connection
        self.inbox = inbox
        self.recorder = recorder
        self.heartbeats = heartbeats
        self.power = power
        self.sleep = sleep
        self.loop = loop
        self.log = log
    }

    private var session: Session? { connection.session }
    private var central: CentralCore? { session?.central }

    /// The log reports a poll that takes longer.
    private static let maxPoll: Duration = .seconds(60)

    private func rssi(of id: DeviceIndex) -> Int? { state.devices[id].facts.flatMap { central?.rssi(of: $0.path) } }

    /// The current status.
    var status: PollerStatus {
        let machine = state.machineSnapshot
        var status = PollerStatus(
            devices: [], outage: machine.outage, adapters: machine.adapters, power: state.power,
            missed: recorder.missed)
        for device in state.devices where !device.hasLeft {
            guard var shown = recorder.status(of: device.id) else { continue }
            // Not what the ledger will say, but what is.
            (shown.link, shown.condition) = (device.linkStatus, device.health.condition)
            shown.rssi = rssi(of: device.id)
            shown.dropped = workers[device.id].throttled.counts
            status.devices.append(shown)
        }
        return status
    }

    /// Called once, when the message bus is there, or known to be missing.
    var onReady: (() -> Void)?

    /// Call this before the event of a pause or a resumption.
    ///
    /// - Parameter answer: called when the event was handled, and the store holds the result.
    func willObey(_ answer: @escaping () -> Void) { answers.append(answer) }

    func step(_ event: Event, in group: inout DiscardingTaskGroup) {
        switch event {
        case .sleep(let cause):
            workers.flush()
            heartbeats.prepare(cause)
        case .watched(let isWatched): recorder.isWatched = isWatched
        case .configured(let new): configure(new)
        case .lost, .bluez:
            onReady?()
            onReady = nil
        case .command(let id, .pause): workers.refuse(id, .refused("the device was paused"))
        case .command(let id, .standBy): workers.refuse(id, .refused("another gateway reads the device now"))
        case .awake:
            heartbeats.wake()
            wake?(nil)
            power.resumed()
        default: break
        }
        for effect in state.step(event, at: loop.now) { perform(effect, in: &group) }
        switch event {
        case .command(_, .pause), .command(_, .resume):
            recorder.writeAhead()
            answers.popFirst()?()
        default: break
        }
    }

    /// Changes the parts that hold the devices, before the state does.
    private func configure(_ new: Reconfiguration) {
        workers.apply(new.changes)
        heartbeats.apply(new.changes)
        recorder.apply(new)
        workers.inherit(new.earlier.inheritance)
        connection.watchDevices()
    }

    // MARK: Effects

    private func perform(_ effect: Effect, in group: inout DiscardingTaskGroup) {
        switch effect {
        case .notice(let notice): report(notice)
        case .device(let id, let snapshot):
            workers[id].reader?.isPaused = state.devices[id].isPaused
            recorder.record(snapshot, of: id, rssi: rssi(of: id))
        case .machine(let snapshot): recorder.record(snapshot)
        case .attempt(let id, let attempt, let condition):
            recorder.record(attempt, condition, of: id, workers[id].device.id)
        case .timed(let id, let time): recorder.record(time, of: workers[id].device.id)
        case .commonAttempt(let attempt): recorder.record(attempt)
        case .tickEnded(let id, let tick, let failure): workers.waiters.ended(id, tick: tick, failure: failure)
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
        case .failed(let id, let tick, let failure):
            workers[id].poller.tickFailed(tick, failure: failure)
            if failure == .notHeard { central?.watched?.lookForMissing() }
        case .startDiscovery(let path):
            group.addTask { await self.session?.startDiscovery(path, repeating: self.state.listens) }
        case .stopDiscovery(let path): group.addTask { await self.session?.stopDiscovery(path) }
        case .connect(let id, let link, let path, let within):
            let bearer = state.devices[id].isConnectedByBearer
            workers[id].poller.unbind()
            log.debug("\(workers[id].device.name): connecting")
            heartbeats.connects(id)
            recorder.writeAhead(id)
            session?.willConnect(id, link: link)
            group.addTask { await self.session?.connect(id, link: link, path: path, within: within, by: bearer) }
        case .disconnect(let id, let path):
            workers[id].poller.unbind()
            session?.disconnect(id, path: path)
        case .abandon(let id, let path):
            workers[id].poller.unbind()
            central?.abandonCalls(to: path)
        case .poll(let id, let link, let path, let tick, let isHeld):
            group.addTask { await self.poll(id, link: link, path: path, tick: tick, isHeld: isHeld) }
        }
    }

    private func report(_ notice: Notice) {
        let device = notice.device.map { workers[$0].device }
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

    private func recover(_ act: Recovery, in group: inout DiscardingTaskGroup) {
        switch act {
        case .cycle: recorder.writeAhead()
        case .forget(let id, _): workers[id].poller.forgotten()
        case .countLinks: reportNotifications()
        case .switchOn, .restartBluez, .preferLowEnergy: break
        }
        group.addTask { await self.session?.recover(act) }
    }

    /// Posts the times of the last notifications, which have no events of their own. An adapter that delivers them isn't
    /// stuck.
    private func reportNotifications() {
        for id in workers.indices {
            if let last = workers[id].poller.notifiedAt { inbox.post(.notified(id, at: last)) }
        }
    }

    private func poll(_ id: DeviceIndex, link: Int, path: ObjectPath, tick: DueTick, isHeld: Bool) async {
        var result = PollResult(ending: .wait)
        let section = sleep.begin(
            named: "tick \(tick.number) of \(workers[id].device.name)", budget: Self.maxPoll)
        defer { sleep.end(section) }
        if let central { result = await workers[id].poller.poll(tick, on: LinkCore(central, path), isHeld: isHeld) }
        for _ in 0..<result.silences { inbox.post(.answered(false)) }
        if result.values > 0 || result.failures > result.silences { inbox.post(.answered(true)) }
        inbox.post(.polled(id, link: link, result))
    }
}
