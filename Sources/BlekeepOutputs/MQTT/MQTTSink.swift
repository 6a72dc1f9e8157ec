import BlekeepRecords
import RunLoop

/// Sends readings to an MQTT broker: new readings as one message per device and tick, the backlog one by one.
package final class MQTTSink: Sink, @unchecked Sendable {
    package let name = "mqtt"
    package let delivery: SinkDelivery
    package var onEvent: ((SinkEvent) -> Void)?
    private let configuration: MQTTConfiguration
    private let password: () throws -> String?
    private let loop: RunLoop
    private let topics: MQTTTopics
    private let devices: Set<DeviceID>
    private let isComplete: Bool
    private let rules: Set<String>
    /// `nil` when the configuration allows no commands.
    private let commands: MQTTCommands?
    private var announcements: MQTTAnnouncements
    private var connection: MQTTConnection?
    private var deliveries = MQTTDeliveries()
    private let writer: JSONLineWriter
    private let tags: DeviceTags
    private var states = PublishedStates()
    private let version: String
    private lazy var gateway = GatewayReporter(version: version, on: loop) { [unowned self] in self.publish($0) }
    /// When the broker let blekeep in; `nil` without a connection.
    private var acceptedAt: Uptime?
    /// Until this time, blekeep subscribes to nothing, because the broker sent a message that is too long.
    private var isDeafUntil = Uptime.start
    /// How many connections in a row the broker closed soon, without a reason.
    private var shortConnections = 0
    private var poison = MQTTPoison()
    /// What the broker retains of other gateways, and the message whose confirmation comes after it.
    private var look: (neighbors: MQTTNeighbors, end: Int)?
    /// `nil` outside of a fleet.
    private var fleet: FleetMember?
    /// The last signal strength of each device in dBm; only in a fleet.
    private var rssi: [DeviceID: Int] = [:]
    private let wallTime: () -> Int64
    private lazy var renewal = ClosureTimer { [weak self] in
        guard let self else { return }
        publishReport()
        renewStatus()
        announcements.request()
        announce()
    }

    /// After this time without blekeep, the broker drops what it retains of the gateway, in MQTT 5: a power cut may have
    /// ended both, so that the broker doesn't know that the gateway is gone.
    static let lifetime: Duration = .seconds(86_400)
    /// How often others hear that the gateway is there, and of what changes often, such as the strength of signals.
    private static let reportPause: Duration = .seconds(60)
    /// When blekeep publishes it again.
    private static let renewalPause: Duration = .seconds(21_600)

    private lazy var reporting = ClosureTimer { [weak self] in self?.publishReport() }
    private lazy var hearing = ClosureTimer { [weak self] in self?.subscribe() }
    private lazy var announcing = ClosureTimer { [weak self] in self?.announce() }
    /// The topics of devices that have left the configuration, until they are cleared.
    private var leftover: [String] = []
    private lazy var clearing = ClosureTimer { [weak self] in self?.clearLeftover() }
    private lazy var deciding = ClosureTimer { [weak self] in self?.decide() }

    /// - Parameters:
    ///   - isComplete: whether the configuration has all devices of this gateway. Otherwise Home Assistant keeps the
    ///     entities of the others.
    ///   - password: reads the password. It is called for each connection, because the file may change.
    ///   - version: blekeep's version.
    ///   - earlier: the newest readings of an earlier process or configuration.
    ///   - wallTime: returns milliseconds since 1970, only for labels.
    package init(
        _ mqtt: MQTTConfiguration, for configuration: PollConfiguration, isComplete: Bool = true, version: String,
        earlier: [Reading] = [], wallTime: @escaping () -> Int64 = WallClock.milliseconds, on loop: RunLoop,
        password: @escaping () throws -> String?
    ) {
        self.configuration = mqtt
        self.password = password
        self.loop = loop
        self.isComplete = isComplete
        self.version = version
        self.wallTime = wallTime
        fleet = mqtt.fleet.map { FleetMember(fleet: $0, gateway: mqtt.gateway, configuration.devices, at: loop.now) }
        delivery = .newestFirst(rate: mqtt.backlogRate)
        topics = MQTTTopics(mqtt)
        devices = Set(configuration.devices.map(\.id))
        rules = Set(configuration.rules.map(\.name))
        tags = DeviceTags(configuration)
        writer = JSONLineWriter(tags: tags)
        commands = mqtt.commands.isEmpty ? nil : MQTTCommands(mqtt, configuration: configuration)
        announcements = MQTTAnnouncements(
            discovery: HomeAssistantDiscovery(mqtt, configuration: configuration, version: version),
            lifetimes: ValueLifetimes(configuration), earlier: earlier)
    }

    // MARK: The connection

    package func connect() {
        acceptedAt = nil
        // One thread at a time: another would wait for the same name server.
        guard connection?.isStuck != true else {
            return loop.soon {
                self.lost(MQTTError("\(self.configuration.host): the name server or the broker doesn't respond"))
            }
        }
        do {
            let connection = try MQTTConnection(
                configuration, password: password(), will: (topics.status, "offline"), poison: poison, on: loop
            ) { [unowned self] in self.handle($0) }
            self.connection = connection
            connection.open()
        } catch { loop.soon { self.lost(error) } }
    }

    private func handle(_ event: MQTTConnection.Event) {
        switch event {
        case .connected: connected()
        case .lost(let error): lost(explained(error))
        case .confirmed(let message) where message == look?.end: lookedAround()
        case .confirmed(let message): confirmed(message)
        // The rules may allow readings alone, without any other topic.
        case .refused(let message, _) where message == look?.end: lookedAround()
        case .refused(let message, let error):
            // The rules may allow readings alone, without Home Assistant's topics.
            guard let count = deliveries.readings(in: message) else { return announce() }
            if error.isContent {
                onEvent?(.refused(count, reason: error.description))
                return confirmed(message)
            }
            connection?.close(isPolite: false)
            lost(error)
        case .message(let message): received(message)
        }
    }

    private func confirmed(_ message: Int) {
        if case .batch(let key?) = deliveries.confirm(message) { onEvent?(.confirmed(key)) }
        announce()
    }

    private func connected() {
        acceptedAt = loop.now
        guard loop.now >= isDeafUntil else {
            loop.arm(hearing, at: isDeafUntil)
            return begin()
        }
        lookAround()
    }

    /// Learns what the broker retains of other gateways. It sends that before it confirms a later message.
    private func lookAround() {
        let retained = [
            topics.statuses, topics.installation, fleet == nil ? nil : topics.reports,
            announcements.discovery?.deviceTopics,
        ]
        for topic in retained.compactMap(\.self) { connection?.subscribe(topic, isConfirmed: false) }
        if fleet != nil { connection?.subscribe(topics.moves) }
        let end = connection?.publish(topics.check, payload: Array("begin".utf8), isRetained: false)
        let neighbors = MQTTNeighbors(topics, installation: configuration.installation, devices: devices)
        look = end.map { (neighbors, $0) }
    }

    private func lookedAround() {
        let flaw = look?.neighbors.flaw
        look = nil
        if let flaw {
            fleet?.refused()
            connection?.close(isPolite: true)
            return lost(MQTTError("\(configuration.host): \(flaw)"))
        }
        subscribe()
        // First, so that it says nothing of a device that another gateway reads.
        fleet?.looked(at: loop.now)
        let decided = decisions()
        begin()
        for command in decided { onEvent?(.decided(command)) }
    }

    private func begin() {
        // First what it does now: what an earlier process said counts as soon as the gateway is online.
        publishReport()
        renewStatus()
        announcements.begin(at: loop.now)
        announce()
        onEvent?(.connected)
    }

    private func subscribe() {
        if let discovery = announcements.discovery {
            connection?.subscribe(discovery.birthTopic)
            // Again, because the first time other gateways were looked for.
            if isComplete { connection?.subscribe(discovery.deviceTopics) }
        }
        if commands != nil { connection?.subscribe(topics.commands) }
        // The broker sends what it retains; of what blekeep publishes later, it doesn't say that.
        if isComplete { for filter in topics.ofDevices { connection?.subscribe(filter, isConfirmed: false) } }
    }

    /// Clears what the broker retains of a device or a rule that has left the configuration, also before this run: whoever
    /// subscribes would take it for one that is there.
    ///
    /// - Returns: whether the message is of a device.
    private func clear(_ message: MQTTMessage) -> Bool {
        guard let (device, rule) = topics.retained(at: message.topic) else { return false }
        guard message.isRetained, message.payload?.isEmpty == false, isComplete, look == nil,
            fleet?.mayBeElsewhere(device) != true
        else { return true }
        if !devices.contains(device) {
            // Until then, Home Assistant has removed its entities: before, it takes an empty state for a fault.
            let pause = announcements.discovery == nil ? Duration.zero : .seconds(30)
            if leftover.isEmpty { loop.arm(clearing, at: loop.now + pause) }
            let topics = [topics.availability(device), topics.paused(device), topics.state(device), message.topic]
            // The next connection clears the rest.
            if leftover.count < 1000 { leftover += topics.filter { !leftover.contains($0) } }
        } else if rule.map({ !rules.contains($0) })
            ?? (message.topic == topics.paused(device) && !configuration.commands.contains(.pause))
        {
            connection?.publish(message.topic, payload: [], isRetained: true)
        }
        return true
    }

    private func clearLeftover() {
        for topic in leftover { connection?.publish(topic, payload: [], isRetained: true) }
        leftover = []
    }

    private func renewStatus() {
        retain(topics.status, payload: Array("online".utf8))
        if let installation = configuration.installation {
            retain(topics.installation, payload: Array(installation.utf8))
        }
        if configuration.isVersion5() { loop.arm(renewal, at: loop.now + Self.renewalPause) }
    }

    /// The error of a connection that ended. In MQTT 3.1.1, a broker doesn't say that another client took over.
    private func explained(_ error: MQTTError) -> MQTTError {
        // A retained one would come again at each connection, and no reading would arrive.
        if error.isTooLong { isDeafUntil = loop.now + .seconds(3600) }
        guard let start = acceptedAt else { return error }
        acceptedAt = nil
        let hasLasted = loop.now - start >= OutputRetryPause.proof
        if let connection, error.isSilentEnd || error.isContent {
            poison.connectionEnded(
                unconfirmed: connection.suspects, longest: connection.longestConfirmed, hasLasted: hasLasted)
        }
        shortConnections = !hasLasted && error.isSilentEnd ? shortConnections + 1 : 0
        guard shortConnections >= 3 else { return error }
        return MQTTError(
            "\(configuration.host):\(configuration.port) closes each connection soon, as for a client of the same name; check that each gateway has its own `gateway`"
        )
    }

    private func lost(_ error: any Error) {
        deliveries = MQTTDeliveries()
        look = nil
        fleet?.disconnected(at: loop.now)
        for timer in [announcing, renewal, reporting, hearing, clearing] { loop.disarm(timer) }
        leftover = []
        onEvent?(.lost(error))
    }

    private func received(_ message: MQTTMessage) {
        if let commands, commands.isCommand(message.topic) { return obey(commands, message: message) }
        if look != nil {
            let device = announcements.discovery?.device(announcedAt: message.topic)
            look?.neighbors.received(message.topic, payload: message.payload ?? [], announcing: device)
        } else if message.topic == topics.status, message.payload == Array("offline".utf8) {
            // The will of another client of this name.
            return renewStatus()
        }
        if clear(message) { return }
        if heard(message) { return decide() }
        guard let discovery = announcements.discovery else { return }
        if message.topic == discovery.birthTopic {
            // Ignores an old retained message, because blekeep just published everything.
            guard !message.isRetained, message.payload == Array("online".utf8) else { return }
            announcements.request()
            announce()
        } else if message.isRetained, let payload = message.payload, !payload.isEmpty,
            isComplete, look == nil,
            discovery.isObsolete(message.topic, payload: payload, isElsewhere: { fleet?.mayBeElsewhere($0) ?? false })
        {
            connection?.publish(message.topic, payload: [], isRetained: true)
        }
    }

    /// Takes what concerns the fleet. Returns whether the message does.
    private func heard(_ message: MQTTMessage) -> Bool {
        guard fleet != nil else { return false }
        let payload = message.payload ?? []
        if let gateway = topics.gateway(ofStatus: message.topic) {
            fleet?.heard(of: gateway, isOnline: payload == Array("online".utf8), at: loop.now)
            fleet?.heard(of: gateway, isLive: !message.isRetained, at: loop.now)
        } else if let gateway = topics.gateway(ofReport: message.topic) {
            for device in fleet?.heard(of: gateway, payload, at: loop.now) ?? [] {
                // The last that the other one said of it may be that it is away.
                if fleet?.isInCharge(of: device) == true { announcements.renew(device) }
            }
            fleet?.heard(of: gateway, isLive: !message.isRetained, at: loop.now)
            announce()
        } else if let device = topics.device(ofMove: message.topic) {
            // A retained one would come again at each connection.
            guard !message.isRetained else { return true }
            fleet?.moved(device, to: String(decoding: payload.prefix(64), as: UTF8.self), at: loop.now)
        } else {
            return false
        }
        return true
    }

    private func decide() {
        for command in decisions() { onEvent?(.decided(command)) }
    }

    /// Decides who reads the devices that several gateways may read. What this one leaves, it announces no more.
    private func decisions() -> [DeviceCommand] {
        guard let commands = fleet?.decide(at: loop.now) else { return [] }
        for command in commands {
            guard case .standBy(_, atLinkEnd: false) = command.action else { continue }
            announcements.note(command.device, isElsewhere: true)
        }
        if let next = fleet?.nextDecision(after: loop.now), next < .never { loop.arm(deciding, at: next) }
        return commands
    }

    private func publishReport() {
        guard let fleet else { return }
        retain(topics.report, payload: fleet.payload)
        loop.arm(reporting, at: loop.now + Self.reportPause)
    }

    private func obey(_ commands: MQTTCommands, message: MQTTMessage) {
        do throws(UserError) {
            let (command, words) = try commands.command(
                message.topic, payload: message.payload, isRetained: message.isRetained)
            onEvent?(.command(command, words))
        } catch { onEvent?(.ignored(error.message)) }
    }

    /// Publishes retained messages, as far as the connection has room. It is called again with each confirmation.
    private func announce() {
        while let connection, connection.hasRoom {
            switch announcements.next(topics, at: loop.now, time: wallTime()) {
            case .publish(let messages, let device):
                for (topic, payload) in messages { retain(topic, payload: payload) }
                // Home Assistant applies a new time to the next message.
                if let device, let state = states[device] { publish(state, with: connection) }
            case .wait(let time): return loop.arm(announcing, at: time)
            case .done: return
            }
        }
    }

    private func retain(_ topic: String, payload: [UInt8]) {
        // Nothing, until it is known that no other gateway has these topics.
        guard look == nil else { return }
        connection?.publish(
            topic, payload: payload, isRetained: true, lifetime: topics.isOwn(topic) ? Self.lifetime : nil)
    }

    // MARK: Readings

    package func send(_ readings: [LiveReading], isLive: Bool, key: Int?) {
        guard let connection else { return }
        var messages: [Int: Int] = [:]
        if isLive {
            for (topic, payload) in announcements.news(in: readings) {
                connection.publish(topic, payload: payload, isRetained: true)
            }
            for live in readings { publishEvent(live.reading, with: connection) }
            for message in StateMessage.messages(readings, fields: { self.announcements.fields(of: $0) }) {
                // A failed publish ends the connection, and then no message of the batch counts as sent.
                guard let number = publish(message, with: connection) else { return }
                messages[number] = message.count
            }
        } else {
            for reading in readings {
                var line: [UInt8] = []
                writer.append(reading, to: &line)
                let topic = topics.history(reading.reading.id)
                guard let number = connection.publish(topic, payload: line, isRetained: false) else { return }
                messages[number] = 1
            }
        }
        deliveries.add(messages, key: key)
        if messages.isEmpty, let key { loop.soon { self.onEvent?(.confirmed(key)) } }
    }

    /// Publishes the press of a button or the like. The second of the same kind changes no value.
    private func publishEvent(_ reading: Reading, with connection: MQTTConnection) {
        guard case .value(let measurement, _) = reading.outcome, measurement.isEvent,
            case .text(let event)? = measurement.value, announcements.lifetimes[reading.id] != nil
        else { return }
        let payload = JSON.object([
            "key": .text(FieldKey(reading, field: measurement.field).description), "event_type": .text(event),
            "time": .text(UTCTime(milliseconds: reading.time).iso),
        ])
        connection.publish(topics.events(reading.id), payload: payload.bytes, isRetained: false)
    }

    /// Publishes a device's values. The broker retains them only in MQTT 5, where they expire: otherwise programs would
    /// take an old value for the current one.
    @discardableResult
    private func publish(_ message: StateMessage, with connection: MQTTConnection) -> Int? {
        if announcements.lifetimes[message.device] != nil { states.published(message, at: loop.now) }
        return connection.publish(
            topics.state(message.device),
            payload: message.payload(
                tags: tags[message.device],
                gateway: topics.isFleet ? topics.gateway : nil, rssi: rssi[message.device]),
            isRetained: configuration.isVersion5(),
            lifetime: announcements.lifetimes.expiry(of: message.device))
    }

    package func note(_ device: DeviceID, isAvailable: Bool) {
        guard devices.contains(device), fleet?.isInCharge(of: device) != false else { return }
        if isAvailable { confirm(device) }
        guard announcements.note(device, isAvailable: isAvailable) else { return }
        retain(topics.availability(device), payload: Array((isAvailable ? "online" : "offline").utf8))
    }

    /// Publishes again what a device said last, because it still says so: what it repeats, and what is throttled, is no
    /// new reading. Otherwise, its values would expire while blekeep hears it.
    private func confirm(_ device: DeviceID) {
        guard let connection, connection.hasRoom, look == nil,
            let lifetime = announcements.lifetimes.expiry(of: device),
            let state = states.aging(of: device, lifetime: lifetime, at: loop.now)
        else { return }
        publish(state, with: connection)
    }

    package func note(_ changes: LedgerChanges, _ heartbeat: Heartbeat?) {
        var changes = changes
        // Not of those that left the configuration.
        changes.statuses.removeAll { !devices.contains($0.id) }
        if configuration.commands.contains(.pause) {
            for device in changes.statuses where announcements.note(device.id, isPaused: device.pause != nil) {
                retain(topics.paused(device.id), payload: Array((device.pause == nil ? "OFF" : "ON").utf8))
            }
        }
        for device in changes.statuses { rssi[device.id] = device.rssi }
        if fleet != nil { apply(changes) }
        for device in changes.statuses { announcements.apply(device.interval, of: device.id) }
        for rule in changes.rules where devices.contains(rule.device) {
            for (topic, payload) in announcements.note(rule, topics) { retain(topic, payload: payload) }
        }
        for rule in changes.leftRules {
            for (topic, payload) in announcements.forget(rule, topics) { retain(topic, payload: payload) }
        }
        announce()
        gateway.apply(changes, heartbeat: heartbeat, sink: name)
    }

    private func apply(_ changes: LedgerChanges) {
        for device in changes.statuses { announcements.note(device.id, isElsewhere: device.isStandingBy) }
        if fleet?.apply(changes, time: wallTime()) == true { publishReport() }
        decide()
    }

    private func publish(_ gateway: GatewayState) {
        for (topic, payload) in announcements.apply(gateway) { retain(topic, payload: payload) }
        retain(topics.gatewayState, payload: gateway.payload(at: wallTime()))
    }

    package var role: String { "\(topics.status) on \(configuration.host):\(configuration.port)" }

    package func end() {
        connection?.publish(topics.status, payload: Array("offline".utf8), isRetained: true)
        handOver()
    }

    /// The gateway stays available.
    package func handOver() {
        gateway.end()
        for timer in [deciding, announcing, renewal, reporting, hearing] { loop.disarm(timer) }
        connection?.close(isPolite: true)
        connection = nil
    }
}

/// The messages that the broker hasn't confirmed, by the batch of readings that they carry.
struct MQTTDeliveries {
    enum Confirmation: Hashable {
        /// A message of a batch that has others.
        case part
        /// The last message of a batch, and the batch's key, if it has one.
        case batch(Int?)
    }

    private struct Batch {
        let key: Int?
        /// The number of readings in each message.
        var messages: [Int: Int]
    }

    private var batches: [Batch] = []

    /// The number of readings in a message; `nil` for a message that carries none.
    func readings(in message: Int) -> Int? { batches.lazy.compactMap { $0.messages[message] }.first }

    /// - Parameter messages: the number of readings in each message.
    mutating func add(_ messages: [Int: Int], key: Int?) {
        if !messages.isEmpty { batches.append(Batch(key: key, messages: messages)) }
    }

    /// - Returns: `nil` for a message that carries no readings.
    mutating func confirm(_ message: Int) -> Confirmation? {
        guard let index = batches.firstIndex(where: { $0.messages[message] != nil }) else { return nil }
        batches[index].messages[message] = nil
        guard batches[index].messages.isEmpty else { return .part }
        return .batch(batches.remove(at: index).key)
    }
}
