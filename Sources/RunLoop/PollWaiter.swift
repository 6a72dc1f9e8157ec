internal import CLinux
internal import Glibc

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

/// The way in which a run loop waits.
protocol Waiter: AnyObject, Sendable {
    var now: Uptime { get }
    var timeAsleep: Duration { get }
    func wait(until deadline: Uptime?)
    func wake()
    func add(_ watch: Watch)
    func remove(_ watch: Watch)
}

/// Waits in poll(2), with a timerfd on CLOCK_BOOTTIME for deadlines, and an eventfd for other threads.
final class PollWaiter: Waiter, @unchecked Sendable {
    private let epoch: Int64
    private let timer: Int32
    private let event: Int32
    private var armed: Uptime?
    private var watches: [Watch] = []
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

    var timeAsleep: Duration {
        .nanoseconds(MachineClock.sinceBootNanoseconds() - MachineClock.awakeNanoseconds())
    }

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

    func add(_ watch: Watch) { watches.append(watch) }

    func remove(_ watch: Watch) { watches.removeAll { $0 === watch } }

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
