import Blekeep
internal import CMosquitto
import Synchronization

/// libmosquitto's client: its options, and the calls and callbacks that carry values.
final class MosquittoClient: @unchecked Sendable {
    let pointer: OpaquePointer
    /// The receiver of callbacks, on the loop.
    weak var owner: MQTTConnection?
    private let isVersion5: Bool
    /// libmosquitto's log of TLS errors. It reports them only there.
    private let log = Mutex("")
    /// `nil` without TLS.
    private let context: TLSContext?

    /// - Parameters:
    ///   - name: the client's name; a broker ends an older connection of the same name.
    ///   - will: what the broker publishes when the connection breaks.
    /// - Throws: `MQTTError` for a file of certificates or keys that can't be used.
    init(
        _ configuration: MQTTConfiguration, password: String?, name: String, will: (topic: String, payload: String)?
    ) throws(MQTTError) {
        context = configuration.isEncrypted ? try TLSContext(configuration) : nil
        mosquitto_lib_init()
        guard let pointer = mosquitto_new(name, true, nil) else {
            throw MQTTError("there is no memory for a connection")
        }
        self.pointer = pointer
        isVersion5 = configuration.version == .v5
        mosquitto_user_data_set(pointer, Unmanaged.passUnretained(self).toOpaque())
        let version = isVersion5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        mosquitto_int_option(pointer, MOSQ_OPT_PROTOCOL_VERSION, Int32(version))
        if let user = configuration.user { mosquitto_username_pw_set(pointer, user, password) }
        if let will { mosquitto_will_set(pointer, will.topic, Int32(will.payload.utf8.count), will.payload, 1, true) }
        setCallbacks()
        mosquitto_int_option(pointer, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0)
        if let context { mosquitto_void_option(pointer, MOSQ_OPT_SSL_CTX, UnsafeMutableRawPointer(context.pointer)) }
    }

    deinit {
        mosquitto_destroy(pointer)
        withExtendedLifetime(context) {}
    }

    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(pointer) { _, client, reason, _, _ in
            MosquittoClient.from(client)?.owner?.answered(reason)
        }
        mosquitto_disconnect_v5_callback_set(pointer) { _, client, reason, _ in
            MosquittoClient.from(client)?.owner?.disconnected(reason)
        }
        mosquitto_publish_v5_callback_set(pointer) { _, client, message, reason, _ in
            MosquittoClient.from(client)?.owner?.delivered(message, reason)
        }
        mosquitto_message_callback_set(pointer) { _, client, message in
            guard let message = message?.pointee, let topic = message.topic else { return }
            let payload = [UInt8](UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen)))
            MosquittoClient.from(client)?.owner?.onEvent(
                .message(topic: String(cString: topic), payload: payload, isRetained: message.retain))
        }
        mosquitto_log_callback_set(pointer) { _, client, level, text in
            guard level == MOSQ_LOG_ERR, let text else { return }
            let words = String(cString: text)
            MosquittoClient.from(client)?.log.withLock { $0 = String(($0 + " " + words).suffix(1000)) }
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> MosquittoClient? {
        context.map { Unmanaged<MosquittoClient>.fromOpaque($0).takeUnretainedValue() }
    }

    /// libmosquitto's log of TLS errors.
    var detail: String { log.withLock { $0 } }

    /// OpenSSL's result for the broker's certificate; `nil` for a good one.
    var certificateFault: Int32? { context?.certificateFault }

    /// The largest packet that the broker may send in MQTT 5, so that a retained message can't fill the memory.
    static let longestPacket: UInt32 = 64 << 10

    /// Resolves the broker's name and connects; waits for both.
    func connect(_ host: String, _ port: Int, keepAlive: Int32) -> Int32 {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if isVersion5 {
            mosquitto_property_add_int32(
                &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), Self.longestPacket)
        }
        return mosquitto_connect_bind_v5(pointer, host, Int32(port), keepAlive, nil, properties)
    }

    /// - Parameter lifetime: the time after which the broker drops a retained message, in MQTT 5.
    /// - Returns: libmosquitto's result, and the message's number.
    func publish(
        _ topic: String, _ payload: [UInt8], isRetained: Bool, lifetime: Duration?
    ) -> (result: Int32, message: Int32) {
        var message: Int32 = 0
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if isVersion5, let lifetime {
            let seconds = UInt32(clamping: lifetime.components.seconds)
            mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), seconds)
        }
        let result = payload.withUnsafeBytes {
            mosquitto_publish_v5(pointer, &message, topic, Int32($0.count), $0.baseAddress, 1, isRetained, properties)
        }
        return (result, message)
    }

    func subscribe(_ topic: String) { mosquitto_subscribe(pointer, nil, topic, 1) }
}
