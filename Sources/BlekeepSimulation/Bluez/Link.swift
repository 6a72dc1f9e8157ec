import RunLoop

/// An open connection to a peripheral: one ATT request at a time, in the order in which they were made.
final class Link: RadioLink {
    let peripheral: RadioPeripheral
    /// When it came up.
    let since: Uptime
    private let bluez: SimulatedBluez
    private let onDrop: () -> Void
    private var requests: [Request] = []
    /// When the peripheral has got to the first request.
    private lazy var turn = bluez.timer { [weak self] in self?.served() }
    /// When waiting for it ends.
    private var patience: LoopTimer?
    private var supervision: LoopTimer?
    private(set) var isOpen = true
    /// Whether it ended, or will end, because of a request that never gets an answer.
    private(set) var isBlocked = false
    /// Whether its services are never resolved.
    let isStranded: Bool

    /// What the peripheral makes of a request.
    enum Answer {
        case value([UInt8])
        case error(UInt8)
        /// BlueZ waits for something that never comes; the caller gets no answer, not even at the end.
        case blocked
        /// The connection ended first.
        case dropped
    }

    private struct Request {
        let isRead: Bool
        let serve: () -> Answer
        let finish: (Answer) -> Void
        var isBlocked = false
    }

    /// - Parameter onDrop: called when the connection ends, but not by `close()`.
    init(to peripheral: RadioPeripheral, _ bluez: SimulatedBluez, onDrop: @escaping () -> Void) {
        self.peripheral = peripheral
        self.bluez = bluez
        self.onDrop = onDrop
        since = bluez.loop.now
        isStranded = peripheral.behavior.strands
        peripheral.link = self
        if let lifetime = peripheral.behavior.dropsAfter { bluez.after(lifetime) { [weak self] in self?.drop() } }
    }

    /// Asks the peripheral; `serve` is its side, called when it has got to it, and `finish` is ours.
    func request(isRead: Bool, _ serve: @escaping () -> Answer, _ finish: @escaping (Answer) -> Void) {
        guard isOpen else { return finish(.dropped) }
        requests.append(Request(isRead: isRead, serve: serve, finish: finish))
        if requests.count == 1 { begin() }
    }

    /// The peripheral went out of range or came back.
    func rangeChanged() {
        bluez.cancel(supervision)
        guard !peripheral.isInRange else { return }
        supervision = bluez.after(bluez.timing.supervision) { [weak self] in self?.drop() }
    }

    /// The connection ends from the other side, or because it was lost.
    func drop() {
        guard isOpen, !peripheral.behavior.isZombie else { return }
        end { onDrop() }
    }

    /// Ends without a word to anybody, because BlueZ's side of it is gone.
    func close() {
        requests = []
        guard isOpen else { return }
        end {}
    }

    private func end(_ tell: () -> Void) {
        isOpen = false
        peripheral.link = nil
        bluez.cancel(turn)
        bluez.cancel(patience)
        bluez.cancel(supervision)
        let unanswered = requests.filter { !$0.isBlocked }
        requests = []
        // The errors and the change of Connected come in either order; the seed decides.
        let errorsFirst = Bool.random(using: &peripheral.random)
        if !errorsFirst { tell() }
        for request in unanswered { request.finish(.dropped) }
        if errorsFirst { tell() }
        bluez.radioChanged(peripheral)
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
        guard peripheral.isInRange else { return giveUp(after: bluez.timing.attTimeout) }
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

    /// What the first request waited for is there.
    func retry() {
        guard isOpen, requests.first?.isBlocked == true else { return }
        requests[0].isBlocked = false
        bluez.cancel(patience)
        begin()
    }

    private func giveUp(after delay: Duration) {
        patience = bluez.after(delay) { [weak self] in self?.drop() }
    }
}
