internal import CMosquitto
import Glibc
import Synchronization

struct MQTTMessage: Equatable {
    let topic: String
    /// `nil` for a message over `MosquittoClient.maxPacket`.
    let payload: [UInt8]?
    let isRetained: Bool
    /// How long the broker still keeps it, in MQTT 5; `nil` for always, and in MQTT 3.1.1.
    let rest: Duration?
}

/// libmosquitto's client: its options, and the calls and callbacks that carry values.
///
/// libmosquitto takes as much memory as the first bytes of a packet ask for, and has no limit of its own. So the kernel
/// refuses memory beyond `maxMemory` while it reads, and it ends the connection. Swift would trap: callbacks lift the limit,
/// and only note what came.
package final class MosquittoClient: @unchecked Sendable {
    /// What a callback brought.
    enum Arrival {
        /// The answer to the attempt to connect.
        case answered(reason: Int32)
        /// The broker's answer to a message.
        case delivered(message: Int32, reason: Int32)
        case message(MQTTMessage)
        case disconnected(reason: Int32)
    }

    let pointer: OpaquePointer
    private var arrivals: [Arrival] = []
    private var memory: MemoryLimit?
    /// Whether the broker sent a message with QoS 2. libmosquitto keeps each until the broker releases it, without a limit.
    private var isFilled = false
    private let isVersion5: Bool
    /// libmosquitto's log of TLS errors. It reports them only there.
    private let log = Mutex("")
    /// `nil` without TLS.
    let context: TLSContext?

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
        isVersion5 = configuration.isVersion5()
        mosquitto_user_data_set(pointer, Unmanaged.passUnretained(self).toOpaque())
        let version = isVersion5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        mosquitto_int_option(pointer, MOSQ_OPT_PROTOCOL_VERSION, Int32(version))
        if let user = configuration.user { mosquitto_username_pw_set(pointer, user, password) }
        if let will { mosquitto_will_set(pointer, will.topic, Int32(will.payload.utf8.count), will.payload, 1, true) }
        setCallbacks()
        mosquitto_int_option(pointer, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0)
        if let context { mosquitto_void_option(pointer, MOSQ_OPT_SSL_CTX, UnsafeMutableRawPointer(context.pointer)) }
    }

    /// libmosquitto's version as a number, such as 2000016 for 2.0.16.
    package static let libraryVersion = Int(mosquitto_lib_version(nil, nil, nil))

    deinit {
        mosquitto_destroy(pointer)
        withExtendedLifetime(context) {}
    }

    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(pointer) { _, client, reason, _, _ in
            MosquittoClient.from(client)?.note { .answered(reason: reason) }
        }
        mosquitto_disconnect_v5_callback_set(pointer) { _, client, reason, _ in
            MosquittoClient.from(client)?.note { .disconnected(reason: reason) }
        }
        mosquitto_publish_v5_callback_set(pointer) { _, client, message, reason, _ in
            MosquittoClient.from(client)?.note { .delivered(message: message, reason: reason) }
        }
        mosquitto_message_v5_callback_set(pointer) { _, client, message, properties in
            guard let message = message?.pointee, let topic = message.topic else { return }
            var seconds: UInt32 = 0
            let expiry = Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue)
            let expires = mosquitto_property_read_int32(properties, expiry, &seconds, false) != nil
            MosquittoClient.from(client)?.note {
                let bytes = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
                return .message(
                    MQTTMessage(
                        topic: String(cString: topic),
                        payload: bytes.count <= MosquittoClient.maxPacket ? [UInt8](bytes) : nil,
                        isRetained: message.retain, rest: expires ? .seconds(Int(seconds)) : nil))
            }
        }
        mosquitto_log_callback_set(pointer) { _, client, level, text in
            guard let text, let client = MosquittoClient.from(client) else { return }
            if level == MOSQ_LOG_ERR {
                client.withoutLimit {
                    client.log.withLock { $0 = String(($0 + " " + String(cString: text)).suffix(1000)) }
                }
            } else if let start = strstr(text, " received PUBLISH (d"), strncmp(start + 21, ", q2", 4) == 0 {
                client.isFilled = true
            }
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> MosquittoClient? {
        context.map { Unmanaged<MosquittoClient>.fromOpaque($0).takeUnretainedValue() }
    }

    private func note(_ arrival: () -> Arrival) { withoutLimit { arrivals.append(arrival()) } }

    private func withoutLimit(_ body: () -> Void) {
        memory?.lift()
        body()
        memory?.impose()
    }

    // MARK: Reading

    /// How much memory reading may take. A message needs its length twice, and the thread of the history some beside it.
    private static let maxMemory: UInt64 = 32 << 20

    /// Reads what came: as many packets as there are unconfirmed messages, and at least one.
    /// Returns libmosquitto's result, and the system's error number.
    func read() -> (result: Int32, system: Int32) {
        Self.reading.withLock { _ in
            memory = MemoryLimit(adding: Self.maxMemory)
            memory?.impose()
            let (result, system) = (mosquitto_loop_read(pointer, 1), errno)
            memory?.lift()
            memory = nil
            return isFilled ? (Int32(MOSQ_ERR_NOMEM.rawValue), 0) : (result, system)
        }
    }

    /// The limit is that of the process. Another thread's client, as tests have them, would lift it meanwhile.
    private static let reading = Mutex(())

    /// Returns what the callbacks brought since the last time.
    func drainArrivals() -> [Arrival] {
        defer { arrivals = [] }
        return arrivals
    }

    /// libmosquitto's log of TLS errors.
    var detail: String { log.withLock { $0 } }

    /// The largest packet that the broker may send in MQTT 5, so that a retained message can't fill the memory.
    static let maxPacket: UInt32 = 64 << 10

    /// Resolves the broker's name and connects; waits for both.
    func connect(_ host: String, port: Int, keepAlive: Duration) -> Int32 {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if isVersion5 {
            mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), Self.maxPacket)
        }
        return mosquitto_connect_bind_v5(
            pointer, host, Int32(port), Int32(keepAlive.components.seconds), nil, properties)
    }

    /// - Parameter lifetime: the time after which the broker drops a retained message, in MQTT 5.
    /// - Returns: libmosquitto's result, and the message's number.
    func publish(
        _ topic: String, payload: [UInt8], isRetained: Bool, lifetime: Duration?
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

    func subscribe(_ topic: String, isConfirmed: Bool) { mosquitto_subscribe(pointer, nil, topic, isConfirmed ? 1 : 0) }
}
