import BlekeepRecords
import DBus
import Glibc
import RunLoop

/// The sleep part of logind: delay locks, and suspends that wait for them up to a limit.
package final class SimulatedLogin: @unchecked Sendable {
    /// A suspend, from PrepareForSleep(true) on.
    package struct Delay: Sendable, Hashable {
        package var begin: Uptime
        /// The number of held locks at that time.
        package var locks: Int
        package var waited: Duration
        /// The time for which a lock delayed it.
        package var held = Duration.zero
        /// Whether a lock was still held when the limit was reached.
        package var isOverrun: Bool
    }

    package let limit: Duration
    package private(set) var delays: [Delay] = []
    package private(set) var isPreparing = false
    /// The number of announcements of a sleep or a shutdown, true or not.
    package private(set) var announcements = 0
    /// The time awake at the last announcement of a beginning.
    private var lastBegin: Duration?
    private let connect: @Sendable () async throws(BusError) -> any Bus
    private var bus: (any Bus)?
    private var locks: [Lock] = []
    /// The lock of another program, which never releases it.
    package var hasStubbornProgram = false

    /// A lock ends when its other end is closed. In one process, it ends when that object is released, because a child
    /// that another test forked may keep the descriptor open for a moment, which is long in virtual time.
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
        // A restarted daemon prepares for no sleep.
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

    /// The time awake since the last announcement of a beginning.
    package var sinceBegin: Duration? { lastBegin.flatMap { begin in awake.map { $0 - begin } } }

    /// The number of held locks.
    package var held: Int {
        locks.removeAll { isReleased($0) }
        return locks.count
    }

    /// The machine sleeps for this long, after the delay locks. In real time, there is only the signal PrepareForSleep.
    package func suspend(for duration: Duration) async throws {
        guard let bus else { return }
        let end = Gate(bus.loop)
        beginSuspend(for: duration) { end.open() }
        await end.wait()
    }

    /// Sleeps without waiting for the end. Does nothing during another sleep.
    package func beginSuspend(for duration: Duration, then: @escaping () -> Void = {}) {
        guard let bus, !isPreparing else { return then() }
        isPreparing = true
        tell(Login1Manager.prepareForSleep.name, isBegin: true)
        waitForLocks(
            Delay(begin: bus.loop.now, locks: held, waited: .zero, isOverrun: false), duration: duration, then: then)
    }

    private func waitForLocks(_ delay: Delay, duration: Duration, then: @escaping () -> Void) {
        guard let loop = bus?.loop else { return then() }
        var delay = delay
        delay.waited = loop.now - delay.begin
        if held > 0 { delay.held = delay.waited }
        if held > 0 || hasStubbornProgram, delay.waited < limit {
            loop.schedule(at: loop.now + .milliseconds(10)) { [weak self] in
                self?.waitForLocks(delay, duration: duration, then: then)
            }
            return
        }
        delay.isOverrun = held > 0
        delays.append(delay)
        if loop.isVirtual { loop.sleepMachine(for: duration) }
        loop.schedule(at: loop.isVirtual ? loop.now : loop.now + duration) { [weak self] in
            if let self, self.isPreparing {
                self.isPreparing = false
                self.tell(Login1Manager.prepareForSleep.name, isBegin: false)
            }
            then()
        }
    }

    /// Sends PrepareForSleep or PrepareForShutdown, true or not.
    package func tell(_ signal: MemberName, isBegin: Bool) {
        announcements += 1
        if isBegin { lastBegin = awake }
        bus?.emit(Signal(Login1Manager.path, interface: Login1Manager.name, member: signal, arguments: [isBegin.value]))
    }

    private func inhibit(_ call: Invocation) {
        guard !isPreparing else {
            return call.fail(
                "org.freedesktop.login1.OperationInProgress",
                message: "The operation inhibition has been requested for is "
                    + "already running")
        }
        // What logind 252 answers to a user without a session, who may not handle the lid switch.
        guard case .string(let events)? = call.arguments.first, !events.contains(":") else {
            return call.fail("org.freedesktop.DBus.Error.AccessDenied", message: "Permission denied")
        }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            return call.fail("org.freedesktop.DBus.Error.LimitsExceeded", message: "No descriptors left")
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
