internal import CLinux
internal import Glibc
import Synchronization

/// The end of the process by SIGTERM or SIGINT. The first signal requests it, and a second one ends the process at once.
///
/// Signals within 200 ms count as one: timeout(1) signals its program and then its process group, and Ctrl-C may come from
/// the terminal and from a parent that forwards it.
package enum Termination {
    private static let repetition: Duration = .milliseconds(200)

    /// The time that outputs wait for their readers after the first signal.
    package static let limit: Duration = .milliseconds(1500)

    /// The time of the first signal in nanoseconds since boot; 0 before it.
    private static let request = Atomic<Int64>(0)

    /// Whether a signal requested the end.
    package static var isRequested: Bool { request.load(ordering: .relaxed) != 0 }

    /// The remaining time for poll(2); -1 without a limit before the first signal.
    static var millisecondsLeft: Int32 {
        let since = request.load(ordering: .relaxed)
        guard since != 0 else { return -1 }
        let left = limit - .nanoseconds(now - since)
        return Int32(max(.zero, left) / .milliseconds(1))
    }

    static func begin() { _ = request.compareExchange(expected: 0, desired: now, ordering: .relaxed) }

    /// Makes these signals end the process. Repetitions of the first signal don't count.
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

    private static var now: Int64 { MachineClock.sinceBootNanoseconds() }
}

extension RunLoop {
    /// Calls `action` for the first of these signals. A second one ends the process.
    ///
    /// Call it before starting threads.
    package func onTermination(_ numbers: [Int32], action: @escaping (Int32) -> Void) throws(RunLoopError) -> Watch {
        try onSignals(numbers) { number in
            Termination.begin()
            action(number)
            Termination.release(numbers)
        }
    }
}
