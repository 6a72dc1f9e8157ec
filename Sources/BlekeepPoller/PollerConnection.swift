import DBus
import Logging
import RunLoop

/// The poller's connection to the message bus. It connects again after each loss.
final class PollerConnection: @unchecked Sendable {
    private let connect: @Sendable () async throws(BusError) -> any Bus
    private let loop: RunLoop
    private let log: Logger
    private let workers: DeviceWorkers
    private let power: PowerMonitor
    private let sleep: SleepMonitor
    private let post: (Event) -> Void
    /// The work on the current connection.
    private(set) var session: Session?
    private var isStopping = false
    /// Whether a new connection replaces the current one.
    private var isRenewing = false

    /// - Parameter connect: connects to the bus. Called again after each loss.
    init(
        _ workers: DeviceWorkers, power: PowerMonitor, sleep: SleepMonitor,
        on loop: RunLoop, log: Logger, post: @escaping (Event) -> Void,
        connect: @escaping @Sendable () async throws(BusError) -> any Bus
    ) {
        self.connect = connect
        self.loop = loop
        self.log = log
        self.workers = workers
        self.power = power
        self.sleep = sleep
        self.post = post
    }

    /// Connects, and again after each loss, until `stop` is called.
    func run() async {
        var pause = RetryPause(from: Timing.firstBusPause, upTo: Timing.maxBusPause)
        while !isStopping {
            var start: Uptime?
            do throws(BusError) {
                let bus = try await connect()
                // `stop` was called while connecting, and couldn't close this connection.
                guard !isStopping else { return bus.close() }
                start = loop.now
                let former = session?.central.mirror.owner
                session = nil
                try await live(on: bus, inPlaceOf: former)
                if isRenewing { continue }
            } catch {
                guard !isStopping else { return }
                isRenewing = false
                log.debug("\(error)")
                post(.lost(.bus("\(error)")))
            }
            session = nil
            // A connection that ends soon is no success.
            if let start, loop.now - start >= Timing.lasting { pause.succeed() }
            try? await loop.sleep(until: loop.now + pause.next())
        }
    }

    func stop() {
        isStopping = true
        session?.central.close()
    }

    /// Replaces the connection by a new one.
    func renew() {
        log.debug("making a new connection to the message bus: calls without a reply have used up the old one")
        isRenewing = true
        session?.central.stop()
    }

    /// Follows the devices of a new configuration. A new snapshot comes soon.
    func watchDevices() {
        session?.central.watched?.replace(with: workers.watched)
        session?.central.mirror.refresh()
    }

    /// Asks the bus to start bluetoothd, because nothing else restarts it after a crash.
    func activate() async {
        guard let central = session?.central else { return }
        do throws(BusError) { try await central.activate(within: .seconds(30)) } catch {
            log.debug("can't start bluetoothd: \(error)")
        }
    }

    /// - Parameter formerBluez: the owner of BlueZ's name on the connection that this one replaces.
    private func live(on bus: any Bus, inPlaceOf formerBluez: BusName?) async throws(BusError) {
        let events = SessionEvents(workers, replacing: isRenewing ? formerBluez : nil, on: loop, post: post)
        let central = CentralCore(on: bus, watching: workers.watched) { central, event in
            events.handle(event, of: central)
        }
        session = Session(central, post: post)
        bus.onPressure = { [post] in post(.pressure($0)) }
        if !isRenewing { post(.lost(.bluez)) }
        isRenewing = false
        let outcome: Result<Void, BusError> = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await events.arrival.wait()
                await central.refusals.start()
            }
            group.addTask { await central.followAliases() }
            group.addTask { await self.power.run(on: bus) }
            group.addTask { await self.sleep.run(on: bus) }
            defer {
                // The tasks of this connection end with it.
                central.close()
                workers.unbind()
                events.arrival.open()
                power.stop()
                sleep.stop()
            }
            do throws(BusError) { return .success(try await central.run()) } catch { return .failure(error) }
        }
        try outcome.get()
    }
}
