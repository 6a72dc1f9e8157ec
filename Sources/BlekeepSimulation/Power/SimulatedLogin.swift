import Blekeep
import DBus
import Glibc
import RunLoop

/// logind as far as sleep goes: delay locks, and a suspend that waits for them up to its limit.
package final class SimulatedLogin: @unchecked Sendable {
    /// One suspend, from PrepareForSleep(true) on.
    package struct Delay: Sendable, Hashable {
        package var begin: Uptime
        /// How many locks were held then.
        package var locks: Int
        package var waited: Duration
        /// How long a lock was held of it.
        package var held = Duration.zero
        /// Whether a lock was still held when the limit was reached.
        package var isOverrun: Bool
    }

    package let limit: Duration
    package private(set) var delays: [Delay] = []
    package private(set) var isPreparing = false
    /// How often it has said that a sleep or a shutdown begins or ends, whether true or not.
    package private(set) var announcements = 0
    /// For how long the machine was awake when it said so of a beginning last.
    private var lastBegin: Duration?
    private let connect: @Sendable () async throws(BusError) -> any Bus
    private var bus: (any Bus)?
    private var locks: [Lock] = []
    /// Another program holds a lock and lets it go for nothing.
    package var hasStubbornProgram = false

    /// A lock is released when its other end is closed. Inside one process that end is one object, and its life
    /// tells: a child that another test forks keeps the descriptor open for a moment, which in virtual time is long.
    private struct Lock {
        let end: FileHandle
        weak var other: FileHandle?
    }

    package init(limit: Duration = .seconds(5), connect: @escaping @Sendable () async throws(BusError) -> any Bus) {
        self.limit = limit
        self.connect = connect
    }

    package func start() async throws(BusError) {
        guard bus == nil else { return }
        let bus = try await connect()
        self.bus = bus
        bus.onClose = { [weak self] in self?.bus = nil }
        let manager = ExportedInterface(Login1Manager.self)
        manager.serve(Login1Manager.onExternalPower) { true }
        // A daemon that has just been started prepares for nothing.
        isPreparing = false
        locks = []
        manager.serve(Login1Manager.preparingForSleep) { [unowned self] in self.isPreparing }
        manager.serve(Login1Manager.preparingForShutdown) { false }
        manager.serve(Login1Manager.inhibitDelayMaxUSec) { [unowned self] in
            UInt64(clamping: self.limit.wholeNanoseconds / 1000)
        }
        manager.handle(Login1Manager.inhibit) { [unowned self] in self.inhibit($0) }
        bus.export(ExportedObject(Login1Manager.path, [manager]))
        try await bus.claim(Login1Manager.service)
    }

    package func stop() {
        bus?.close()
        bus = nil
    }

    package var isRunning: Bool { bus != nil }

    private var awake: Duration? { (bus?.loop).map { $0.now.sinceStart - $0.timeAsleep } }

    /// How long the machine has been awake since a sleep or a shutdown was last said to begin.
    package var sinceBegin: Duration? { lastBegin.flatMap { begin in awake.map { $0 - begin } } }

    /// How many locks are held.
    package var held: Int {
        locks.removeAll { isReleased($0) }
        return locks.count
    }

    /// The machine sleeps for so long, after those who hold locks let it. In real time only PrepareForSleep tells of it.
    package func suspend(for duration: Duration) async throws {
        guard let bus else { return }
        let end = Gate(bus.loop)
        beginSuspend(for: duration) { end.open() }
        await end.wait()
    }

    /// The same without waiting for the end. Nothing happens while another sleep is under way.
    package func beginSuspend(for duration: Duration, then: @escaping () -> Void = {}) {
        guard let bus, !isPreparing else { return then() }
        isPreparing = true
        tell(Login1Manager.prepareForSleep.name, true)
        waitForLocks(Delay(begin: bus.loop.now, locks: held, waited: .zero, isOverrun: false), duration, then)
    }

    private func waitForLocks(_ delay: Delay, _ duration: Duration, _ then: @escaping () -> Void) {
        guard let loop = bus?.loop else { return then() }
        var delay = delay
        delay.waited = loop.now - delay.begin
        if held > 0 { delay.held = delay.waited }
        if held > 0 || hasStubbornProgram, delay.waited < limit {
            loop.schedule(at: loop.now + .milliseconds(10)) { [weak self] in
                self?.waitForLocks(delay, duration, then)
            }
            return
        }
        delay.isOverrun = held > 0
        delays.append(delay)
        if loop.isVirtual { loop.sleepMachine(for: duration) }
        loop.schedule(at: loop.isVirtual ? loop.now : loop.now + duration) { [weak self] in
            if let self, self.isPreparing {
                self.isPreparing = false
                self.tell(Login1Manager.prepareForSleep.name, false)
            }
            then()
        }
    }

    /// PrepareForSleep or PrepareForShutdown, whatever is true.
    package func tell(_ signal: MemberName, _ isBegin: Bool) {
        announcements += 1
        if isBegin { lastBegin = awake }
        bus?.emit(Signal(Login1Manager.path, Login1Manager.name, signal, [isBegin.value]))
    }

    private func inhibit(_ call: Invocation) {
        guard !isPreparing else {
            return call.fail(
                "org.freedesktop.login1.OperationInProgress",
                "The operation inhibition has been requested for is "
                    + "already running")
        }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            return call.fail("org.freedesktop.DBus.Error.LimitsExceeded", "No descriptors left")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let other = FileHandle(owning: ends[1])
        locks.append(Lock(end: FileHandle(owning: ends[0]), other: other))
        call.reply(other)
    }

    private func isReleased(_ lock: Lock) -> Bool {
        if bus is LoopbackBus { return lock.other == nil }
        var descriptor = pollfd(fd: lock.end.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0 && descriptor.revents & Int16(POLLHUP) != 0
    }
}
