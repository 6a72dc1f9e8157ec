internal import CLinux
internal import DequeModule
internal import Glibc
import Synchronization

/// One thread that runs everything: an executor for tasks, with timers and file descriptors.
///
/// It isn't a serial executor, because each call of a nonisolated function would then enqueue the job again, four times
/// per read.
///
/// In real time, it sleeps in poll(2) on its descriptors, a timerfd and an eventfd. In virtual time, it never sleeps: when
/// no job is left, the clock jumps to the next timer. Use everything but `enqueue`, `perform` and `now` only on the loop's
/// thread.
package final class RunLoop: TaskExecutor, @unchecked Sendable {
    package enum Time: Sendable { case real, virtual }

    /// `nil` in virtual time.
    private let waiter: Waiter?
    private let owner = Atomic<UInt>(0)
    private let inbox = Mutex(Deque<Work>())
    private var local = Deque<Work>()
    private var timers = TimerHeap()
    private var virtualNow = Uptime.start
    private var virtualSleep: Duration = .zero

    enum Work {
        case job(UnownedJob)
        case action(Action)
    }

    /// A job of the loop. Only the loop's thread adds jobs that aren't sendable.
    struct Action: @unchecked Sendable { let run: () -> Void }

    /// - Throws: `RunLoopError.descriptors` when the system has no descriptors left.
    package init(_ time: Time = .real) throws(RunLoopError) {
        waiter =
            switch time {
            case .real: try Waiter()
            case .virtual: nil
            }
    }

    // MARK: Running

    /// Runs the loop on the calling thread until `body` returns.
    /// Throws the error of `body`; `RunLoopError.stalled` in virtual time when all tasks wait forever.
    package func run<Success: Sendable>(_ body: @escaping @Sendable () async throws -> Success) throws -> Success {
        owner.store(UInt(pthread_self()), ordering: .releasing)
        defer { owner.store(0, ordering: .releasing) }
        let result = Mutex<Result<Success, any Error>?>(nil)
        let ending = Ending()
        Task(executorPreference: self) {
            let outcome: Result<Success, any Error>
            do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
            result.withLock { $0 = outcome }
            ending.hasCome = true
        }
        var due = Deque<Work>()
        while true {
            runJobs(&due)
            if ending.hasCome, let outcome = result.withLock({ $0 }) { return try outcome.get() }
            try wait()
        }
    }

    /// Whether `body` has returned. Only for the loop's thread.
    private final class Ending: @unchecked Sendable { var hasCome = false }

    /// - Parameter due: an empty buffer, to reuse its memory.
    private func runJobs(_ due: inout Deque<Work>) {
        // Limit the turn: jobs that add jobs mustn't starve timers and descriptors.
        var left = 1024
        while left > 0 {
            if local.isEmpty { inbox.withLock { swap(&$0, &local) } }
            // Take all due timers at once. Timers that they add fire later.
            swap(&due, &local)
            guard !due.isEmpty else { return }
            left -= due.count
            while let work = due.popFirst() {
                switch work {
                case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
                case .action(let action): action.run()
                }
            }
        }
    }

    private func wait() throws {
        let idle = local.isEmpty && inbox.withLock { $0.isEmpty }
        if let waiter {
            waiter.wait(until: idle ? timers.earliest : .start)
        } else if idle {
            guard let next = timers.earliest, next < .never else { throw RunLoopError.stalled }
            virtualNow = max(virtualNow, next)
        }
        let now = now
        while let timer = timers.popDue(at: now) { timer.fire() }
    }

    // MARK: Executor

    package func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

    /// Runs `action` after all queued jobs.
    package func soon(_ action: @escaping () -> Void) { local.append(.action(Action(run: action))) }

    /// Runs `action` on the loop soon. Any thread may call it.
    package func perform(_ action: @escaping @Sendable () -> Void) { add(.action(Action(run: action))) }

    private func add(_ work: Work) {
        if isCurrent {
            local.append(work)
        } else {
            inbox.withLock { $0.append(work) }
            waiter?.wake()
        }
    }

    /// Whether the caller is on the loop's thread.
    package var isCurrent: Bool { owner.load(ordering: .acquiring) == UInt(pthread_self()) }

    // MARK: Time

    /// The time since the loop was created, with suspends.
    package var now: Uptime { waiter?.now ?? virtualNow }

    /// The total time that the machine was suspended since boot.
    package var timeAsleep: Duration { isVirtual ? virtualSleep : MachineClock.sinceBoot() - MachineClock.awake() }

    /// Whether the clock jumps from timer to timer.
    package var isVirtual: Bool { waiter == nil }

    /// In virtual time, suspends the machine for this long.
    package func sleepMachine(for duration: Duration) {
        virtualNow = virtualNow + duration
        virtualSleep += duration
    }

    /// Sets or changes the deadline of `timer`.
    package func arm(_ timer: LoopTimer, at deadline: Uptime) { timers.insert(timer, at: deadline) }

    package func disarm(_ timer: LoopTimer) { timers.remove(timer) }

    @discardableResult
    package func schedule(at deadline: Uptime, _ action: @escaping () -> Void) -> LoopTimer {
        let timer = ClosureTimer(action)
        arm(timer, at: deadline)
        return timer
    }

    /// Drops remaining jobs after the end of `run`.
    package func abandon() {
        timers = TimerHeap()
        local = []
    }

    // MARK: Descriptors

    /// Calls `action` with the events of poll(2) whenever `descriptor` is ready for `events`. Does nothing in virtual time,
    /// which has no descriptors.
    package func watch(_ descriptor: Int32, for events: Int16, action: @escaping (Int16) -> Void) -> Watch {
        let watch = Watch(descriptor: descriptor, events: events, action: action)
        waiter?.watches.append(watch)
        return watch
    }

    /// Ends a watch. Its action isn't called again.
    package func unwatch(_ watch: Watch) {
        watch.events = nil
        waiter?.watches.removeAll { $0 === watch }
    }
}

/// A watch of a descriptor. `events` may change at any time; `nil` ends the watch.
package final class Watch {
    package let descriptor: Int32
    package var events: Int16?
    let action: (Int16) -> Void

    init(descriptor: Int32, events: Int16, action: @escaping (Int16) -> Void) {
        self.descriptor = descriptor
        self.events = events
        self.action = action
    }
}

/// Waits in poll(2), with a timerfd on CLOCK_BOOTTIME for deadlines, and an eventfd for other threads.
private final class Waiter: @unchecked Sendable {
    private let epoch: Int64
    private let timer: Int32
    private let event: Int32
    private var armed: Uptime?
    var watches: [Watch] = []
    private var descriptors: [pollfd] = []

    init() throws(RunLoopError) {
        epoch = MachineClock.sinceBootNanoseconds()
        timer = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        guard timer >= 0 else { throw .descriptors(errno) }
        event = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard event >= 0 else {
            let code = errno
            close(timer)
            throw .descriptors(code)
        }
    }

    deinit {
        close(timer)
        close(event)
    }

    var now: Uptime { Uptime(nanoseconds: MachineClock.sinceBootNanoseconds() - epoch) }

    /// Sleeps until `deadline`, or until a descriptor is ready, and calls the watches' actions. `nil` is no deadline.
    func wait(until deadline: Uptime?) {
        let polling = deadline == .start
        if !polling { arm(deadline) }
        collect()
        let ready = poll(&descriptors, nfds_t(descriptors.count), polling ? 0 : -1)
        guard ready > 0 else { return }
        if descriptors[0].revents != 0 {
            drain(timer)
            armed = nil
        }
        if descriptors[1].revents != 0 { drain(event) }
        for (index, watch) in watches.enumerated() {
            let happened = descriptors[index + 2].revents
            if happened != 0, watch.events != nil { watch.action(happened) }
        }
    }

    func wake() {
        var one: UInt64 = 1
        _ = write(event, &one, 8)
    }

    private func collect() {
        descriptors.removeAll(keepingCapacity: true)
        descriptors.append(pollfd(fd: timer, events: Int16(POLLIN), revents: 0))
        descriptors.append(pollfd(fd: event, events: Int16(POLLIN), revents: 0))
        for watch in watches {
            // A watch without events keeps its index. Its descriptor is negative, so that poll(2) skips it.
            let events = watch.events ?? 0
            descriptors.append(pollfd(fd: events == 0 ? -1 : watch.descriptor, events: events, revents: 0))
        }
    }

    /// Sets the timer, if the deadline changed.
    private func arm(_ deadline: Uptime?) {
        let wanted = deadline.flatMap { $0 == .never ? nil : $0 }
        guard wanted != armed else { return }
        armed = wanted
        let moment = wanted.map { max(1, $0.nanoseconds &+ epoch) } ?? 0
        var setting = itimerspec()
        setting.it_value = timespec(tv_sec: Int(moment / 1_000_000_000), tv_nsec: Int(moment % 1_000_000_000))
        timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }

    private func drain(_ descriptor: Int32) {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}

/// The reason why a loop can't continue.
package enum RunLoopError: Error, Equatable, CustomStringConvertible {
    /// The system has no descriptors left, with this errno.
    case descriptors(Int32)
    /// In virtual time, all tasks wait forever.
    case stalled

    package var description: String {
        switch self {
        case .descriptors(let code): "the system has no descriptors left: \(String(cString: strerror(code)))"
        case .stalled: "all tasks wait forever"
        }
    }
}
