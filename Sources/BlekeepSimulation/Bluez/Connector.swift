import RunLoop

/// Makes connections. The kernel waits for many peripherals at once, but connects one at a time.
final class Connector {
    private unowned let adapter: AdapterObject
    private let bluez: SimulatedBluez
    private var attempts: [Attempt] = []
    private var current: Attempt?

    private final class Attempt {
        let device: DeviceObject
        var deadline: LoopTimer?
        var trial: LoopTimer?
        var isCancelled = false

        init(_ device: DeviceObject) { self.device = device }

        var peripheral: RadioPeripheral { device.peripheral }

        var isReady: Bool {
            if case .hanging = peripheral.behavior.connecting { return false }
            return device.bluez.host.hears(peripheral, with: device.adapter.radio)
        }
    }

    init(_ adapter: AdapterObject) {
        self.adapter = adapter
        bluez = adapter.bluez
    }

    /// Starts to connect, and reports the result to the device.
    func connect(_ device: DeviceObject) {
        let attempt = Attempt(device)
        attempts.append(attempt)
        guard device.peripheral.behavior.connecting != .hanging else { return }
        attempt.deadline = bluez.after(bluez.timing.absent) { [weak self, weak attempt] in
            guard let attempt else { return }
            self?.finish(attempt) { $0.connection.failed(.aborted) }
        }
        tryNext()
    }

    /// Cancels an attempt without a reply. The kernel still finishes an attempt to a peripheral in range, before it tries
    /// another one.
    func cancel(_ device: DeviceObject) {
        guard let attempt = attempts.first(where: { $0.device === device }) else { return }
        guard current === attempt, attempt.peripheral.behavior.connecting == .deaf else {
            return finish(attempt) { _ in }
        }
        attempt.isCancelled = true
        attempts.removeAll { $0 === attempt }
        bluez.cancel(attempt.deadline)
    }

    /// Checks whether a peripheral came into range.
    func tryNext() {
        guard current == nil, !attempts.isEmpty, bluez.isRunning, adapter.radio.wedge == nil,
            let attempt = attempts.first(where: \.isReady)
        else { return }
        current = attempt
        let isFull = adapter.connections >= adapter.radio.model.maxConnections
        let duration = isFull ? bluez.timing.refused : duration(of: attempt.peripheral)
        attempt.trial = bluez.after(duration) { [weak self, weak attempt] in
            guard let attempt else { return }
            self?.tried(attempt, wasFull: isFull)
        }
    }

    private func duration(of peripheral: RadioPeripheral) -> Duration {
        if peripheral.behavior.connecting == .deaf { return bluez.timing.deaf }
        let duration = peripheral.random.duration(in: bluez.timing.connecting)
        guard adapter.discovery.isOn else { return duration }
        return duration * Int.random(in: bluez.timing.discoverySlowdown, using: &peripheral.random)
    }

    private func tried(_ attempt: Attempt, wasFull: Bool) {
        if attempt.isCancelled { return finish(attempt) { _ in } }
        if wasFull { return finish(attempt) { $0.connection.failed(.failed(adapter.radio.model.whenFull)) } }
        guard bluez.host.hears(attempt.peripheral, with: adapter.radio), adapter.radio.wedge == nil else {
            // It went out of range again, or another adapter was faster. Its deadline stays.
            current = nil
            return tryNext()
        }
        switch attempt.peripheral.behavior.connecting {
        case .well: finish(attempt) { $0.connection.up(answered: true) }
        case .unanswered: finish(attempt) { $0.connection.up(answered: false) }
        case .untold: finish(attempt) { $0.connection.up(answered: true, told: false) }
        case .hollow: finish(attempt) { $0.connection.succeeded() }
        case .failing(let text): finish(attempt) { $0.connection.failed(.failed(text)) }
        case .deaf: finish(attempt) { $0.connection.forgotten() }
        case .hanging:
            current = nil
            tryNext()
        }
    }

    private func finish(_ attempt: Attempt, tell: (DeviceObject) -> Void) {
        bluez.cancel(attempt.deadline)
        bluez.cancel(attempt.trial)
        attempts.removeAll { $0 === attempt }
        if current === attempt { current = nil }
        tell(attempt.device)
        tryNext()
    }
}
