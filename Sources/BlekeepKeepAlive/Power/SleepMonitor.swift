import DBus
import Logging
import RunLoop

/// Follows logind's announcements of the machine's sleep, and delays the sleep for open work, within logind's limit.
package final class SleepMonitor: @unchecked Sendable {
    package enum Event: Sendable {
        /// Disconnect, write everything to disk, and then call `flushed()`.
        case preparing(SleepCause)
        case resumed(String)
    }

    private let loop: RunLoop
    private let log: Logger
    private let onEvent: (Event) -> Void
    private var state = SleepState()
    private var handlers: [Int: @Sendable () -> Void] = [:]
    private var sections = 0
    private var locks: [FileHandle] = []
    private var gate: Gate
    private var tasks: [LogindTask] = []
    private var isStopped = false
    private var asleep: Duration
    private lazy var timer = ClosureTimer { [weak self] in self?.step(.time) }

    private enum LogindTask: Sendable { case query, lock }

    package init(on loop: RunLoop, log: Logger, onEvent: @escaping (Event) -> Void) {
        self.loop = loop
        self.log = log
        self.onEvent = onEvent
        gate = Gate(loop)
        asleep = loop.timeAsleep
    }

    /// Listens to logind on this connection until `stop` is called.
    package func run(on bus: any Bus) async {
        isStopped = false
        do throws(BusError) {
            try await bus.listen(
                Login1Manager.service,
                for: [Login1Manager.prepareForSleep.name, Login1Manager.prepareForShutdown.name].map {
                    SignalMatch(path: Login1Manager.path, interface: Login1Manager.name, member: $0)
                })
            try await bus.follow(Login1Manager.service) { [weak self] in self?.receive($0) }
        } catch { return }
        while !isStopped {
            if tasks.isEmpty { await gate.wait() } else { await run(tasks.removeFirst(), on: bus) }
        }
    }

    package func stop() {
        isStopped = true
        gate.open()
    }

    /// Prepares for the end of the program, within 2 s.
    package func terminate() { step(.prepare(.termination)) }

    /// Ends: open work expires, and the locks are released.
    package func end() {
        stop()
        loop.disarm(timer)
        for handler in handlers.sorted(by: { $0.key > $1.key }) { handler.value() }
        handlers = [:]
        locks = []
    }

    /// Call this when the work for `preparing` is done.
    package func flushed() { step(.flushed) }

    /// Checks for a sleep that logind didn't announce. Call it when the program wakes up.
    /// Returns whether `resumed` was reported.
    package func checkClocks() -> Bool {
        let now = loop.timeAsleep
        let slept = now - asleep
        asleep = now
        guard slept > .seconds(1), isAwake else { return false }
        step(.slept(slept))
        return true
    }

    /// The time until the machine sleeps; `nil` when no sleep is announced.
    package var remaining: Duration? { state.remaining(at: loop.now) }

    package var openSections: [String] { state.openSections }

    package var isAwake: Bool { state.phase == .awake }

    // MARK: Sections

    /// Begins a section of work that delays the machine's sleep. `end` must follow.
    package func begin(named name: String, budget: Duration, onExpiration: @escaping @Sendable () -> Void = {}) -> Int {
        sections += 1
        handlers[sections] = onExpiration
        step(.began(sections, name: name, budget: budget))
        return sections
    }

    package func end(_ section: Int) {
        handlers[section] = nil
        step(.ended(section))
    }

    // MARK: logind

    private func receive(_ event: ServiceEvent) {
        guard !isStopped else { return }
        switch event {
        case .owner(nil):
            tasks = []
            step(.logindGone)
        case .owner: add(.query)
        case .signal(let signal):
            guard signal.arguments.count == 1, let isBegin = Bool(signal.arguments[0]) else { return }
            let cause: SleepCause = signal.member == Login1Manager.prepareForSleep.name ? .sleep : .shutdown
            step(isBegin ? .prepare(cause) : .resume)
        }
    }

    private func add(_ task: LogindTask) {
        tasks.append(task)
        gate.open()
    }

    private func run(_ task: LogindTask, on bus: any Bus) async {
        let logind = bus.object(Login1Manager.service, at: Login1Manager.path)
        switch task {
        case .query:
            let limit = try? await logind.get(Login1Manager.inhibitDelayMaxUSec, within: .seconds(5))
            let sleeps = try? await logind.get(Login1Manager.preparingForSleep, within: .seconds(5))
            let endsSoon = try? await logind.get(Login1Manager.preparingForShutdown, within: .seconds(5))
            step(
                .logind(
                    limit: .microseconds(Int64(clamping: min(limit ?? 5_000_000, 3_600_000_000))),
                    preparing: endsSoon == true ? .shutdown : sleeps == true ? .sleep : nil))
        case .lock:
            do throws(BusError) {
                var taken: [FileHandle] = []
                // One lock each: for both in one, logind demands the right to handle the lid switch, which services lack.
                for event in ["sleep", "shutdown"] {
                    taken.append(
                        try await logind.call(
                            Login1Manager.inhibit, event, "blekeep", "Disconnects and writes readings to disk",
                            "delay", within: .seconds(5)))
                }
                // A sleep that began in the meantime must not wait for these locks.
                guard state.phase == .awake else { return step(.locked(false)) }
                locks = taken
                step(.locked(true))
                log.debug("holding logind's delay locks, for \(DurationText.seconds(state.limit)) before a sleep")
            } catch {
                log.debug("logind refused a lock: \(error)")
                step(.locked(false))
            }
        }
    }

    // MARK: Effects

    private func step(_ event: SleepState.Event) {
        for effect in state.step(event, at: loop.now) { perform(effect) }
        let next = state.nextWake
        if next < .never { loop.arm(timer, at: max(next, loop.now)) } else { loop.disarm(timer) }
    }

    private func perform(_ effect: SleepState.Effect) {
        switch effect {
        case .takeLock: add(.lock)
        case .releaseLock: locks = []
        case .expire(let sections): for section in sections { handlers.removeValue(forKey: section)?() }
        case .overdue(let name): log.warning("\(name) exceeded its time budget")
        case .preparing(let cause): onEvent(.preparing(cause))
        case .resumed(let how):
            // This sleep is reported, so checkClocks() must not report it again.
            asleep = loop.timeAsleep
            onEvent(.resumed(how))
        case .verify: add(.query)
        }
    }
}
