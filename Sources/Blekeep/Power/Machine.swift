import DBus
import Logging
import RunLoop
import Synchronization

/// The machine under a keep-alive: its power and its sleep, over a connection to the system bus of its own.
///
/// Without a bus, without UPower or without logind, what is left counts. Everything but `remaining` is to be used
/// on the run loop.
final class Machine: @unchecked Sendable {
    private let loop: RunLoop
    private var power: PowerMonitor!
    private var sleep: SleepMonitor!
    private let deadline = Mutex<Uptime?>(nil)

    /// - Parameters:
    ///   - onChange: the power mode is another.
    ///   - onResume: the machine has slept.
    init(on loop: RunLoop, onChange: @escaping () -> Void = {}, onResume: @escaping () -> Void = {}) {
        self.loop = loop
        power = PowerMonitor(on: loop) { _ in onChange() }
        sleep = SleepMonitor(on: loop, log: Logger(label: "blekeep")) { [unowned self] event in
            switch event {
            case .preparing:
                // What it holds up is only the sections that are open; nothing else is to be let go here.
                let end = self.loop.now + (self.sleep.remaining ?? .zero)
                self.deadline.withLock { $0 = end }
                self.loop.perform { self.sleep.flushed() }
            case .resumed:
                self.deadline.withLock { $0 = nil }
                self.power.resumed()
                onResume()
            }
        }
    }

    /// How the machine is fed: as the kernel says for as long as nobody else has.
    var supply: PowerState {
        let supply = power.status.supply
        return supply == .unknown ? PowerSupply.facts().state : supply
    }

    /// How much is to be saved.
    var mode: PowerMode { power.status.mode }

    /// Notices a sleep that nobody announced; to be called at each wake-up.
    func noticeSleep() -> Bool { sleep.checkClocks() }

    /// How long work has before the machine sleeps; `nil`: no end is in sight. On any thread.
    var remaining: Duration? {
        deadline.withLock { $0 }.map { max(.zero, $0 - loop.now) }
    }

    /// Watches until the task is cancelled; connects again when the bus is lost.
    func run() async {
        var pause: Duration = .seconds(1)
        while !Task.isCancelled {
            if let bus = try? await LibdbusBus.connect(to: SystemBus.address, on: loop) {
                pause = .seconds(1)
                await live(on: bus)
            }
            try? await loop.sleep(until: loop.now + pause)
            pause = min(pause * 2, .seconds(1800))
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

    /// A section of work that may be begun and ended on any thread, in this order.
    final class Section: @unchecked Sendable {
        private let machine: Machine
        private var number: Int?

        init(_ machine: Machine) {
            self.machine = machine
        }

        func begin(_ name: String, _ budget: Duration, _ onExpiration: @escaping @Sendable () -> Void) {
            machine.loop.perform {
                self.number = self.machine.sleep.begin(named: name, budget: budget, onExpiration: onExpiration)
            }
        }

        func end() {
            machine.loop.perform { if let number = self.number { self.machine.sleep.end(number) } }
        }
    }
}
