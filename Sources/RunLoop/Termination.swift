internal import Glibc
import Synchronization

/// The end of the process by SIGTERM or SIGINT: the first signal asks for it, a second one ends the process at once.
///
/// What comes within 200 ms is the first signal again: timeout(1) signals its program and then its process
/// group, and Ctrl-C reaches a program both from the terminal and through a parent that passes signals on.
package enum Termination {
    private static let repetition: Duration = .milliseconds(200)

    /// How long outputs wait for their readers after the first signal.
    package static let limit: Duration = .milliseconds(1500)

    /// When the first signal came, in nanoseconds since the machine was started; 0: none has come.
    private static let request = Atomic<Int64>(0)

    /// Whether the process was asked to end.
    package static var isRequested: Bool { request.load(ordering: .relaxed) != 0 }

    /// How long the process still has, for poll(2): -1, without end, unless it was asked to end.
    static var millisecondsLeft: Int32 {
        let since = request.load(ordering: .relaxed)
        guard since != 0 else { return -1 }
        let left = limit - .nanoseconds(now - since)
        return Int32(max(.zero, left) / .milliseconds(1))
    }

    static func begin() { _ = request.compareExchange(expected: 0, desired: now, ordering: .relaxed) }

    /// Lets these signals end the process, one that waits at once; but not while they repeat the first one.
    package static func release(_ numbers: [Int32] = [SIGINT, SIGTERM]) {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers {
            signal(number) { number in
                // Only system calls here: the signal may have interrupted anything.
                guard !Termination.isRepetition else { return }
                signal(number, SIG_DFL)
                raise(number)
            }
            sigaddset(&set, number)
        }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    private static var isRepetition: Bool {
        let since = request.load(ordering: .relaxed)
        return since != 0 && .nanoseconds(now - since) < repetition
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension RunLoop {
    /// Calls `action` for the first of these signals. Whatever the process waits for then, a second one ends it.
    ///
    /// Call it before any thread is started.
    package func onTermination(
        _ numbers: [Int32], _ action: @escaping (Int32) -> Void
    ) throws(RunLoopError) -> Watch {
        try onSignals(numbers) { number in
            Termination.begin()
            action(number)
            Termination.release(numbers)
        }
    }
}
