import RunLoop

/// An open connection to a peripheral. It has one ATT request in progress at a time, in order.
final class PeripheralLink {
    let peripheral: RadioPeripheral
    /// The time when it came up.
    let since: Uptime
    private let radio: Radio
    private let bluez: SimulatedBluez
    private let onDrop: () -> Void
    private var requests: [Request] = []
    /// Fires when the peripheral reacts to the first request.
    private lazy var turn = bluez.timer { [weak self] in self?.served() }
    /// Fires when the time for the request is up.
    private var requestTimeout: LoopTimer?
    private var supervision: LoopTimer?
    private(set) var isOpen = true
    /// Whether an unanswered request ended the connection, or will end it.
    private(set) var isBlocked = false
    /// Whether its services are never resolved.
    let isStranded: Bool

    /// The peripheral's reaction to a request.
    enum Answer {
        case value([UInt8])
        case error(UInt8)
        /// BlueZ waits forever. The caller gets no reply, not even when the connection ends.
        case blocked
        /// The connection ended before the reply.
        case dropped
    }

    private struct Request {
        let isRead: Bool
        let serve: () -> Answer
        let finish: (Answer) -> Void
        var isBlocked = false
    }

    /// - Parameter onDrop: called when the connection ends, but not by `close()`.
    init(
        to peripheral: RadioPeripheral, with radio: Radio, _ bluez: SimulatedBluez, onDrop: @escaping () -> Void
    ) {
        self.peripheral = peripheral
        self.radio = radio
        self.bluez = bluez
        self.onDrop = onDrop
        since = bluez.loop.now
        isStranded = peripheral.behavior.strands
        peripheral.link = self
        if let lifetime = peripheral.behavior.dropsAfter { bluez.after(lifetime) { [weak self] in self?.drop() } }
    }

    /// Sends a request to the peripheral.
    ///
    /// - Parameters:
    ///   - serve: the peripheral's reaction.
    ///   - finish: called with the result.
    func request(isRead: Bool, serve: @escaping () -> Answer, finish: @escaping (Answer) -> Void) {
        guard isOpen else { return finish(.dropped) }
        requests.append(Request(isRead: isRead, serve: serve, finish: finish))
        if requests.count == 1 { begin() }
    }

    /// Notes that the peripheral went out of range or came back.
    func rangeChanged() {
        bluez.cancel(supervision)
        guard !bluez.host.reaches(peripheral, with: radio) else { return }
        supervision = bluez.after(bluez.timing.supervision) { [weak self] in self?.drop() }
    }

    /// Ends the connection, by the peripheral or by loss.
    func drop() {
        guard isOpen, !peripheral.behavior.isZombie else { return }
        end { onDrop() }
    }

    /// Ends without a report, because BlueZ's end is gone.
    func close() {
        requests = []
        guard isOpen else { return }
        end {}
    }

    private func end(_ tell: () -> Void) {
        isOpen = false
        peripheral.link = nil
        bluez.cancel(turn)
        bluez.cancel(requestTimeout)
        bluez.cancel(supervision)
        let unanswered = requests.filter { !$0.isBlocked }
        requests = []
        // The errors and the change of Connected come in either order, by the seed.
        let errorsFirst = Bool.random(using: &peripheral.random)
        if !errorsFirst { tell() }
        for request in unanswered { request.finish(.dropped) }
        if errorsFirst { tell() }
        bluez.air.changed(peripheral)
    }

    // MARK: One request at a time

    private func begin() {
        guard isOpen, let request = requests.first else { return }
        if request.isRead, peripheral.behavior.reading == .mute || peripheral.behavior.isZombie {
            return giveUp(after: bluez.timing.attTimeout)
        }
        bluez.arm(turn, after: peripheral.behavior.latency)
    }

    private func served() {
        guard isOpen, let request = requests.first else { return }
        guard bluez.host.reaches(peripheral, with: radio) else { return giveUp(after: bluez.timing.attTimeout) }
        var answer = request.serve()
        if request.isRead, case .error(let code) = peripheral.behavior.reading { answer = .error(code) }
        if case .blocked = answer {
            isBlocked = true
            requests[0].isBlocked = true
            return giveUp(after: bluez.timing.attTimeout)
        }
        requests.removeFirst()
        request.finish(answer)
        begin()
    }

    /// Finishes the first request.
    func retry() {
        guard isOpen, requests.first?.isBlocked == true else { return }
        requests[0].isBlocked = false
        bluez.cancel(requestTimeout)
        begin()
    }

    private func giveUp(after delay: Duration) {
        requestTimeout = bluez.after(delay) { [weak self] in self?.drop() }
    }
}
