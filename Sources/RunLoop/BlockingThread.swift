internal import Glibc

/// A thread of its own for calls that may block for long, such as writes to a disk: one call at a time. The loop waits for a
/// short one, and goes on while a long one lasts.
///
/// In virtual time there is no thread: a call runs at once, and takes `virtualLength`. Use it on the loop's thread only.
package final class BlockingThread: @unchecked Sendable {
    private let loop: RunLoop
    private let mailbox = Mailbox()
    private var hasThread = false
    /// What to do at the end of the call in progress.
    private var done: (() -> Void)?
    /// The number of the call in progress.
    private var number = 0
    /// The end of the call in progress, without a thread.
    private var end = Uptime.start

    /// Returns how long a call takes in virtual time.
    package var virtualLength: () -> Duration = { .zero }

    package init(on loop: RunLoop) { self.loop = loop }

    deinit { mailbox.end() }

    /// Whether a call is in progress.
    package var isBusy: Bool { done != nil }

    /// Runs `body` on the thread, and then `done` on the loop. Only when no call is in progress.
    ///
    /// When the system has no thread left, `body` runs at once.
    ///
    /// - Returns: whether it ended within `patience`, and with that `done`.
    package func run<Outcome: Sendable>(
        atMost patience: Duration, _ body: @escaping @Sendable () -> Outcome, then done: @escaping (Outcome) -> Void
    ) -> Bool {
        let result = Late<Outcome>()
        number += 1
        self.done = { if let outcome = result.outcome { done(outcome) } }
        if !loop.isVirtual, !hasThread {
            hasThread = (try? LoopThread.start { [mailbox] in mailbox.work() }) != nil
        }
        if hasThread {
            mailbox.put { result.outcome = body() }
        } else {
            result.outcome = body()
            end = loop.now + (loop.isVirtual ? virtualLength() : .zero)
        }
        let number = number
        // Its end may have begun another call.
        return wait(atMost: patience) || number != self.number
    }

    /// Waits for the end of the call in progress, and handles it.
    ///
    /// - Returns: whether no call is in progress any more, also none that the end of this one began. Otherwise, the loop
    ///   handles its end later.
    package func wait(atMost patience: Duration) -> Bool {
        guard isBusy else { return true }
        let number = number
        if hasThread {
            let isOver = mailbox.wait(atMost: max(.zero, patience)) { [loop] in
                loop.perform { self.finish(number) }
            }
            guard isOver else { return false }
        } else if end > loop.now {
            loop.schedule(at: end) { self.finish(number) }
            return false
        }
        finish(number)
        return !isBusy
    }

    private func finish(_ number: Int) {
        guard number == self.number, let done else { return }
        self.done = nil
        done()
    }

    /// Written on one thread and later read on another.
    private final class Late<Outcome>: @unchecked Sendable { var outcome: Outcome? }

    /// What the loop and the thread share.
    private final class Mailbox: @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let change = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        // Used with the mutex.
        private var call: (@Sendable () -> Void)?
        /// Called on the thread at the end of the call; `nil` while the loop waits for it.
        private var onLateEnd: (@Sendable () -> Void)?
        private var isEnding = false

        init() {
            pthread_mutex_init(mutex, nil)
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            // A wait mustn't depend on the time of day.
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(change, &attributes)
        }

        deinit {
            pthread_cond_destroy(change)
            change.deallocate()
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        private func locked<Result>(_ body: () -> Result) -> Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return body()
        }

        func put(_ call: @escaping @Sendable () -> Void) {
            locked {
                self.call = call
                pthread_cond_broadcast(change)
            }
        }

        func end() {
            locked {
                isEnding = true
                pthread_cond_broadcast(change)
            }
        }

        /// - Returns: whether the call is over. Otherwise `onLateEnd` will be called.
        func wait(atMost patience: Duration, else onLateEnd: @escaping @Sendable () -> Void) -> Bool {
            var end = timespec()
            clock_gettime(CLOCK_MONOTONIC, &end)
            let nanoseconds = Int64(end.tv_nsec) + patience.wholeNanoseconds
            end.tv_sec += Int(nanoseconds / 1_000_000_000)
            end.tv_nsec = Int(nanoseconds % 1_000_000_000)
            return locked {
                self.onLateEnd = nil
                while call != nil {
                    guard pthread_cond_timedwait(change, mutex, &end) == ETIMEDOUT, call != nil else { continue }
                    self.onLateEnd = onLateEnd
                    return false
                }
                return true
            }
        }

        /// Runs calls until `end`.
        func work() {
            // Signals are for the loop's thread.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
            while let call = next() {
                call()
                let signal = locked {
                    self.call = nil
                    pthread_cond_broadcast(change)
                    defer { onLateEnd = nil }
                    return onLateEnd
                }
                signal?()
            }
        }

        private func next() -> (@Sendable () -> Void)? {
            locked {
                while call == nil, !isEnding { pthread_cond_wait(change, mutex) }
                return call
            }
        }
    }
}
