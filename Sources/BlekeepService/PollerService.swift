import BlekeepRecords
import DBus
import Logging
import RunLoop

/// What callers of the service control.
package protocol ServedPoller: AnyObject {
    /// Carries out a command.
    ///
    /// - Parameter answer: called once: with the bytes that were written, if any; or with a failure.
    func obey(_ command: DeviceCommand, answer: @escaping (Result<[UInt8], ReadingFailure>) -> Void)

    /// Reads the configuration again.
    func reload() throws(ReloadFailure)
}

/// blekeep's own service on the message bus, `org.blekeep`. It has a connection of its own, so that its callers don't
/// disturb the work with BlueZ.
package final class PollerService: @unchecked Sendable {
    /// Give it to the poller, whose readings and ledger it follows.
    package let sink = ServiceSink()
    private let connect: @Sendable () async throws(BusError) -> any Bus
    private let loop: RunLoop
    private let log: Logger
    private let calls: ServiceCalls
    private let objects: ServiceObjects
    private var listeners = ServiceListeners()
    private var callers = Callers()
    private var bus: (any Bus)?
    private let event: Gate
    private var isStopping = false
    private var isLost = false

    /// - Parameters:
    ///   - place: the path of the configuration's file or folder; empty without one.
    ///   - connect: connects to the bus. Called again after each loss.
    package init(
        _ configuration: PollConfiguration, from place: String = "", version: String, on loop: RunLoop, log: Logger,
        connect: @escaping @Sendable () async throws(BusError) -> any Bus
    ) {
        self.connect = connect
        self.loop = loop
        self.log = log
        event = Gate(loop)
        calls = ServiceCalls(on: loop)
        objects = ServiceObjects(configuration, from: place, version: version)
        calls.onCall = { [unowned self] in event.open() }
        calls.user = { [unowned self] in callers.user(of: $0) }
        objects.onCall = { [unowned self] in calls.receive($0, of: $1, devices: $2) }
        sink.onChanges = { [unowned self] in emit(objects.apply($0)) }
        sink.onReadings = { [unowned self] in emit(objects.apply($0, wantsSignals: !listeners.isEmpty)) }
    }

    package func apply(_ configuration: PollConfiguration) {
        let (signals, joined, left) = objects.apply(configuration.devices, gateway: configuration.gateway)
        for path in left { bus?.withdraw(path) }
        for object in joined { bus?.export(object) }
        emit(signals)
    }

    /// Why `run` ended.
    package enum End: Sendable {
        case stopped
        /// Another program has the name.
        case taken
        /// The message bus doesn't let this user have the name.
        case refused
    }

    /// Serves until `stop` is called, and connects again after each loss.
    package func run(serving poller: any ServedPoller) async -> End {
        calls.poller = poller
        defer { calls.poller = nil }
        var pause = RetryPause(from: .milliseconds(500), upTo: .seconds(30))
        while !isStopping {
            do throws(BusError) {
                let bus = try await connect()
                guard !isStopping else {
                    bus.close()
                    return .stopped
                }
                pause.succeed()
                self.bus = bus
                defer { bus.close() }
                guard try await begin(on: bus) else { return .taken }
                await serve(on: bus)
            } catch {
                log.debug("can't offer \(Poller1.service): \(error)")
                if case .remote("org.freedesktop.DBus.Error.AccessDenied", _) = error {
                    log.info("the message bus doesn't let this user offer \(Poller1.service)")
                    return .refused
                }
            }
            bus = nil
            guard !isStopping else { return .stopped }
            try? await loop.sleep(until: loop.now + pause.next())
        }
        return .stopped
    }

    /// Ends `run`. The callers get their answers before.
    package func stop() {
        isStopping = true
        event.open()
    }

    /// - Returns: `false` when another program has the name.
    private func begin(on bus: any Bus) async throws(BusError) -> Bool {
        isLost = false
        bus.onClose = { [weak self] in
            self?.isLost = true
            self?.event.open()
        }
        callers = Callers()
        bus.admits = { [weak self] in self?.admission(of: $0) ?? .ignore }
        for object in objects.all { bus.export(object) }
        return try await bus.own(Poller1.service)
    }

    private func serve(on bus: any Bus) async {
        await withDiscardingTaskGroup { group in
            while !isStopping, !isLost {
                if let call = calls.next() {
                    group.addTask { await self.calls.answer(call, on: bus) }
                } else if let sender = callers.nextQuery() {
                    group.addTask { await self.identify(sender, on: bus) }
                } else if loop.now >= listeners.nextCheck {
                    let names = listeners.check(at: loop.now)
                    group.addTask { await self.check(names, on: bus) }
                } else {
                    await event.wait(until: listeners.nextCheck)
                }
            }
            calls.refuseAll()
            // Ends calls in progress.
            bus.close()
        }
        listeners = ServiceListeners()
    }

    /// Forgets the programs that have left the bus.
    private func check(_ names: [BusName], on bus: any Bus) async {
        for name in names {
            do throws(BusError) {
                _ = try await bus.daemon.call(BusDaemon.getNameOwner, name.text, within: .seconds(5))
            } catch { if case .remote = error { listeners.left(name) } }
        }
    }

    private func admission(of sender: BusName) -> Admission {
        let admission = callers.admission(of: sender, at: loop.now)
        switch admission {
        case .answer:
            let wasEmpty = listeners.isEmpty
            listeners.heard(sender, at: loop.now)
            if wasEmpty { event.open() }
        case .wait: event.open()
        case .refuse, .ignore: break
        }
        return admission
    }

    /// Finds the user of a program, whose calls wait for that.
    private func identify(_ sender: BusName, on bus: any Bus) async {
        let user = try? await bus.daemon.call(BusDaemon.getConnectionUnixUser, sender.text, within: .seconds(5))
        callers.know(sender, user: user)
        bus.release(sender, answering: user != nil)
    }

    private func emit(_ signals: [Signal]) {
        guard !listeners.isEmpty, let bus else { return }
        for signal in signals { bus.emit(signal) }
    }
}

/// The programs that called the service and are still connected to the bus. Signals are sent only while there are any. Pure.
struct ServiceListeners {
    /// The names of connections; the daemon never gives one twice.
    private(set) var names: [BusName] = []
    /// When to ask the daemon which of them are still connected.
    private(set) var nextCheck = Uptime.never

    static let maxListeners = 32
    static let pause: Duration = .seconds(300)

    var isEmpty: Bool { names.isEmpty }

    /// Takes a call. When there are too many programs, the oldest makes room.
    mutating func heard(_ sender: BusName, at now: Uptime) {
        if names.contains(sender) { return }
        if names.isEmpty { nextCheck = now + Self.pause }
        if names.count == Self.maxListeners { names.removeFirst() }
        names.append(sender)
    }

    mutating func check(at now: Uptime) -> [BusName] {
        nextCheck = now + Self.pause
        return names
    }

    /// Removes a program that has left the bus.
    mutating func left(_ name: BusName) {
        names.removeAll { $0 == name }
        if names.isEmpty { nextCheck = .never }
    }
}

/// Follows the readings and the ledger for the service. It keeps only the newest values.
package final class ServiceSink: Sink {
    package let name = "dbus"
    package let delivery = SinkDelivery.liveOnly
    package let isReported = false
    /// Called with new readings, and with what the history holds now.
    var onReadings: (([LiveReading]) -> Void)?
    var onChanges: ((LedgerChanges) -> Void)?

    package func send(_ readings: [LiveReading], isLive: Bool, key: Int?) { onReadings?(readings) }

    package func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) { onChanges?(changes) }
}
