import Blekeep
import Yams

/// `mqtt:` below `sinks:`.
extension ConfigurationParser {
    static let mqttKeys = [
        "url", "version", "user", "password_file", "ca_file", "cert_file", "key_file", "base", "gateway",
        "backlog_rate",
        "discovery", "commands",
    ]

    mutating func mqtt(_ entry: YAMLEntry) -> MQTTConfiguration? {
        guard let entries = reader.mapping(entry.node, what: "`mqtt`", keys: Self.mqttKeys) else { return nil }
        guard let urlEntry = entries["url"] else {
            reader.note(
                "mqtt needs its `url`; add one, such as `url: mqtts://broker.example`", at: reader.place(of: entry.node)
            )
            return nil
        }
        guard let text = reader.text(urlEntry, what: "a URL") else { return nil }
        guard let url = MQTTURL(text) else {
            reader.note(
                "`url` isn't mqtt://HOST or mqtts://HOST, with :PORT where it is another than 1883 or 8883",
                at: urlEntry.valuePlace(in: reader.file))
            return nil
        }
        let gateway = topicPart(entries["gateway"]) ?? Self.hostGateway
        var mqtt = MQTTConfiguration(
            host: url.host, port: url.port, isEncrypted: url.isEncrypted, gateway: gateway)
        if let version = entries["version"] { mqtt.version = mqttVersion(version) ?? .v5 }
        mqtt.user = entries["user"].flatMap { reader.text($0, what: "a user's name") }
        mqtt.passwordFile = entries["password_file"].flatMap { secretFile($0) }
        mqtt.caFile = entries["ca_file"].flatMap { path($0) }
        mqtt.certificateFile = entries["cert_file"].flatMap { path($0) }
        mqtt.keyFile = entries["key_file"].flatMap { path($0) }
        if let base = topicPart(entries["base"]) { mqtt.base = base }
        if let rate = reader.integer(entries["backlog_rate"], in: MQTTConfiguration.backlogRates) {
            mqtt.backlogRate = rate
        }
        if let discovery = entries["discovery"] { mqtt.discovery = discoveryPrefix(discovery) }
        mqtt.commands = Set(
            reader.list(entries["commands"], what: "commands: poll, pause, set").compactMap { mqttCommand($0) })
        check(mqtt, entries)
        return mqtt
    }

    /// Checks keys that depend on each other.
    private mutating func check(_ mqtt: MQTTConfiguration, _ entries: [String: YAMLEntry]) {
        func place(_ key: String) -> ConfigurationLocation? { entries[key].map { $0.valuePlace(in: reader.file) } }
        if let place = place("password_file"), mqtt.user == nil {
            reader.note("`password_file` needs a `user`; add one", at: place)
        }
        if (mqtt.certificateFile == nil) != (mqtt.keyFile == nil), let place = place("cert_file") ?? place("key_file") {
            reader.note("`cert_file` and `key_file` belong together; add the other one", at: place)
        }
        guard !mqtt.isEncrypted else { return }
        for key in ["ca_file", "cert_file", "key_file"] {
            guard let place = place(key) else { continue }
            reader.note("`\(key)` has no effect without TLS; write mqtts:// in `url`", at: place)
            return
        }
    }

    private mutating func mqttVersion(_ entry: YAMLEntry) -> MQTTConfiguration.Version? {
        guard let text = reader.text(entry, what: "5 or 3.1.1") else { return nil }
        if let version = MQTTConfiguration.Version(rawValue: text) { return version }
        reader.note("`version` is \(Quoted.text(text)); it can be 5 or 3.1.1", at: entry.valuePlace(in: reader.file))
        return nil
    }

    private mutating func mqttCommand(_ node: Node) -> MQTTConfiguration.Command? {
        let place = reader.place(of: node)
        let entry = YAMLEntry(key: "commands", place: place, node: node)
        guard let text = reader.text(entry, what: "poll, pause or set") else { return nil }
        if let command = MQTTConfiguration.Command(rawValue: text) { return command }
        reader.note("\(Quoted.text(text)) isn't a command; `commands` can have poll, pause and set", at: place)
        return nil
    }

    /// A path, or the name of a credential.
    mutating func secretFile(_ entry: YAMLEntry) -> String? {
        guard let text = reader.text(entry, what: "the path of a file, or a credential's name") else { return nil }
        if text.hasPrefix("/") { return path(entry) }
        if Credentials.isName(text) { return text }
        reader.note(
            "\(Quoted.text(text)) is neither the whole path of a file nor a credential's name",
            at: entry.valuePlace(in: reader.file))
        return nil
    }

    private mutating func topicPart(_ entry: YAMLEntry?) -> String? {
        guard let entry, let text = reader.text(entry, what: "a word") else { return nil }
        if MQTTConfiguration.isTopicPart(text) { return text }
        reader.note(
            "`\(entry.key)` is \(Quoted.text(text)); it can have up to 64 letters, digits, `_` and `-`",
            at: entry.valuePlace(in: reader.file))
        return nil
    }

    /// `false` for none.
    private mutating func discoveryPrefix(_ entry: YAMLEntry) -> String? {
        entry.node.bool == false ? nil : topicPart(entry)
    }

    /// This machine's name, as far as a topic can have it.
    private static var hostGateway: String {
        let name = HostName.short.map { MQTTConfiguration.isTopicPart(String($0)) ? $0 : "-" }
        let text = String(name.prefix(64))
        return MQTTConfiguration.isTopicPart(text) ? text : "gateway"
    }
}
