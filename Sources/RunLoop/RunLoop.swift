internal import DequeModule
internal import Glibc
import Synchronization

/// One thread that runs everything: an executor for tasks, with timers and file descriptors.
///
/// It isn't a serial executor, because each call of a nonisolated function would then enqueue the job again, four times
/// per read.
///
/// In real time it sleeps in poll(2) on its descriptors, a timerfd and an eventfd. In virtual time it never sleeps:
/// when no job is left, the clock jumps to the next timer. Everything but `enqueue`, `perform` and `now` is to be
/// used on the loop's own thread only.
package final class RunLoop: TaskExecutor, @unchecked Sendable {
    package enum Time: Sendable { case real, virtual }

    private let waiter: (any Waiter)?
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

    /// Left by any thread if it is sendable, else by the loop's own for itself.
    struct Action: @unchecked Sendable { let run: () -> Void }

    /// - Throws: `RunLoopError.descriptors` when the system has no descriptors left.
    package init(_ time: Time = .real) throws(RunLoopError) {
        waiter =
            switch time {
            case .real: try PollWaiter()
            case .virtual: nil
            }
    }

    // MARK: Running

    /// Runs `body` on the calling thread until it returns, and with it everything else that the loop has to do.
    ///
    /// - Throws: what `body` throws; `RunLoopError.stalled` in virtual time when nothing could ever wake it.
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

    /// Whether what the loop was to run is done; known on its thread only.
    private final class Ending: @unchecked Sendable { var hasCome = false }

    /// - Parameter due: empty before and after; its memory is used again.
    private func runJobs(_ due: inout Deque<Work>) {
        // A bounded turn: jobs that make jobs must not keep timers and descriptors from their turn.
        var left = 1024
        while left > 0 {
            if local.isEmpty { inbox.withLock { swap(&$0, &local) } }
            // All at once: what they add comes after them in any case.
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

    /// Runs `action` after everything that is to be run already.
    package func soon(_ action: @escaping () -> Void) { local.append(.action(Action(run: action))) }

    /// Runs `action` on the loop, soon; may be called on any thread.
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

    /// The time since the loop was made; counts on while the machine is suspended.
    package var now: Uptime { waiter?.now ?? virtualNow }

    /// How long the machine has slept since it was started; it grows with nothing else.
    package var timeAsleep: Duration { waiter?.timeAsleep ?? virtualSleep }

    /// Whether the clock jumps from timer to timer.
    package var isVirtual: Bool { waiter == nil }

    /// Virtual time only: the machine sleeps for so long, and nobody notices before it has.
    package func sleepMachine(for duration: Duration) {
        virtualNow = virtualNow + duration
        virtualSleep += duration
    }

    /// Lets `timer` fire at `deadline`, instead of any deadline that it had.
    package func arm(_ timer: LoopTimer, at deadline: Uptime) { timers.insert(timer, at: deadline) }

    package func disarm(_ timer: LoopTimer) { timers.remove(timer) }

    /// Runs `action` once, at `deadline`.
    @discardableResult
    package func schedule(at deadline: Uptime, _ action: @escaping () -> Void) -> LoopTimer {
        let timer = ClosureTimer(action)
        arm(timer, at: deadline)
        return timer
    }

    /// Forgets what was still to be run, after the end of `run`.
    package func abandon() {
        timers = TimerHeap()
        local = []
    }

    // MARK: Descriptors

    /// Calls `action` with what poll(2) says about `descriptor` whenever it is ready for `events`.
    /// In virtual time there are no descriptors: the call is ignored.
    package func watch(_ descriptor: Int32, for events: Int16, _ action: @escaping (Int16) -> Void) -> Watch {
        let watch = Watch(descriptor: descriptor, events: events, action: action)
        waiter?.add(watch)
        return watch
    }

    /// Ends a watch; its action is not called again.
    package func unwatch(_ watch: Watch) {
        watch.events = nil
        waiter?.remove(watch)
    }
}

/// Why a loop cannot go on.
package enum RunLoopError: Error, Equatable {
    /// The system gave no descriptor; the number is errno.
    case descriptors(Int32)
    /// Virtual time only: every task waits for something that cannot happen any more.
    case stalled
}
