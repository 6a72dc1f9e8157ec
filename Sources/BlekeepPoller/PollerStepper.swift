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

    /// - Parameter id: the device's index in the state.
    private func rssi(of id: Int) -> Int? { state.devices[id].facts.flatMap { central?.rssi(of: $0.path) } }

    /// The current status.
    var status: PollerStatus {
        let machine = state.machineSnapshot
        var status = PollerStatus(
            devices: [], outage: machine.outage, adapters: machine.adapters, power: state.power,
            missed: recorder.missed)
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
        case .device(let number, .command(.pause)): refuse(number, "the device was paused")
        case .device(let number, .command(.standBy)): refuse(number, "another gateway reads the device now")
        case .device(let number, .heard), .device(let number, .broadcast):
            if let worker = workers[number], worker.device.isShared, let id = state.devices.index(of: number),
                let rssi = rssi(of: id)
            {
                recorder.record(worker.device.id, rssi: rssi)
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
        heartbeats.apply(new.changes)
        recorder.apply(new)
        workers.inherit(new.earlier.inheritance)
    }

    /// Forgets the devices that the state has forgotten, and watches the others.
    private func forgetDevices() {
        workers.keep(state.devices.map(\.number))
        connection.watchDevices()
    }

    private func refuse(_ number: DeviceNumber, _ reason: String) {
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
        case .attempt(let number, let attempt, let condition):
            guard let worker = workers[number] else { return }
            recorder.record(attempt, condition, of: number, worker.device.id)
        case .timed(let number, let time):
            if let worker = workers[number] { recorder.record(time, of: worker.device.id) }
        case .commonAttempt(let attempt): recorder.record(attempt)
        case .tickEnded(let number, let tick, let failure): workers.waiters.ended(number, tick: tick, failure: failure)
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
        case .connect(let number, let link, let path, let within):
            guard let worker = workers[number], let id = state.devices.index(of: number) else { return }
            let bearer = state.devices[id].isConnectedByBearer
            worker.poller.unbind()
            log.debug("\(worker.device.name): connecting")
            heartbeats.connects(number)
            recorder.writeAhead(number)
            session?.willConnect(number, link: link)
            group.addTask { await self.session?.connect(number, link: link, path: path, within: within, by: bearer) }
        case .disconnect(let number, let path):
            workers[number]?.poller.unbind()
            session?.disconnect(number, path: path)
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
        let section = sleep.begin(
            named: "tick \(tick.number) of \(worker.device.name)", budget: Self.maxPoll)
        defer { sleep.end(section) }
        if let central { result = await worker.poller.poll(tick, on: LinkCore(central, path), isHeld: isHeld) }
        inbox.post(.device(worker.number, .polled(link: link, result)))
    }
}
