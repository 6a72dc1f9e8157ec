import Blekeep
internal import CMosquitto
import Glibc
import RunLoop

/// One connection to an MQTT broker, from the attempt to its end. libmosquitto speaks the protocol; its socket is on the
/// run loop.
///
/// A separate thread resolves the name and connects. blekeep doesn't wait for it. `RemotePublisher` tries again, with the
/// pauses of `OutputRetryPause`.
final class MQTTConnection: @unchecked Sendable {
    enum Event {
        case connected
        case lost(MQTTError)
        /// The broker has the message with this number.
        case confirmed(Int32)
        /// The broker didn't take the message with this number. The connection goes on.
        case refused(Int32, MQTTError)
        case message(topic: String, payload: [UInt8], isRetained: Bool)
    }

    private let client: MosquittoClient
    private let configuration: MQTTConfiguration
    private let loop: RunLoop
    let onEvent: (Event) -> Void
    private var watch: Watch?
    private let opening = BlockingCall()
    /// Whether the broker has let the client in.
    private var isAccepted = false
    private var isOver = false
    private lazy var timer = ClosureTimer { [unowned self] in self.keepAlive() }

    /// How long a broker may take to answer an attempt to connect.
    static let patience: Duration = .seconds(20)
    /// The longest silence that the broker accepts.
    static let keepAlive: Int32 = 60

    /// - Parameters:
    ///   - name: the client's name; by default that of this gateway.
    ///   - will: what the broker publishes when the connection breaks.
    /// - Throws: `MQTTError` for a file of certificates or keys that can't be used.
    init(
        _ configuration: MQTTConfiguration, password: String?, name: String? = nil,
        will: (topic: String, payload: String)?, on loop: RunLoop, onEvent: @escaping (Event) -> Void
    ) throws(MQTTError) {
        client = try MosquittoClient(
            configuration, password: password, name: name ?? "blekeep-\(configuration.gateway)", will: will)
        self.configuration = configuration
        self.loop = loop
        self.onEvent = onEvent
        client.owner = self
    }

    private var broker: String { "\(configuration.host):\(configuration.port)" }

    // MARK: Connecting

    /// Begins to connect.
    func open() {
        loop.arm(timer, at: loop.now + Self.patience)
        do {
            // The thread keeps the connection alive.
            try opening.start(on: loop) { [self] in
                let result = client.connect(configuration.host, configuration.port, keepAlive: Self.keepAlive)
                return (result, errno)
            } then: { [self] in
                opened($0, $1)
            }
        } catch { end(MQTTError("there is no thread to connect with")) }
    }

    /// Whether its thread still waits for a name server or a broker.
    var isStuck: Bool { opening.isRunning }

    private func opened(_ result: Int32, _ system: Int32) {
        guard !isOver else { return }
        guard result == MOSQ_ERR_SUCCESS.rawValue else { return end(error(result, system)) }
        let descriptor = mosquitto_socket(client.pointer)
        guard descriptor >= 0 else { return end(error(Int32(MOSQ_ERR_CONN_LOST.rawValue), 0)) }
        watch = loop.watch(descriptor, for: Int16(POLLIN | POLLOUT)) { [unowned self] in self.ready($0) }
    }

    func answered(_ reason: Int32) {
        guard reason == 0 else {
            return end(MQTTError(refusal: reason, broker: broker, user: configuration.user))
        }
        isAccepted = true
        loop.arm(timer, at: loop.now + .seconds(Int(Self.keepAlive) / 2))
        onEvent(.connected)
    }

    func delivered(_ message: Int32, _ reason: Int32) {
        guard reason > 0x7F else { return onEvent(.confirmed(message)) }
        onEvent(.refused(message, MQTTError(message: reason, broker: broker, user: configuration.user)))
    }

    // MARK: Connected

    private func ready(_ events: Int16) {
        if events & Int16(POLLOUT) != 0 { check(mosquitto_loop_write(client.pointer, 1)) }
        if !isOver, events & Int16(POLLIN | POLLERR | POLLHUP) != 0 { check(mosquitto_loop_read(client.pointer, 1)) }
        follow()
    }

    /// Waits for room to write only while libmosquitto has something to write.
    private func follow() {
        watch?.events = Int16(mosquitto_want_write(client.pointer) ? POLLIN | POLLOUT : POLLIN)
    }

    private func check(_ result: Int32) {
        if result != MOSQ_ERR_SUCCESS.rawValue, !isOver { end(error(result, errno)) }
    }

    private func keepAlive() {
        guard isAccepted else {
            return end(MQTTError("\(broker) didn't respond in \(DurationText.text(Self.patience))"))
        }
        check(mosquitto_loop_misc(client.pointer))
        guard !isOver else { return }
        follow()
        // Half the time, because libmosquitto checks only when it is called.
        loop.arm(timer, at: loop.now + .seconds(Int(Self.keepAlive) / 2))
    }

    /// - Parameter lifetime: how long the broker keeps the message for those who subscribe later, in MQTT 5.
    /// - Returns: the message's number, which the confirmation repeats; `nil` if it can't be sent.
    @discardableResult
    func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool, lifetime: Duration? = nil) -> Int32? {
        guard !isOver, isAccepted else { return nil }
        let (result, message) = client.publish(topic, payload, isRetained: isRetained, lifetime: lifetime)
        guard result == MOSQ_ERR_SUCCESS.rawValue else {
            // Later, because the caller may be sending a batch.
            loop.soon { self.check(result) }
            return nil
        }
        follow()
        return message
    }

    func subscribe(_ topic: String) {
        guard !isOver else { return }
        client.subscribe(topic)
        follow()
    }

    // MARK: Its end

    private func error(_ result: Int32, _ system: Int32) -> MQTTError {
        let error = MQTTError(
            code: result, system: system, detail: client.detail, certificate: client.certificateFault, broker: broker)
        // A broker that requires a client certificate ends TLS, and libmosquitto doesn't report the reason.
        let isEnd =
            result == MOSQ_ERR_CONN_LOST.rawValue
            || result == MOSQ_ERR_ERRNO.rawValue && [EPROTO, EPIPE, ECONNRESET].contains(system)
        guard configuration.isEncrypted, configuration.certificateFile == nil, !isAccepted, isEnd else { return error }
        return MQTTError("\(broker) ended TLS; if it requires a client certificate, set `cert_file` and `key_file`")
    }

    func disconnected(_ reason: Int32) {
        if reason > 0x7F { end(MQTTError(end: reason, broker: broker)) }
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
        loop.disarm(timer)
        // libmosquitto may be running a callback.
        loop.soon { withExtendedLifetime(self) {} }
    }

    /// Ends the connection at once; no event follows.
    ///
    /// - Parameter isPolite: whether to send DISCONNECT, so that the broker doesn't publish the will.
    func close(isPolite: Bool) {
        guard !isOver else { return }
        if isPolite, watch != nil { mosquitto_disconnect(client.pointer) }
        release()
    }
}
