import BlekeepRecords
internal import CMosquitto
import DequeModule
import Glibc
import RunLoop

/// One connection to an MQTT broker, from the attempt to its end. libmosquitto speaks the protocol; its socket is on the
/// run loop.
///
/// A separate thread resolves the name and connects. blekeep doesn't wait for it. `Publisher` tries again, with the
/// pauses of `OutputRetryPause`.
///
/// In one call, libmosquitto reads as many packets as it has unconfirmed messages, so it has `maxUnconfirmed` at most, and
/// the others wait here.
final class MQTTConnection: @unchecked Sendable {
    enum Event {
        case connected
        case lost(MQTTError)
        /// The broker has the message with this number.
        case confirmed(Int)
        /// The broker didn't take the message with this number. The connection goes on.
        case refused(Int, MQTTError)
        case message(MQTTMessage)
    }

    private struct Outgoing {
        let number: Int
        let topic: String
        let payload: [UInt8]
        let isRetained: Bool
        let lifetime: Duration?
    }

    private struct Unconfirmed {
        /// libmosquitto's number.
        let message: Int32
        let number: Int
        let deadline: Uptime
        let fingerprint: MQTTPoison.Fingerprint
    }

    private let client: MosquittoClient
    private let configuration: MQTTConfiguration
    private let loop: RunLoop
    private let onEvent: (Event) -> Void
    private var watch: Watch?
    private let opening = BlockingCall()
    /// Whether the broker has let the client in.
    private var isAccepted = false
    private var isOver = false
    /// Messages that are sent when fewer are unconfirmed, in their order.
    private var waiting = Deque<Outgoing>()
    private var waitingBytes = 0
    /// The oldest first.
    private var unconfirmed: [Unconfirmed] = []
    private var lastNumber = 0
    private let poison: MQTTPoison
    /// Whether one message at a time is sent.
    private var isIsolating: Bool
    private var acceptedAt = Uptime.start
    /// The length of the longest message that the broker confirmed.
    private(set) var longestConfirmed = 0
    private var nextCheck = Uptime.never
    private lazy var timer = ClosureTimer { [weak self] in self?.checkDeadlines() }

    /// How long a broker may take to answer an attempt to connect, and to confirm a message. Nothing that comes or goes
    /// meanwhile makes it longer.
    static let timeout: Duration = .seconds(20)
    /// How many messages may wait for their confirmation.
    static let maxUnconfirmed = 20
    /// The number of bytes in messages that aren't sent yet. Beyond it, the broker is too slow.
    static let maxWaiting = 16 << 20

    /// - Parameters:
    ///   - name: the client's name; by default that of this gateway.
    ///   - will: what the broker publishes when the connection breaks.
    ///   - poison: the messages to skip.
    /// - Throws: `MQTTError` for a file of certificates or keys that can't be used.
    init(
        _ configuration: MQTTConfiguration, password: String?, name: String? = nil,
        will: (topic: String, payload: String)?, poison: MQTTPoison = MQTTPoison(), on loop: RunLoop,
        onEvent: @escaping (Event) -> Void
    ) throws(MQTTError) {
        self.poison = poison
        isIsolating = poison.isIsolating
        client = try MosquittoClient(
            configuration, password: password, name: name ?? configuration.clientName, will: will)
        self.configuration = configuration
        self.loop = loop
        self.onEvent = onEvent
    }

    private var broker: String { "\(configuration.host):\(configuration.port)" }

    // MARK: Connecting

    /// Begins to connect.
    func open() {
        loop.arm(timer, at: loop.now + Self.timeout)
        do {
            // The thread keeps the connection alive.
            try opening.start(on: loop) { [self] in
                let result = client.connect(
                    configuration.host, port: configuration.port, keepAlive: configuration.keepAlive)
                return (result, errno)
            } then: { [self] in
                opened($0, system: $1)
            }
        } catch { end(MQTTError("there is no thread to connect with")) }
    }

    /// The messages that the broker neither confirmed nor refused.
    var suspects: [MQTTPoison.Fingerprint] { unconfirmed.map(\.fingerprint) }

    /// Whether its thread still waits for a name server or a broker.
    var isStuck: Bool { opening.isRunning }

    private func opened(_ result: Int32, system: Int32) {
        guard !isOver else { return }
        guard result == MOSQ_ERR_SUCCESS.rawValue else { return end(error(result, system: system)) }
        let descriptor = mosquitto_socket(client.pointer)
        guard descriptor >= 0 else { return end(error(Int32(MOSQ_ERR_CONN_LOST.rawValue), system: 0)) }
        watch = loop.watch(descriptor, for: Int16(POLLIN | POLLOUT)) { [unowned self] in self.ready($0) }
    }

    // MARK: Connected

    private func ready(_ events: Int16) {
        // First, because a broker may say why it closes the connection.
        if events & Int16(POLLIN | POLLERR | POLLHUP) != 0 {
            let (result, system) = client.read()
            handleArrivals()
            check(result, system: system)
        }
        if !isOver, events & Int16(POLLOUT) != 0 { checkWrite(mosquitto_loop_write(client.pointer, 1)) }
        if !isOver { follow() }
    }

    private func handleArrivals() {
        for arrival in client.drainArrivals() where !isOver {
            switch arrival {
            case .answered(let reason): answered(reason)
            case .delivered(let message, let reason): delivered(message, reason: reason)
            case .message(let message): onEvent(.message(message))
            case .disconnected(let reason): if reason > 0x7F { end(MQTTError(end: reason, broker: broker)) }
            }
        }
    }

    private func answered(_ reason: Int32) {
        guard reason == 0 else { return end(MQTTError(refusal: reason, broker: broker, user: configuration.user)) }
        guard !isAccepted else { return }
        isAccepted = true
        acceptedAt = loop.now
        nextCheck = loop.now + configuration.keepAlive / 2
        armTimer()
        onEvent(.connected)
    }

    private func delivered(_ message: Int32, reason: Int32) {
        guard let index = unconfirmed.firstIndex(where: { $0.message == message }) else { return }
        let answered = unconfirmed.remove(at: index)
        if waiting.isEmpty, loop.now - acceptedAt >= OutputRetryPause.proof { isIsolating = false }
        if !waiting.isEmpty { loop.soon { self.sendWaiting() } }
        armTimer()
        guard reason > 0x7F else {
            longestConfirmed = max(longestConfirmed, answered.fingerprint.length)
            return onEvent(.confirmed(answered.number))
        }
        onEvent(.refused(answered.number, MQTTError(message: reason, broker: broker, user: configuration.user)))
    }

    /// Waits for room to write only while libmosquitto has something to write. Until the broker has taken that, blekeep reads
    /// nothing, as each message makes libmosquitto write a confirmation.
    private func follow() {
        guard mosquitto_want_write(client.pointer) else {
            watch?.events = Int16(POLLIN)
            return
        }
        watch?.events = Int16(isAccepted ? POLLOUT : POLLIN | POLLOUT)
    }

    private func check(_ result: Int32, system: Int32 = errno) {
        if result != MOSQ_ERR_SUCCESS.rawValue, !isOver { end(error(result, system: system)) }
    }

    /// Checks what writing came to. The broker may have said before why it closed the connection.
    private func checkWrite(_ result: Int32) {
        guard result != MOSQ_ERR_SUCCESS.rawValue else { return }
        let system = errno
        _ = client.read()
        handleArrivals()
        check(result, system: system)
    }

    // MARK: Deadlines

    private func armTimer() {
        guard !isOver, isAccepted else { return }
        loop.arm(timer, at: min(nextCheck, unconfirmed.first?.deadline ?? .never))
    }

    private func checkDeadlines() {
        let timeout = DurationText.text(Self.timeout)
        guard isAccepted else { return end(MQTTError("\(broker) didn't respond in \(timeout)")) }
        if let oldest = unconfirmed.first, loop.now >= oldest.deadline {
            return end(MQTTError("\(broker) didn't confirm a message in \(timeout)"))
        }
        if loop.now >= nextCheck {
            let result = mosquitto_loop_misc(client.pointer)
            handleArrivals()
            check(result)
            guard !isOver else { return }
            follow()
            // Half the time, because libmosquitto checks only when it is called.
            nextCheck = loop.now + configuration.keepAlive / 2
        }
        armTimer()
    }

    // MARK: Sending

    /// Sends a message with QoS 1.
    ///
    /// - Parameter lifetime: how long the broker keeps the message for those who subscribe later, in MQTT 5.
    /// - Returns: the message's number, which the confirmation repeats; `nil` if there is no connection.
    @discardableResult
    func publish(_ topic: String, payload: [UInt8], isRetained: Bool, lifetime: Duration? = nil) -> Int? {
        guard !isOver, isAccepted else { return nil }
        lastNumber += 1
        waitingBytes += payload.count
        // Later, because the caller may be sending a batch.
        if waitingBytes > Self.maxWaiting {
            loop.soon { self.end(MQTTError("\(self.broker) takes messages too slowly")) }
        }
        waiting.append(
            Outgoing(number: lastNumber, topic: topic, payload: payload, isRetained: isRetained, lifetime: lifetime))
        if waiting.count == 1 { loop.soon { self.sendWaiting() } }
        return lastNumber
    }

    /// Whether few messages wait.
    var hasRoom: Bool { waiting.count < Self.maxUnconfirmed }

    private func sendWaiting() {
        let room = isIsolating ? 1 : Self.maxUnconfirmed
        while !isOver, unconfirmed.count < room, let message = waiting.popFirst() {
            waitingBytes -= message.payload.count
            let fingerprint = MQTTPoison.Fingerprint(message.topic, message.payload)
            guard !poison.contains(fingerprint) else {
                refuse(message, reason: "\(broker) closes the connection at a message of \(fingerprint.length) bytes")
                continue
            }
            let (result, number) = client.publish(
                message.topic, payload: message.payload, isRetained: message.isRetained, lifetime: message.lifetime)
            switch result {
            case Int32(MOSQ_ERR_SUCCESS.rawValue):
                unconfirmed.append(
                    Unconfirmed(
                        message: number, number: message.number, deadline: loop.now + Self.timeout,
                        fingerprint: fingerprint))
            case Int32(MOSQ_ERR_OVERSIZE_PACKET.rawValue), Int32(MOSQ_ERR_PAYLOAD_SIZE.rawValue):
                refuse(message, reason: "\(broker) takes no message of \(fingerprint.length) bytes")
            default: checkWrite(result)
            }
        }
        guard !isOver else { return }
        follow()
        armTimer()
    }

    private func refuse(_ message: Outgoing, reason: String) {
        loop.soon { if !self.isOver { self.onEvent(.refused(message.number, MQTTError(reason, isContent: true))) } }
    }

    /// - Parameter isConfirmed: whether to confirm messages (QoS 1). A broker sends few before it has confirmations, and so
    ///   may confirm a later message of blekeep before it has sent all that it retains.
    func subscribe(_ topic: String, isConfirmed: Bool = true) {
        guard !isOver else { return }
        client.subscribe(topic, isConfirmed: isConfirmed)
        follow()
    }

    // MARK: Its end

    private func error(_ result: Int32, system: Int32) -> MQTTError {
        let error = MQTTError(
            code: result, system: system, detail: client.detail, certificate: client.context?.certificateFault,
            broker: broker)
        guard configuration.isEncrypted, !isAccepted, error.isSilentEnd else { return error }
        return MQTTError(
            silentEnd: error, detail: client.detail, hasCertificate: client.context?.hasCertificate ?? false,
            isOwnCertificateSet: configuration.certificateFile != nil, broker: broker)
    }

    private func end(_ error: MQTTError) {
        guard !isOver else { return }
        release()
        onEvent(.lost(error))
    }

    private func release() {
        isOver = true
        if let watch { loop.unwatch(watch) }
        watch = nil
        waiting = []
        loop.disarm(timer)
        // Its caller may still use it.
        loop.soon { withExtendedLifetime(self) {} }
    }

    /// Ends the connection at once; no event follows.
    ///
    /// - Parameter isPolite: whether to send DISCONNECT after all messages, so that the broker doesn't publish the will.
    func close(isPolite: Bool) {
        guard !isOver else { return }
        if isPolite, isAccepted { sendWaiting() }
        // Otherwise, the broker publishes the will, because the status may be among what waits.
        if isPolite, !isOver, watch != nil, waiting.isEmpty { mosquitto_disconnect(client.pointer) }
        if !isOver { release() }
    }
}
