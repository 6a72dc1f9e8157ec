import Blekeep
import RunLoop

/// Sends readings to an MQTT broker: new readings as one message per device and tick, the backlog one by one.
package final class MQTTSink: RemoteSink, @unchecked Sendable {
    package let name = "mqtt"
    package let backlogRate: Int
    package var onEvent: ((RemoteSinkEvent) -> Void)?
    private let configuration: MQTTConfiguration
    private let password: () throws -> String?
    private let loop: RunLoop
    private let topics: MQTTTopics
    private let devices: [BluetoothAddress]
    private let isComplete: Bool
    /// `nil` when the configuration allows no commands.
    private let commands: MQTTCommands?
    private var announcements: MQTTAnnouncements
    private var connection: MQTTConnection?
    private var deliveries = MQTTDeliveries()
    private let writer: JSONLineWriter
    private let tags: DeviceTags
    /// The newest values of each device.
    private var states: [BluetoothAddress: StateMessage] = [:]
    private lazy var gateway = GatewayReporter(on: loop) { [unowned self] in self.publish($0) }
    private lazy var deadline = ClosureTimer { [unowned self] in self.giveUp() }

    /// How long a broker may take to confirm a message.
    private static let patience: Duration = .seconds(20)

    /// - Parameters:
    ///   - isComplete: whether the configuration has all devices of this gateway. Otherwise Home Assistant keeps the
    ///     entities of the others.
    ///   - password: reads the password. It is called for each connection, because the file may change.
    ///   - version: blekeep's version.
    ///   - earlier: the newest readings of an earlier process or configuration.
    package init(
        _ mqtt: MQTTConfiguration, for configuration: Configuration, isComplete: Bool = true, version: String,
        earlier: [Reading] = [], on loop: RunLoop,
        password: @escaping () throws -> String?
    ) {
        self.configuration = mqtt
        self.password = password
        self.loop = loop
        self.isComplete = isComplete
        backlogRate = mqtt.backlogRate
        topics = MQTTTopics(mqtt)
        devices = configuration.devices.map(\.address)
        tags = DeviceTags(configuration.devices)
        writer = JSONLineWriter(tags: tags)
        commands = mqtt.commands.isEmpty ? nil : MQTTCommands(mqtt, configuration)
        announcements = MQTTAnnouncements(
            discovery: HomeAssistantDiscovery(mqtt, configuration, version: version),
            lifetimes: ValueLifetimes(configuration), earlier: earlier)
    }

    // MARK: The connection

    package func connect() {
        // One thread at a time: another would wait for the same name server.
        guard connection?.isStuck != true else {
            return loop.soon {
                self.lost(MQTTError("\(self.configuration.host): the name server or the broker doesn't respond"))
            }
        }
        do {
            let connection = try MQTTConnection(
                configuration, password: password(), will: (topics.status, "offline"), on: loop
            ) { [unowned self] in self.take($0) }
            self.connection = connection
            connection.open()
        } catch { loop.soon { self.lost(error) } }
    }

    private func take(_ event: MQTTConnection.Event) {
        switch event {
        case .connected: connected()
        case .lost(let error): lost(error)
        case .confirmed(let message):
            guard let key = deliveries.confirm(message) else { return }
            watchDeliveries()
            if case .batch(let key?) = key { onEvent?(.confirmed(key)) }
        case .refused(let message, let error):
            // The rules may allow readings alone, without Home Assistant's topics.
            guard deliveries.contains(message) else { return }
            connection?.close(isPolite: false)
            lost(error)
        case .message(let topic, let payload, let isRetained): received(topic, payload, isRetained)
        }
    }

    private func connected() {
        publish(topics.status, "online", isRetained: true)
        if let discovery = announcements.discovery {
            connection?.subscribe(discovery.birthTopic)
            if isComplete { connection?.subscribe(discovery.ownTopics) }
        }
        if commands != nil { connection?.subscribe(topics.commands) }
        announce()
        onEvent?(.connected)
    }

    private func lost(_ error: any Error) {
        deliveries = MQTTDeliveries()
        loop.disarm(deadline)
        onEvent?(.lost(error))
    }

    /// The broker confirms nothing any more.
    private func giveUp() {
        connection?.close(isPolite: false)
        lost(
            MQTTError(
                "\(configuration.host):\(configuration.port) confirmed nothing for \(DurationText.text(Self.patience))")
        )
    }

    /// The oldest message must be confirmed in time.
    private func watchDeliveries() {
        if deliveries.isEmpty { loop.disarm(deadline) } else { loop.arm(deadline, at: loop.now + Self.patience) }
    }

    private func received(_ topic: String, _ payload: [UInt8], _ isRetained: Bool) {
        if let commands, commands.isCommand(topic) { return obey(commands, topic, payload, isRetained) }
        guard let discovery = announcements.discovery else { return }
        if topic == discovery.birthTopic {
            // Ignores an old retained message, because blekeep just published everything.
            if !isRetained, payload.elementsEqual("online".utf8) { announce() }
        } else if isRetained, !payload.isEmpty, discovery.isObsolete(topic) {
            connection?.publish(topic, [], isRetained: true)
        }
    }

    private func obey(_ commands: MQTTCommands, _ topic: String, _ payload: [UInt8], _ isRetained: Bool) {
        do throws(MQTTCommands.Refusal) {
            let (command, words) = try commands.command(topic, payload, isRetained: isRetained)
            onEvent?(.command(command, words))
        } catch { onEvent?(.ignored(error.reason)) }
    }

    /// Publishes all retained messages.
    private func announce() {
        for (topic, payload) in announcements.all(topics) { connection?.publish(topic, payload, isRetained: true) }
    }

    private func publish(_ topic: String, _ text: String, isRetained: Bool) {
        connection?.publish(topic, Array(text.utf8), isRetained: isRetained)
    }

    // MARK: Readings

    package func send(_ readings: [LiveReading], isLive: Bool, key: Int?) {
        guard let connection else { return }
        var messages: [Int32?] = []
        if isLive {
            for (topic, payload) in announcements.news(in: readings) {
                connection.publish(topic, payload, isRetained: true)
            }
            for message in StateMessage.messages(readings, fields: { self.announcements.fields(of: $0) }) {
                messages.append(publish(message, with: connection))
                if announcements.lifetimes[message.device] != nil { states[message.device] = message }
            }
        } else {
            for reading in readings {
                var line: [UInt8] = []
                writer.append(reading, to: &line)
                messages.append(connection.publish(topics.history(reading.reading.address), line, isRetained: false))
            }
        }
        // A failed publish ends the connection, and then no message of the batch counts as sent.
        guard !messages.contains(nil) else { return }
        deliveries.add(messages.compactMap(\.self), key: key)
        if messages.isEmpty, let key { loop.soon { self.onEvent?(.confirmed(key)) } }
        watchDeliveries()
    }

    /// Publishes a device's values. The broker retains them only in MQTT 5, where they expire: otherwise programs would
    /// take an old value for the current one.
    @discardableResult
    private func publish(_ message: StateMessage, with connection: MQTTConnection) -> Int32? {
        connection.publish(
            topics.state(message.device), message.payload(tags: tags[message.device]),
            isRetained: configuration.version == .v5,
            lifetime: announcements.lifetimes[message.device])
    }

    package func note(_ device: BluetoothAddress, isAvailable: Bool) {
        guard devices.contains(device), announcements.note(device, isAvailable: isAvailable) else { return }
        publish(topics.availability(device), isAvailable ? "online" : "offline", isRetained: true)
    }

    package func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) {
        if configuration.commands.contains(.pause) {
            for device in changes.statuses where announcements.note(device.address, isPaused: device.pause != nil) {
                publish(topics.paused(device.address), device.pause == nil ? "OFF" : "ON", isRetained: true)
            }
        }
        for device in changes.statuses {
            guard let messages = announcements.take(device.interval, of: device.address) else { continue }
            for (topic, payload) in messages { connection?.publish(topic, payload, isRetained: true) }
            // Home Assistant applies the new time to the next message.
            if let connection, let state = states[device.address] { publish(state, with: connection) }
        }
        gateway.take(changes, heartbeat, sink: name)
    }

    private func publish(_ gateway: GatewayState) {
        for (topic, payload) in announcements.take(gateway) { connection?.publish(topic, payload, isRetained: true) }
        connection?.publish(topics.gatewayState, gateway.payload, isRetained: true)
    }

    package func end() {
        publish(topics.status, "offline", isRetained: true)
        handOver()
    }

    /// The gateway stays available.
    package func handOver() {
        gateway.end()
        loop.disarm(deadline)
        connection?.close(isPolite: true)
        connection = nil
    }
}
