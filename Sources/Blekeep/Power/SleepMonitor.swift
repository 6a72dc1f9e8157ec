import DBus
import Logging
import RunLoop

/// Hears of the machine's sleep before it comes, and holds it up for as long as work needs, within logind's limit.
package final class SleepMonitor: @unchecked Sendable {
    package enum Event: Sendable {
        /// Let everything go and say `flushed()`.
        case preparing(SleepCause)
        case resumed(String)
    }

    private let loop: RunLoop
    private let log: Logger
    private let onEvent: (Event) -> Void
    private var state = SleepState()
    private var handlers: [Int: @Sendable () -> Void] = [:]
    private var sections = 0
    private var lock: FileHandle?
    private var gate: Gate
    private var errands: [Errand] = []
    private var isStopped = false
    private var asleep: Duration
    private lazy var timer = ClosureTimer { [unowned self] in self.step(.time) }

    private enum Errand: Sendable { case ask, lock }

    package init(on loop: RunLoop, log: Logger, onEvent: @escaping (Event) -> Void) {
        self.loop = loop
        self.log = log
        self.onEvent = onEvent
        gate = Gate(loop)
        asleep = loop.timeAsleep
    }

    /// Listens to logind on this connection until `stop`.
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
            if errands.isEmpty { await gate.wait() } else { await run(errands.removeFirst(), on: bus) }
        }
    }

    package func stop() {
        isStopped = true
        gate.open()
    }

    /// The program is to end: as before a shutdown, within 2 s.
    package func terminate() { step(.prepare(.termination)) }

    /// No more: what is still open expires, and the lock is given back.
    package func end() {
        stop()
        loop.disarm(timer)
        for handler in handlers.sorted(by: { $0.key > $1.key }) { handler.value() }
        handlers = [:]
        lock = nil
    }

    /// Everything is let go and safe, as `preparing` asked for.
    package func flushed() { step(.flushed) }

    /// Notices a sleep that nobody announced; to be called when the program wakes up.
    ///
    /// - Returns: whether `resumed` was told.
    package func checkClocks() -> Bool {
        let now = loop.timeAsleep
        let slept = now - asleep
        asleep = now
        guard slept > .seconds(1), isAwake else { return false }
        step(.slept(slept))
        return true
    }

    /// What work still has before the machine sleeps; `nil`: all the time in the world.
    package var remaining: Duration? { state.remaining(at: loop.now) }

    /// The names of what is under way.
    package var openSections: [String] { state.openSections }

    package var isAwake: Bool { state.phase == .awake }

    // MARK: Sections

    /// Begins a section of work that the machine's sleep waits for; `end` must follow.
    package func begin(
        named name: String, budget: Duration, onExpiration: @escaping @Sendable () -> Void = {}
    ) -> Int {
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
            errands = []
            step(.logindGone)
        case .owner: add(.ask)
        case .signal(let signal):
            guard signal.arguments.count == 1, let isBegin = Bool(signal.arguments[0]) else { return }
            let cause: SleepCause = signal.member == Login1Manager.prepareForSleep.name ? .sleep : .shutdown
            step(isBegin ? .prepare(cause) : .resume)
        }
    }

    private func add(_ errand: Errand) {
        errands.append(errand)
        gate.open()
    }

    private func run(_ errand: Errand, on bus: any Bus) async {
        let logind = bus.object(Login1Manager.service, Login1Manager.path)
        switch errand {
        case .ask:
            let limit = try? await logind.get(Login1Manager.inhibitDelayMaxUSec, within: .seconds(5))
            let isPreparing = try? await logind.get(Login1Manager.preparingForSleep, within: .seconds(5))
            step(
                .logind(
                    limit: .microseconds(Int64(clamping: min(limit ?? 5_000_000, 3_600_000_000))),
                    isPreparing: isPreparing ?? false))
        case .lock:
            do throws(BusError) {
                let handle = try await logind.call(
                    Login1Manager.inhibit, "sleep:shutdown", "blekeep", "Lets links go and writes readings down",
                    "delay", within: .seconds(5))
                // Too late, if a sleep began in the meantime: it must not wait for this one.
                guard state.phase == .awake else { return step(.locked(false)) }
                lock = handle
                step(.locked(true))
                log.debug("holds logind's delay lock; it waits for \(DurationText.seconds(state.limit))")
            } catch {
                log.debug("logind gave no lock: \(error)")
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
        case .releaseLock: lock = nil
        case .expire(let sections): for section in sections { handlers.removeValue(forKey: section)?() }
        case .overdue(let name): log.warning("\(name) takes longer than it may")
        case .preparing(let cause): onEvent(.preparing(cause))
        case .resumed(let how):
            // What the clocks say of this sleep is no news any more.
            asleep = loop.timeAsleep
            onEvent(.resumed(how))
        case .verify: add(.ask)
        }
    }
}
