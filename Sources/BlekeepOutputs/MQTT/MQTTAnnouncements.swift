import BlekeepRecords
import DequeModule
import RunLoop

/// The retained messages of this gateway besides values: its entities, and whether each device can be read.
struct MQTTAnnouncements {
    let discovery: HomeAssistantDiscovery?
    private(set) var lifetimes: ValueLifetimes
    private var gateway: GatewayState?
    private var availability: [DeviceID: Bool] = [:]
    /// The devices that another gateway reads, and announces.
    private var elsewhere: Set<DeviceID> = []
    /// Whether a user has paused each device; only when the configuration allows that.
    private var pauses: [DeviceID: Bool] = [:]
    /// The controls that set values, by the field that they set.
    private var setters: [DeviceID: [FieldKey: HomeAssistantControl]] = [:]
    private var entities: [DeviceID: [FieldKey: HomeAssistantEntity]] = [:]
    private var rules: [DeviceID: [String: RuleStatus]] = [:]
    private var information: [DeviceID: DeviceInformation] = [:]
    private var fields: [DeviceID: [ReadingSource: [FieldKey]]] = [:]

    /// The most fields of a device that are announced: a device chooses how many it has.
    static let maxFields = 256

    /// - Parameter earlier: the newest readings of an earlier process or configuration. Without the device information in
    ///   them, Home Assistant would get other messages at first, and show no value until the next one.
    init(discovery: HomeAssistantDiscovery?, lifetimes: ValueLifetimes, earlier: [Reading] = []) {
        self.discovery = discovery
        self.lifetimes = lifetimes
        for reading in earlier where lifetimes[reading.id] != nil {
            _ = information[reading.id, default: DeviceInformation()].apply(reading)
            _ = self.lifetimes.learn(from: reading)
        }
    }

    /// Takes whether another gateway reads a device. What this one knows of it is published again when it reads it.
    mutating func note(_ device: DeviceID, isElsewhere: Bool) {
        if isElsewhere {
            if elsewhere.insert(device).inserted { availability[device] = nil }
        } else if elsewhere.remove(device) != nil {
            parts.append(.device(device, withState: false))
        }
    }

    /// Publishes again what this gateway says of a device that it reads.
    mutating func renew(_ device: DeviceID) {
        let part = Part.device(device, withState: true)
        if !parts.contains(part) { parts.append(part) }
    }

    /// - Returns: whether the availability changed.
    mutating func note(_ device: DeviceID, isAvailable: Bool) -> Bool {
        availability.updateValue(isAvailable, forKey: device) != isAvailable
    }

    /// Takes how a rule does for a device. Returns what to publish; nothing for a device that another gateway reads.
    mutating func note(_ rule: RuleStatus, _ topics: MQTTTopics) -> [(topic: String, payload: [UInt8])] {
        let old = rules[rule.device]?[rule.rule]
        rules[rule.device, default: [:]][rule.rule] = rule
        guard !elsewhere.contains(rule.device) else { return [] }
        let isSame = old.map { Self.payload(of: $0) == Self.payload(of: rule) } ?? false
        return (old == nil ? [discovery?.message(rule)].compactMap(\.self) : [])
            + (isSame ? [] : [(topics.rule(rule.rule, of: rule.device), Self.payload(of: rule))])
    }

    /// Takes that a rule has left the configuration. Returns what to publish, so that the broker forgets it.
    mutating func forget(_ rule: RuleKey, _ topics: MQTTTopics) -> [(topic: String, payload: [UInt8])] {
        guard let old = rules[rule.device]?.removeValue(forKey: rule.rule), !elsewhere.contains(rule.device) else {
            return []
        }
        return [(topics.rule(rule.rule, of: rule.device), [])]
            + [discovery?.message(old)].compactMap(\.self).map { ($0.topic, []) }
    }

    private static func payload(of rule: RuleStatus) -> [UInt8] {
        func time(_ moment: RuleMoment?) -> JSON? {
            moment.flatMap { $0.isSet ? .text(UTCTime(milliseconds: $0.time).iso) : nil }
        }
        let object = JSON.object([
            "firing": .boolean(rule.isFiring), "fired": time(rule.fired), "ended": time(rule.ended),
            "firings": .integer(Int(rule.firings)), "message": .text(rule.message),
            "condition": .text(rule.condition),
        ])
        return object.bytes
    }

    /// Returns the fields that earlier readings of a failed characteristic had.
    func fields(of live: LiveReading) -> [FieldKey] {
        guard case .failure = live.reading.outcome, let points = fields[live.reading.id] else { return [] }
        // A device that failed as a whole has no characteristic.
        if live.reading.isOfWholeDevice {
            return points.values.flatMap(\.self).sorted { $0.description < $1.description }
        }
        return points[live.reading.source] ?? []
    }

    /// Takes new fields and new device information. Returns the messages for new and changed entities.
    mutating func news(in readings: [LiveReading]) -> [(topic: String, payload: [UInt8])] {
        var changed: [HomeAssistantEntity] = []
        var controls: [HomeAssistantControl] = []
        for live in readings where lifetimes[live.reading.id] != nil {
            let device = live.reading.id
            if lifetimes.learn(from: live.reading) {
                changed += entities[device, default: [:]].values.filter { !changed.contains($0) }
            }
            if information[device, default: DeviceInformation()].apply(live.reading) {
                controls += self.controls(of: device).filter { control in
                    !controls.contains { $0.object == control.object }
                }
                changed += entities[device, default: [:]].values.filter { !changed.contains($0) }
            }
            guard let entity = entity(for: live.reading) else { continue }
            changed += entities[device]?.count == 1 ? [entity] + connection(of: device) : [entity]
            guard let setter = discovery?.control(setting: entity, of: live.reading) else { continue }
            setters[device, default: [:]][entity.key] = setter
            controls.append(setter)
        }
        return changed.compactMap { message($0) } + controls.compactMap { message($0) }
    }

    private func controls(of device: DeviceID) -> [HomeAssistantControl] {
        (discovery?.controls(of: device) ?? []) + (setters[device, default: [:]].map(\.value))
    }

    private func message(_ control: HomeAssistantControl) -> (topic: String, payload: [UInt8])? {
        discovery?.message(control, information: information[control.device] ?? DeviceInformation())
    }

    /// Takes whether a user has paused a device. Returns whether that changed.
    mutating func note(_ device: DeviceID, isPaused: Bool) -> Bool {
        pauses.updateValue(isPaused, forKey: device) != isPaused
    }

    /// - Returns: the entity of a field that is new.
    private mutating func entity(for reading: Reading) -> HomeAssistantEntity? {
        guard case .value(let measurement, _) = reading.outcome else { return nil }
        let device = reading.id
        let key = FieldKey(reading, field: measurement.field)
        let point = reading.source
        let known = fields[device, default: [:]]
        if known[point]?.contains(key) != true, known.values.reduce(0, { $0 + $1.count }) < Self.maxFields {
            fields[device, default: [:]][point, default: []].append(key)
        }
        guard entities[device]?[key] == nil, entities[device]?.count ?? 0 < Self.maxFields,
            let entity = HomeAssistantEntity(reading)
        else { return nil }
        entities[device, default: [:]][key] = entity
        return entity
    }

    /// Returns what a device has beside its fields, with the first field.
    private mutating func connection(of device: DeviceID) -> [HomeAssistantEntity] {
        let found = HomeAssistantEntity.connection(of: device)
        for entity in found { entities[device, default: [:]][entity.key] = entity }
        return found
    }

    private func message(_ entity: HomeAssistantEntity) -> (topic: String, payload: [UInt8])? {
        guard lifetimes[entity.device] != nil else { return nil }
        return discovery?.message(
            entity, information: information[entity.device] ?? DeviceInformation(),
            expiry: entity.isLasting ? nil : lifetimes.expiry(of: entity.device, entity.characteristic))
    }

    /// Takes the interval in force of a device. If its entities expire at another time now, they are announced again,
    /// and then its values.
    mutating func apply(_ interval: Duration?, of device: DeviceID) {
        guard !elsewhere.contains(device), lifetimes.apply(interval, of: device), entities[device] != nil else {
            return
        }
        parts.append(.device(device, withState: true))
    }

    /// Takes the gateway's state. Returns the messages about the gateway's entities, if there are others now.
    mutating func apply(_ state: GatewayState) -> [(topic: String, payload: [UInt8])] {
        let hadBattery = gateway?.battery != nil
        gateway = state
        return hadBattery == (state.battery != nil) ? [] : gatewayMessages
    }

    private var gatewayMessages: [(topic: String, payload: [UInt8])] {
        discovery?.gatewayMessages(hasBattery: gateway?.battery != nil) ?? []
    }

    // MARK: Everything

    /// A part of everything that is published at once.
    private enum Part: Equatable {
        case gateway
        case device(DeviceID, withState: Bool)
    }

    enum Next {
        /// - Parameter state: the device whose values are published after the messages.
        case publish([(topic: String, payload: [UInt8])], state: DeviceID?)
        /// Nothing is due before this time.
        case wait(Uptime)
        case done
    }

    /// What is still to be published.
    private var parts = Deque<Part>()
    /// Whether everything was requested, and hasn't begun.
    private var isRequested = false
    /// Whether everything is being published.
    private var begun: Uptime?
    private var nextBegin = Uptime.start

    /// The shortest pause after everything was published. The pause is ten times as long as the publishing was.
    static let shortestPause: Duration = .seconds(10)

    /// Publishes everything, to a new connection.
    mutating func begin(at now: Uptime) {
        (isRequested, begun) = (false, now)
        var devices = Set(availability.keys).union(pauses.keys).union(entities.keys).union(rules.keys)
        if let discovery { devices.formUnion(discovery.controlled) }
        parts = Deque([.gateway] + devices.map { .device($0, withState: false) })
    }

    /// Publishes everything again, once, after what is being published and a pause, however often it is requested.
    mutating func request() { isRequested = true }

    /// Returns what to publish next.
    mutating func next(_ topics: MQTTTopics, at now: Uptime, time: Int64) -> Next {
        if parts.isEmpty, let start = begun {
            begun = nil
            nextBegin = now + max(Self.shortestPause, (now - start) * 10)
        }
        if parts.isEmpty, isRequested {
            guard now >= nextBegin else { return .wait(nextBegin) }
            begin(at: now)
        }
        switch parts.popFirst() {
        case nil: return .done
        case .gateway?:
            return .publish(
                (gateway.map { [(topics.gatewayState, $0.payload(at: time))] } ?? []) + gatewayMessages, state: nil)
        case .device(let device, let withState)?:
            return .publish(messages(of: device, topics), state: withState ? device : nil)
        }
    }

    private func messages(of device: DeviceID, _ topics: MQTTTopics) -> [(topic: String, payload: [UInt8])] {
        if elsewhere.contains(device) { return [] }
        let state = availability[device].map {
            [(topics.availability(device), Array(($0 ? "online" : "offline").utf8))]
        }
        let pause = pauses[device].map { [(topics.paused(device), Array(($0 ? "ON" : "OFF").utf8))] }
        let firing = rules[device, default: [:]].values.sorted { $0.rule < $1.rule }.flatMap { rule in
            [(topics.rule(rule.rule, of: device), Self.payload(of: rule))]
                + [discovery?.message(rule)].compactMap(\.self)
        }
        return (state ?? []) + (pause ?? []) + firing + controls(of: device).compactMap { message($0) }
            + entities[device, default: [:]].values.compactMap { message($0) }
    }
}
