import DBus
import Logging
import RunLoop
import Synchronization

/// The power and the sleep of the machine, for a `KeepAlive`, over its own connection to the system bus.
///
/// The bus, UPower and logind may be missing. Use everything except `remaining` on the run loop.
final class Machine: @unchecked Sendable {
    private let loop: RunLoop
    private var power: PowerMonitor!
    private var sleep: SleepMonitor!
    private let deadline = Mutex<Uptime?>(nil)
    private let onResume: () -> Void
    /// Sets the machine's wake-up timer; `nil` to let the machine sleep.
    private let wake: ((Duration?) -> Void)?
    var nextTick = Uptime.never

    /// - Parameters:
    ///   - onChange: called when the power mode changes.
    ///   - onResume: called after the machine's sleep.
    ///   - wake: sets the machine's wake-up timer, or clears it with `nil`.
    init(
        on loop: RunLoop, onChange: @escaping () -> Void = {}, onResume: @escaping () -> Void = {},
        wake: ((Duration?) -> Void)? = nil
    ) {
        self.loop = loop
        self.onResume = onResume
        self.wake = wake
        power = PowerMonitor(on: loop) { _ in onChange() }
        sleep = SleepMonitor(on: loop, log: Logger(label: "blekeep")) { [unowned self] in self.handle($0) }
    }

    func handle(_ event: SleepMonitor.Event) {
        switch event {
        case .preparing:
            // Only open sections delay the sleep. There is nothing else to release here.
            let end = loop.now + (sleep.remaining ?? .zero)
            deadline.withLock { $0 = end }
            wake?(WakePlan.delay(nextTick: nextTick, mode: mode, at: loop.now))
            loop.perform { self.sleep.flushed() }
        case .resumed:
            deadline.withLock { $0 = nil }
            wake?(nil)
            power.resumed()
            onResume()
        }
    }

    /// The power supply. The kernel reports it until a service does.
    var supply: PowerState {
        let supply = power.status.supply
        return supply == .unknown ? PowerSupply.facts().state : supply
    }

    var mode: PowerMode { power.status.mode }

    /// Checks for a sleep that logind didn't announce. Call it at each wake-up.
    func noticeSleep() -> Bool { sleep.checkClocks() }

    /// The time until the machine sleeps; `nil` when no sleep is announced. On any thread.
    var remaining: Duration? {
        deadline.withLock { $0 }.map { max(.zero, $0 - loop.now) }
    }

    /// Watches until the task is cancelled. Connects again when the connection to the bus ends.
    func run() async {
        var pause = RetryPause(upTo: .seconds(1800))
        while !Task.isCancelled {
            if let bus = try? await LibdbusBus.connect(to: SystemBus.address, on: loop) {
                pause.succeed()
                await live(on: bus)
            }
            try? await loop.sleep(until: loop.now + pause.next())
        }
        sleep.end()
    }

    private func live(on bus: any Bus) async {
        bus.onClose = { [power, sleep] in
            power?.stop()
            sleep?.stop()
        }
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.power.run(on: bus) }
                group.addTask { await self.sleep.run(on: bus) }
            }
        } onCancel: {
            loop.perform {
                self.power.stop()
                self.sleep.stop()
                bus.close()
            }
        }
        bus.close()
    }

    /// A section of work. `begin` and then `end` may run on any thread.
    final class Section: @unchecked Sendable {
        private let machine: Machine
        private var number: Int?

        init(_ machine: Machine) { self.machine = machine }

        func begin(_ name: String, budget: Duration, onExpiration: @escaping @Sendable () -> Void) {
            machine.loop.perform {
                self.number = self.machine.sleep.begin(named: name, budget: budget, onExpiration: onExpiration)
            }
        }

        func end() {
            machine.loop.perform { if let number = self.number { self.machine.sleep.end(number) } }
        }
    }
}
