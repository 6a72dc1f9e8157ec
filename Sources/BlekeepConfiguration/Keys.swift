import BlekeepOutputs
import BlekeepRecords
import Glibc
import Yams

// All keys of a configuration file, each declared once, by section. The order is that of messages and outputs.

// MARK: The whole file

extension Configuration: Section {
    static var blank: Self { Self() }

    static var keys: [Key<Self>] {
        [
            Key(
                "adapter", \.poll.adapter, .adapter, default: "each device's best",
                remark: "of several adapters, the one that hears a device best",
                examples: ["hci0"], "the adapter for devices that name none: its address, or its name"),
            Key(
                "gateway", \.gateway, .gatewayName, default: "the machine's name", examples: ["cellar"],
                "this gateway's name: in all outputs, in topics of MQTT, and in `gateways` of devices"),
            Key("interval", \.poll.interval, .duration(in: PollConfiguration.intervals), "the time between ticks"),
            Key(
                "throttle", \.poll.throttle, .duration(in: PollConfiguration.throttles),
                "the shortest time between two stored values that a device sends by itself; `0s` stores all"),
            Key(
                "scan", \.poll.scan,
                .word("a way to listen") {
                    switch $0 {
                    case .auto: "passively where bluetoothd can, else when a value is older than its interval"
                    case .passive: "without asking any device; needs `Experimental = true` in BlueZ's `main.conf`"
                    case .active: "without a pause, which costs the batteries of all sensors in range"
                    }
                }, "how blekeep listens to devices that only advertise"),
            Key(
                "max_links", \.poll.maxLinks, .integer(in: 1...64),
                "the maximum number of connections of an adapter"),
            Key(
                "history", section: \.history,
                "where blekeep stores readings, and how much of the disk they may take; a path alone will do"),
            Key("power", section: \.poll.power, "how ticks slow down to save power"),
            Key(
                "on_stop", \.poll.onStop,
                .word("a stop policy") {
                    switch $0 {
                    case .disconnect: "blekeep disconnects"
                    case .keep: "persistent connections stay for the next start of `poll`"
                    }
                }, "what happens to open connections when blekeep ends"),
            Key(
                "recovery", section: \.poll.recovery,
                "what blekeep may do when gentle means fail; each may disturb other programs"),
            Key("sinks", section: \.sinks, "where readings go besides the history and standard output"),
            Key("metrics", section: \.metrics, "metrics for Prometheus"),
            Key(
                "rules", list: \.poll.rules, of: "a rule",
                "conditions on values: they show in `status`, on pages, in metrics and in Home Assistant, and run `notices`"
            ),
            Key(
                "notices", list: \.notices, of: "a notice",
                "commands that `blekeep notices` runs when something happens, with JSON on their standard input"),
            tagsKey,
            Key("devices", list: \.poll.devices, of: "a device", "the devices to read"),
            layoutsKey, recipesKey,
        ]
    }
}

extension Configuration {
    /// This machine's name up to the first dot, as far as a topic can have it.
    static var hostGateway: String {
        var system = utsname()
        guard uname(&system) == 0 else { return "gateway" }
        let bytes = withUnsafeBytes(of: system.nodename) { Array($0) }
        let name = String(decoding: bytes.prefix { $0 != 0 && $0 != UInt8(ascii: ".") }, as: UTF8.self)
        let text = String(name.map { MQTTConfiguration.isTopicPart(String($0)) ? $0 : "-" }.prefix(64))
        return MQTTConfiguration.isTopicPart(text) ? text : "gateway"
    }
}

extension HistoryConfiguration: Section {
    static var blank: Self { Self() }
    static var shorthand: String? { "path" }

    static var keys: [Key<Self>] {
        [
            Key(
                "path", \.path, .path, default: "see below", remark: "nowhere",
                examples: ["/var/lib/blekeep/history.sqlite"], "the SQLite file"),
            Key(
                "size", \.size, .size(atLeast: leastSize), "the maximum space for readings; blekeep deletes the oldest"),
            Key(
                "rollups", \.rollups, .size(atLeast: leastRollups),
                "the maximum space for summaries, which stay longer than readings"),
            Key("reserve", \.reserve, .size(atLeast: 0), "the space on the disk that stays free for other programs"),
        ]
    }
}

extension PowerConfiguration: Section {
    static var blank: Self { Self() }

    static var keys: [Key<Self>] {
        [
            Key(
                "mode", \.choice, .word("a power mode"),
                "what the power mode is; `auto` follows UPower and the power profile"),
            Key("battery", \.intervals.battery, .rule, "ticks while the machine runs on battery"),
            Key("low", \.intervals.low, .rule, "ticks with a low battery or the power-saver profile"),
            Key("critical", \.intervals.critical, .rule, "ticks with a critical battery"),
            Key("wake", \.wakes, .flag, "`true`: wake a sleeping machine for ticks, every 15m at most"),
        ]
    }
}

extension Set: Section where Element == RecoveryStep {
    static var blank: Self { [] }

    static var keys: [Key<Self>] {
        RecoveryStep.allCases.map { step in
            let help =
                switch step {
                case .powerCycle: "turn an adapter off and on when it reaches no device, every 10m at most"
                case .restartBluetooth: "then have systemd restart bluetoothd, every 30m at most"
                case .forgetStale:
                    "remove an unpaired device from BlueZ's cache when its values no longer match, once a day"
                case .preferLowEnergy: "set `PreferredBearer` to `le` when BlueZ tries classic Bluetooth"
                }
            return Key(step.rawValue, \.[allows: step], .flag, "`true`: \(help)")
        }
    }

    private subscript(allows step: RecoveryStep) -> Bool {
        get { contains(step) }
        set { if newValue { insert(step) } else { remove(step) } }
    }
}

// MARK: Outputs

extension SinkConfiguration: Section {
    static var blank: Self { Self() }

    static var keys: [Key<Self>] {
        [
            Key("file", section: \.file, "one JSON object a line; every reading once, also after a crash"),
            Key("mqtt", section: \.mqtt, "an MQTT broker; each reading at least once"),
            Key("influx", section: \.influxKeys, "an InfluxDB; each reading at least once"),
            Key(
                "webhook", section: \.webhook,
                "a server that takes a JSON array of readings with POST; each reading at least once"),
            Key("postgres", section: \.postgres, "a PostgreSQL for the readings of one or many gateways; each once"),
        ]
    }

    private var influxKeys: InfluxKeys? {
        get { influx.map { InfluxKeys($0) } }
        set { influx = newValue?.configuration }
    }
}

extension SinkConfiguration.File: Section {
    static var blank: Self { Self(path: "") }

    static var keys: [Key<Self>] {
        [
            Key(
                "path", \.path, .path, examples: ["/var/log/blekeep.ndjson"], required: "a file needs its `path`",
                "the file"),
            Key("size", \.size, .size(atLeast: leastSize), "the size at which blekeep renames the file to `PATH.1`"),
            Key("keep", \.keep, .integer(in: keeps), "the number of older files"),
        ]
    }
}

extension MQTTConfiguration: Section {
    static var blank: Self { Self(host: "", port: 1883, isEncrypted: false, gateway: Configuration.hostGateway) }

    static var keys: [Key<Self>] {
        let account: [Key<Self>] = [
            Key(
                "url", \.url, .mqttURL, examples: ["mqtts://broker.example"], required: "mqtt needs its `url`",
                "the broker; `mqtts` is TLS, which always verifies"),
            Key(
                "version", \.version, .version,
                "the version of MQTT; `auto` is 5 with libmosquitto 2.0.16 or newer, and else 3.1.1"),
            Key("user", \.user, .any("a user's name"), examples: ["blekeep"], "the user of the broker"),
            Key(
                "password_file", \.passwordFile, .secret(.password), examples: ["/etc/blekeep/mqtt-password"],
                "a file whose first line is the password"),
        ]
        let topics: [Key<Self>] = [
            Key("base", \.base, .topicPart, "topics are `BASE/GATEWAY/DEVICE/state` and so on"),
            Key(
                "fleet", \.fleet, .topicPart, examples: ["home"],
                "the second part of devices' topics, the same for all gateways that may read them"),
            Key(
                "keepalive", \.keepAlive, .duration(in: keepAlives), default: "`60s`; `20s` with `fleet`",
                examples: ["20s"], shown: .unlessDefault,
                "the longest silence; after one and a half of it, the broker takes the gateway for gone"),
            Key("backlog_rate", \.backlogRate, .integer(in: backlogRates), "readings a second after an outage"),
            Key("discovery", \.discovery, .topicPartOrFalse, "Home Assistant's prefix; `false`: no discovery"),
            Key(
                "commands", \.commands, .words("a command"), default: "none", examples: ["[poll, pause, set]"],
                shown: .unlessDefault, "what the broker's users may do"),
        ]
        return account + certificateKeys(\.caFile, certificate: \.certificateFile, key: \.keyFile) + topics
    }

    static func check(_ draft: Draft<Self>, in reader: inout YAMLReader) {
        guard draft.isComplete else { return }
        if let place = draft.at.keys["password_file"]?.value, draft.section.user == nil {
            reader.note("`password_file` needs a `user`; add one", at: place)
        }
        checkCertificates(draft, isEncrypted: draft.section.isEncrypted, scheme: "mqtts://", in: &reader)
    }

    private var url: ServerURL {
        get { ServerURL(scheme: "mqtt", host: host, port: port, isEncrypted: isEncrypted) }
        set { (host, port, isEncrypted) = (newValue.host, newValue.port, newValue.isEncrypted) }
    }
}

extension HTTPServerConfiguration {
    fileprivate var url: ServerURL {
        get { ServerURL(scheme: "http", host: host, port: port, isEncrypted: isEncrypted, path: path) }
        set {
            (host, port, isEncrypted, path) = (newValue.host, newValue.port, newValue.isEncrypted, newValue.path)
        }
    }

    fileprivate static var blank: Self { Self(host: "", port: 80, isEncrypted: false) }
}

/// The keys of an HTTP server besides its URL.
private func serverKeys<S: Section>(_ server: WritableKeyPath<S, HTTPServerConfiguration>) -> [Key<S>] {
    certificateKeys(
        server.appending(path: \.caFile), certificate: server.appending(path: \.certificateFile),
        key: server.appending(path: \.keyFile)
    ) + [
        Key(
            "batch_age", server.appending(path: \.batchAge), .duration(in: HTTPServerConfiguration.batchAges),
            "how long new readings wait for others"),
        Key(
            "backlog_rate", server.appending(path: \.backlogRate), .integer(in: HTTPServerConfiguration.backlogRates),
            "readings a second after an outage"),
    ]
}

/// The keys of `influx:`, of which a database of InfluxDB 1 has other ones than a bucket of InfluxDB 2.
private struct InfluxKeys: Section {
    var server = HTTPServerConfiguration.blank
    var database, user, passwordFile: String?
    var organization, bucket, tokenFile: String?

    static var blank: Self { Self() }

    static var keys: [Key<Self>] {
        [
            Key(
                "url", \.server.url, .httpURL(), examples: ["https://influx.example:8086"],
                required: "influx needs its `url`", "the server; `https` is TLS, which always verifies"),
            Key(
                "database", \.database, .name, default: "required, or `bucket`", examples: ["blekeep"],
                "of InfluxDB 1; for InfluxDB 2 write `org`, `bucket` and `token_file` instead"),
            Key("user", \.user, .name, examples: ["blekeep"], "of InfluxDB 1, with its `password_file`"),
            Key(
                "password_file", \.passwordFile, .secret(.password), examples: ["/etc/blekeep/influx-password"],
                "a file whose first line is the password"),
            Key("org", \.organization, .name, default: "required, or `database`", "of InfluxDB 2"),
            Key("bucket", \.bucket, .name, default: "required, or `database`", "of InfluxDB 2"),
            Key(
                "token_file", \.tokenFile, .secret(.password), default: "required, or `database`",
                "of InfluxDB 2: a file whose first line is the token"),
        ] + serverKeys(\.server)
    }

    static func check(_ draft: Draft<Self>, in reader: inout YAMLReader) {
        guard draft.isComplete else { return }
        checkCertificates(draft, isEncrypted: draft.section.server.isEncrypted, scheme: "https://", in: &reader)
        if draft.section.server.path.contains("?") {
            reader.note("`url` has a query; end it before the `?`", at: draft.at.keys["url"]?.value ?? draft.at.key)
        }
        let first = ["database", "user", "password_file"].first { draft.has($0) }
        let second = ["org", "bucket", "token_file"].first { draft.has($0) }
        if let first, let second, let place = draft.at.keys[second]?.value {
            reader.note("`\(first)` is for InfluxDB 1, and `\(second)` for InfluxDB 2; keep one", at: place)
        } else if second != nil {
            guard ["org", "bucket", "token_file"].contains(where: { !draft.has($0) }) else { return }
            reader.note(
                "InfluxDB 2 needs all of `org`, `bucket` and `token_file`; add those that are missing",
                at: draft.at.value)
        } else if !draft.has("database") {
            reader.note(
                "influx needs a `database` (InfluxDB 1), or `org`, `bucket` and `token_file` (InfluxDB 2)",
                at: draft.at.value)
        } else {
            checkPair("user", and: "password_file", of: draft, in: &reader)
        }
    }

    init() {}

    init(_ influx: InfluxConfiguration) {
        server = influx.server
        switch influx.target {
        case .database(let name, let user, let file): (database, self.user, passwordFile) = (name, user, file)
        case .bucket(let name, let organization, let file):
            (bucket, self.organization, tokenFile) = (name, organization, file)
        }
    }

    /// `nil` without the keys of any database.
    var configuration: InfluxConfiguration? {
        var server = server
        while server.path.hasSuffix("/") { server.path.removeLast() }
        if let database {
            let target = InfluxConfiguration.Target.database(database, user: user, passwordFile: passwordFile)
            return InfluxConfiguration(server: server, target: target)
        }
        guard let bucket, let organization, let tokenFile else { return nil }
        let target = InfluxConfiguration.Target.bucket(bucket, organization: organization, tokenFile: tokenFile)
        return InfluxConfiguration(server: server, target: target)
    }
}

extension PostgresConfiguration: Section {
    static var blank: Self { Self(hosts: [], database: "", isEncrypted: false, gateway: Configuration.hostGateway) }

    static var keys: [Key<Self>] {
        [
            Key(
                "url", \.url, .postgresURL, examples: ["postgresql://cellar@db.example/blekeep"],
                required: "postgres needs its `url`",
                "the database and the user; several hosts, with commas, are tried in this order; TLS always verifies"),
            Key(
                "password_file", \.passwordFile, .secret(.password), examples: ["/etc/blekeep/postgres-password"],
                "a file whose first line is the password"),
        ] + certificateKeys(\.caFile, certificate: \.certificateFile, key: \.keyFile) + [
            Key("batch_age", \.batchAge, .duration(in: batchAges), "how long new readings wait for others"),
            Key("backlog_rate", \.backlogRate, .integer(in: backlogRates), "readings a second after an outage"),
            Key(
                "configure", \.givesConfiguration, .flag, shown: .unlessDefault,
                "`true`: this gateway also takes the configuration of `blekeep fleet apply`"),
        ]
    }

    static func check(_ draft: Draft<Self>, in reader: inout YAMLReader) {
        guard draft.isComplete else { return }
        checkCertificates(
            draft, isEncrypted: draft.section.isEncrypted, scheme: "a host that isn't this one", in: &reader)
    }

    private var url: PostgresURL {
        get { PostgresURL(self) }
        set {
            (hosts, database, user, isEncrypted) = (
                newValue.hosts, newValue.database, newValue.user, newValue.isEncrypted
            )
            passwordMethod = newValue.passwordMethod
        }
    }
}

extension WebhookConfiguration: Section {
    static var blank: Self { Self(server: .blank) }

    static var keys: [Key<Self>] {
        [
            Key(
                "url", \.server.url, .httpURL(bounds: ", with a path and a query"),
                examples: ["https://hook.example/readings"],
                required: "webhook needs its `url`",
                "the server and the page; `https` is TLS, which always verifies"),
            Key(
                "token_file", \.tokenFile, .secret(.password), examples: ["/etc/blekeep/hook-token"],
                "a file whose first line is the token"),
            Key(
                "header", \.header, .header, shown: .when { $0.tokenFile != nil },
                "the header with the token; `Authorization` has `Bearer` before it"),
        ] + serverKeys(\.server)
    }

    static func check(_ draft: Draft<Self>, in reader: inout YAMLReader) {
        guard draft.isComplete else { return }
        checkCertificates(draft, isEncrypted: draft.section.server.isEncrypted, scheme: "https://", in: &reader)
        if !draft.has("token_file"), let place = draft.at.keys["header"]?.value {
            reader.note("`header` needs a `token_file`; add one", at: place)
        }
    }
}

private func certificateKeys<S: Section>(
    _ authorities: WritableKeyPath<S, String?>, certificate: WritableKeyPath<S, String?>,
    key: WritableKeyPath<S, String?>
) -> [Key<S>] {
    [
        Key(
            "ca_file", authorities, .certificate, default: "the system's", examples: ["/etc/blekeep/ca.pem"],
            "certificates of the authorities to trust"),
        Key(
            "cert_file", certificate, .certificate, examples: ["/etc/blekeep/client.pem"],
            "the client's own certificate, with its `key_file`"),
        Key("key_file", key, .certificate, examples: ["/etc/blekeep/client.key"], "the key of `cert_file`"),
    ]
}

private func checkCertificates<S: Section>(
    _ draft: Draft<S>, isEncrypted: Bool, scheme: String, in reader: inout YAMLReader
) {
    checkPair("cert_file", and: "key_file", of: draft, in: &reader)
    let key = ["ca_file", "cert_file", "key_file"].first { draft.has($0) }
    guard !isEncrypted, let key, let place = draft.at.keys[key]?.value else { return }
    reader.note("`\(key)` has no effect without TLS; write \(scheme) in `url`", at: place)
}

private func checkPair<S: Section>(
    _ first: String, and second: String, of draft: Draft<S>, in reader: inout YAMLReader
) {
    guard draft.has(first) != draft.has(second),
        let place = draft.at.keys[first]?.value ?? draft.at.keys[second]?.value
    else { return }
    reader.note("`\(first)` and `\(second)` belong together; add the other one", at: place)
}

extension MetricsConfiguration: Section {
    static var blank: Self { Self(folder: "") }

    static var keys: [Key<Self>] {
        [
            Key(
                "textfile", \.folder, .folder, examples: ["/var/lib/prometheus/node-exporter"],
                required: "metrics need their `textfile`",
                "the folder that node_exporter reads; blekeep writes `blekeep.prom` there")
        ]
    }
}

extension Rule: Section {
    static var keys: [Key<Self>] {
        [
            Key(
                "name", \.name, .topicPart, examples: ["freezer-warm", "greenhouse-frost"],
                required: "a rule needs a `name`", "its name in all outputs"),
            Key(
                "when", \.when, .condition,
                examples: ["temperature of tag:cold > -10 °C for 15m", "temperature of greenhouse falls 5 °C in 30m"],
                required: "a rule needs its condition `when`",
                "when it fires, for each device by itself: `FIELD of DEVICE > NUMBER UNIT for TIME` (also `<`, `>=`, `<=`), `FIELD of DEVICE is WORD for TIME`, `FIELD of DEVICE falls NUMBER UNIT in TIME` (also `rises`), or `no value of DEVICE for TIME`; `DEVICE` may be `tag:TAG` or `all`"
            ),
            Key(
                "until", \.until, .end, default: "as soon as `when` doesn't hold", examples: ["< -12 °C for 5m"],
                "when it is over: a comparison, such as `< -12 °C` or `< -12 °C for 5m`"),
        ]
    }
}

extension NoticeConfiguration: Section {
    static var blank: Self { Self(command: []) }

    static var keys: [Key<Self>] {
        [
            Key(
                "run", \.command, .command, examples: [#"[/usr/local/bin/notify, "--from=gateway"]"#],
                required: "a notice needs the command to `run`", "the program and its arguments"),
            Key(
                "events", \.events, .words("an event"), default: "all",
                examples: ["[device_lost, device_needs_user, device_back]"], "what runs the command"),
            Key(
                "rules", \.rules, .ruleNames, default: "all", shown: .unlessDefault,
                "the names of the rules whose events run the command"),
            Key(
                "hold_off", \.holdOff, .duration(in: holdOffs),
                "the shortest time from a notice until the next trouble of the same device, sink or adapter is one"),
            Key(
                "remind", \.remind, .duration(in: reminders), default: "never", examples: ["2h"],
                "the time after which a trouble that lasts is said again"),
            Key("timeout", \.timeout, .duration(in: timeouts), "how long the command may take"),
            Key(
                "battery", \.battery, .integer(in: batteries),
                "the charge in percent below which a sensor's battery is low, also for `status`, `values` and pages"),
        ]
    }
}

// MARK: Devices

extension DeviceConfiguration: Section {
    static var blank: Self { Self(address: BluetoothAddress(bits: 0)) }

    /// The keys that belong to one device, so that no tag has them.
    package static let ownKeys: Set = ["address", "alias", "id", "enabled", "tags", "key", "recipe", "write", "secret"]

    static var keys: [Key<Self>] {
        [
            Key(
                "address", \.address, .address,
                examples: ["F0:00:00:00:00:01", "F0:00:00:00:00:02", "F0:00:00:00:00:03", "F0:00:00:00:00:04"],
                required: "a device needs an `address`", "the device's Bluetooth address"),
            Key(
                "alias", \.alias, .alias, default: "the address", examples: ["greenhouse"],
                "the name in readings and on the command line"),
            Key(
                "id", \.ownID, .deviceID, default: "the address", examples: [nil, "attic"],
                "what history, topics and entities know the device by: keep it when you rename or replace the device"),
            Key(
                "enabled", \.isEnabled, .flag, shown: .unlessDefault,
                "`false`: `poll` doesn't read the device, unless you name it"),
            Key(
                "tags", \.tags, .tags, default: "none", examples: ["[cellar, cold]"], shown: .unlessDefault,
                "words for groups: `blekeep poll tag:cellar`"),
            Key(
                "gateways", \.gateways, .gateways, default: "each that has the device",
                examples: ["[cellar]", "[cellar, attic]"], shown: .unlessDefault,
                "the `gateway` that reads the device, and those that stand by for it, in this order; with `sinks: postgres:`, `any` stands for each one"
            ),
            Key(
                "adapter", \.adapter, .adapter, default: "that of all devices", examples: ["hci0"],
                "the adapter that reads this device"),
            Key(
                "interval", \.interval, .duration(in: PollConfiguration.intervals), inherited: \.poll.interval,
                examples: ["5m"],
                "the time between ticks; a device that only advertises is lost after three of them in silence"),
            Key(
                "throttle", \.throttle, .duration(in: PollConfiguration.throttles), inherited: \.poll.throttle,
                examples: ["10s"], "the shortest time between two stored values"),
            Key(
                "silence", \.silence, .duration(in: PollConfiguration.silences), default: "three intervals",
                examples: [nil, "1d"],
                "how long a passive device may send nothing; one that sends only when something happens, such as a button, may "
                    + "without end"),
            Key(
                "mode", \.mode, .word("a mode", meaning: meaning), examples: ["auto", "passive", "heard", "passive"],
                "what happens to the connection between ticks"),
            Key(
                "log", \.log, .word("a word for `log`", meaning: meaning), examples: [nil, "fill"],
                shown: .unlessDefault,
                "when `blekeep fill --due` asks the device for what it keeps in its own memory"),
            Key(
                "battery", \.battery,
                .word("a battery") {
                    switch $0 {
                    case .cr2032, .cr2450, .cr2477: "a coin cell of \(Int($0.charge ?? 0)) mAh"
                    case .twoAAA, .twoAA: "two cells, \(Int($0.charge ?? 0)) mAh"
                    case .mains: "mains: what reading costs doesn't matter"
                    }
                }, default: "unknown", examples: ["cr2032"],
                "what the device runs on: with a battery, `mode: auto` connects only to read it if there is time for that"
            ),
            Key(
                "format", \.format, .word("a format"), default: "recognized",
                examples: [nil, nil, nil, "mopeka"],
                "for a passive device that isn't recognized by what it advertises"),
            Key(
                "medium", \.medium, .word("a medium"), default: "propane, but air for TD40 and TD200",
                examples: [nil, nil, nil, "water"], "what the sound of a passive Mopeka tank sensor goes through"),
            Key(
                "model", \.model, .word("a model"), default: "as its packets say", examples: [nil, "meter"],
                "for a passive SwitchBot whose service data blekeep doesn't hear"),
            Key(
                "fields", \.fields, .fieldNames, default: "all", examples: [nil, "[temperature, humidity]"],
                shown: .unlessDefault, "which advertised fields of a passive device to store"),
            Key(
                "derive", \.derived, .words("a derived value"), default: "none",
                examples: [nil, "[dew_point]"], shown: .unlessDefault,
                "what to compute from the temperature and the humidity of a passive device"),
            Key(
                "calibration", list: \.calibration, of: "a calibration", isInline: true, isShownEmpty: false,
                "corrections of fields, whichever way their values come: `blekeep set DEV temperature.offset -0.3`"),
            Key(
                "key", \.keyFile, .secret(.key), examples: [nil, "/etc/blekeep/attic-key"],
                "for a passive device with encrypted values: a file with 32 hex digits"),
            Key(
                "recipe", \.recipe, .recipeName, examples: [nil, nil, "soil-probe"],
                "how to ask the device: `blekeep recipes` lists all"),
            Key(
                "write", \.mayWrite, .flag, examples: [nil, nil, "true"], shown: .unlessDefault,
                "`true`: the recipe may write to the device; recipes that ship with blekeep may in any case"),
            Key(
                "secret", \.secretFile, .secret(.password), examples: [nil, nil, "/etc/blekeep/probe-secret"],
                "a file whose first line is the secret that the recipe sends"),
            Key(
                "power", section: \.powerIntervals, as: "a device's `power`", isInline: true,
                default: "that of all devices", example: "{low: 10m, critical: pause}", "the intervals of this device"),
            Key(
                "adaptive", \.isAdaptive, .flag, examples: ["true"], shown: .unlessDefault,
                "`true`: stretch the interval up to 4 times while the values don't change"),
            Key(
                "min_interval", \.minInterval, .duration(in: PollConfiguration.intervals), examples: ["1m"],
                shown: .when { $0.isAdaptive }, "the lower bound of `adaptive`"),
            Key(
                "max_interval", \.maxInterval, .duration(in: PollConfiguration.intervals), examples: ["1h"],
                shown: .when { $0.isAdaptive }, "the upper bound of `adaptive`"),
            Key(
                "characteristics", list: \.characteristics, of: "a characteristic", isInline: true,
                default: "all that blekeep can decode", "what to read"),
        ]
    }

    private static func meaning(of mode: LogMode) -> String {
        switch mode {
        case .off: "never, only `blekeep fill DEV`"
        case .fill: "after a gap of three intervals"
        case .all: "also for the time before blekeep heard it first"
        case .only: "for each record: with a long `interval`, the memory has what blekeep doesn't hear"
        }
    }

    private static func meaning(of mode: LinkMode) -> String {
        switch mode {
        case .auto:
            "keep the connection when a characteristic has `notify: true`, or when the interval is at most 60 s and a "
                + "slot is free"
        case .hold: "keep the connection"
        case .release: "disconnect after each tick"
        case .heard: "disconnect after each tick, and connect only when the device advertises: for devices that sleep"
        case .passive: "never connect; store what the device advertises"
        }
    }

    /// Why a key has no effect, or none that makes sense, beside the keys before it; `nil` for a key that fits.
    ///
    /// - Parameter keys: the places of the device's keys.
    func conflict(of key: String, at keys: [String: Located]) -> String? {
        switch key {
        case "format" where mode != .passive, "medium" where mode != .passive, "model" where mode != .passive,
            "fields" where mode != .passive, "derive" where mode != .passive, "key" where mode != .passive,
            "silence" where mode != .passive:
            "`\(key)` has no effect without `mode: passive`"
        case "medium" where format.map { $0 != .mopeka } ?? false:
            "`medium` has no effect with `format: \(format?.rawValue ?? "")`; it is for mopeka"
        case "characteristics" where mode == .passive, "recipe" where mode == .passive:
            "a passive device is never connected, so it has no `\(key)`"
        case "write" where keys["recipe"] == nil, "secret" where keys["recipe"] == nil:
            "`\(key)` has no effect without a `recipe`"
        case "max_interval" where maxInterval < minInterval:
            "`max_interval` is less than `min_interval`; write a longer one"
        case "min_interval" where !isAdaptive, "max_interval" where !isAdaptive:
            "`\(key)` has no effect without `adaptive: true`"
        default: nil
        }
    }

    /// Notes corrected fields and characteristics that are listed twice. What doesn't fit together, `conflict` says.
    static func check(_ draft: Draft<Self>, in reader: inout YAMLReader) {
        var names: Set<String> = []
        for (field, at) in zip(draft.section.calibration, draft.at.keys["calibration"]?.items ?? [])
        where !names.insert(field.name).inserted {
            reader.note("the field `\(field.name)` is listed already; keep one", at: at.value)
        }
        var seen: [(point: CharacteristicConfiguration, line: Int)] = []
        for (point, at) in zip(draft.section.characteristics, draft.at.keys["characteristics"]?.items ?? []) {
            guard let twin = seen.first(where: { $0.point.overlaps(point) }) else {
                seen.append((point, at.value.line ?? 0))
                continue
            }
            reader.note(
                "the characteristic \(point.characteristic) is listed already in line \(twin.line); keep one",
                at: at.value)
        }
    }
}

extension PowerIntervals.Override: Section {
    static var blank: Self { Self() }

    static var keys: [Key<Self>] {
        [
            Key("battery", \.battery, .rule, "as in `power` of all devices"),
            Key("low", \.low, .rule, "as in `power` of all devices"),
            Key("critical", \.critical, .rule, "as in `power` of all devices"),
        ]
    }
}

extension CharacteristicConfiguration: Section {
    static var blank: Self { Self(characteristic: BluetoothUUID(0)) }
    static var shorthand: String? { "uuid" }

    static var keys: [Key<Self>] {
        [
            Key(
                "uuid", \.characteristic, .characteristic, examples: ["temperature", "2a37", "2a19"],
                required: "a characteristic needs a `uuid`",
                "an official name such as `temperature`, or a UUID such as `2a6e`"),
            Key(
                "service", \.service, .service, default: "any service", examples: [nil, "180d"],
                "only the characteristic in this service"),
            Key(
                "notify", \.notify, .flag, examples: [nil, "true"], shown: .unlessDefault,
                "`true`: take values as the device sends them"),
            Key(
                "interval", \.interval, .duration(in: PollConfiguration.intervals), default: "that of the device",
                examples: [nil, nil, "1h"], "the time between reads"),
            Key(
                "throttle", \.throttle, .duration(in: PollConfiguration.throttles), default: "that of the device",
                examples: [nil, "0s"], "the shortest time between two stored values"),
            Key(
                "security", \.security, .word("a security level"), examples: [nil, nil, "encrypted"],
                shown: .unlessDefault, "read only when the device is paired"),
            Key(
                "write", \.isWritable, .flag, examples: [nil, nil, "true"], shown: .unlessDefault,
                "`true`: commands of sinks and programs may write it"),
            Key(
                "factor", \.factor, .factor, examples: [nil, nil, "1.02"], shown: .unlessDefault,
                "calibration: each value is multiplied by it"),
            Key(
                "offset", \.offset, .decimal, examples: [nil, nil, "-0.5"], shown: .when { $0.calibration != nil },
                "calibration: added after that, in the unit of the value"),
        ]
    }

    var remark: String? { AssignedNumbers.characteristicName(characteristic) }

    /// Whether two entries name the same characteristic of the same service.
    fileprivate func overlaps(_ other: Self) -> Bool {
        characteristic == other.characteristic && (service == nil || other.service == nil || service == other.service)
    }
}

private protocol Calibrated {
    var calibration: Calibration? { get set }
}

extension Calibrated {
    fileprivate var factor: DecimalNumber {
        get { calibration?.factor ?? .one }
        set { calibration = Calibration(factor: newValue, offset: offset) }
    }

    fileprivate var offset: DecimalNumber {
        get { calibration?.offset ?? .zero }
        set { calibration = Calibration(factor: factor, offset: newValue) }
    }
}

extension CharacteristicConfiguration: Calibrated {}
extension FieldCalibration: Calibrated {}

extension FieldCalibration: Section {
    static var blank: Self { Self(name: "") }
    static var shorthand: String? { "name" }

    static var keys: [Key<Self>] {
        [
            Key(
                "name", \.name, .fieldName, examples: ["temperature", "humidity", "battery"],
                required: "a field needs a `name`", "its name in `blekeep scan`"),
            Key(
                "factor", \.factor, .factor, examples: [nil, "1.02"], shown: .unlessDefault,
                "calibration: each value is multiplied by it"),
            Key(
                "offset", \.offset, .decimal, examples: ["-0.3"], shown: .when { $0.calibration != nil },
                "calibration: added after that, in the unit of the value"),
        ]
    }
}

// MARK: Tags

extension Configuration {
    /// Each tag has keys of a device, so that the list of all tags isn't known.
    private static var tagsKey: Key<Self> {
        let keys = DeviceConfiguration.keys.filter { !DeviceConfiguration.ownKeys.contains($0.facts.name) }
        return Key(
            facts: KeyFacts(
                name: "tags",
                help: "for each tag, keys that its devices have where they don't set them: "
                    + "\(keys.map { "`\($0.facts.name)`" }.joined(separator: ", ")); of several tags, the first counts",
                shape: .foreign(["cellar: {interval: 5m, adapter: hci0}"]), fallback: "none", bounds: "tags with keys",
                examples: [""]),
            read: { entry, reader, draft in
                var at = Located(key: entry.place, value: entry.valuePlace)
                for tag in reader.named(entry, what: "tags") {
                    if let flaw = TagRule.flaw(in: tag.key) {
                        reader.note("the tag \(Quoted.text(tag.key)) \(flaw)", at: tag.place)
                    } else if let child = reader.section(keys, of: tag, as: "a tag") {
                        draft.section.tags.append(TagConfiguration(tag: tag.key, device: child.section))
                        at.items.append(Located(key: tag.place, value: tag.valuePlace, keys: child.at.keys))
                    }
                }
                draft.at.keys["tags"] = at
                return true
            },
            show: { configuration, at, showing in
                guard let at, !configuration.tags.isEmpty else { return nil }
                let tags = zip(configuration.tags, at.items).map { tag, at in
                    let own = keys.filter { at.keys[$0.facts.name] != nil }
                    let settings = tag.device.settings(own, at: at, showing: showing.inside("tags"))
                    return Setting(key: tag.tag, content: .section(settings, isInline: false), at: at)
                }
                return Setting(key: "tags", content: .section(tags, isInline: false), at: at)
            }, take: { $1.tags += $0.tags })
    }
}

// MARK: Layouts and recipes

extension Configuration {
    /// A list of items that have a parser of their own.
    ///
    /// - Parameters:
    ///   - parse: returns an item and its place; `nil` after noting mistakes.
    ///   - show: returns the values of an item, and its text in YAML; `nil` for one that isn't the user's.
    private static func own<Item>(
        _ name: String, _ items: WritableKeyPath<Self, [Item]>, _ help: String, example: [String],
        isShownEmpty: Bool = false, parse: @escaping (Node, inout YAMLReader) -> (Item, ConfigurationLocation)?,
        show: @escaping (Item) -> (values: [(String, SettingValue)], source: String)?
    ) -> Key<Self> {
        Key(
            facts: KeyFacts(
                name: name, help: help, shape: .foreign(example), fallback: "none", bounds: "a list", examples: [""]),
            read: { entry, reader, draft in
                var at = Located(key: entry.place, value: entry.valuePlace)
                for node in reader.list(entry, what: name) {
                    guard let (item, place) = parse(node, &reader) else { continue }
                    draft.section[keyPath: items].append(item)
                    at.items.append(Located(key: place, value: place))
                }
                draft.at.keys[name] = at
                return true
            },
            show: { configuration, at, _ in
                let shown = configuration[keyPath: items].compactMap(show).enumerated().map { index, item in
                    let at = at?.items.dropFirst(index).first
                    return Setting.Item(
                        settings: item.values.map { Setting(key: $0, content: .value($1), at: at) },
                        lines: item.source.split(separator: "\n").map(String.init))
                }
                return shown.isEmpty && !isShownEmpty ? nil : Setting(key: name, content: .list(shown), at: at)
            }, take: { $1[keyPath: items] += $0[keyPath: items] })
    }

    private static var layoutsKey: Key<Self> {
        own(
            "layouts", \.poll.layouts, "how to decode a vendor's values; `blekeep config check` runs the tests",
            example: layoutsExample, isShownEmpty: true, parse: LayoutParser.layout
        ) { layout in
            let fields = layout.fields.flatMap(\.names).filter { !$0.isEmpty }
            let uuid = layout.characteristic.description
            return (
                [("uuid", .text(uuid)), ("name", .text(layout.name)), ("fields", .words(fields))], layout.source
            )
        }
    }

    private static var recipesKey: Key<Self> {
        own(
            "recipes", \.poll.recipes,
            "how to ask devices that don't just hold values; `blekeep config check` runs the tests",
            example: recipesExample, parse: RecipeParser.recipe
        ) { recipe in
            let values: [(String, SettingValue)] = [
                ("name", .text(recipe.name)), ("title", .text(recipe.title)), ("steps", .number(recipe.steps.count)),
            ]
            return recipe.isOwn ? (values, recipe.source) : nil
        }
    }

    private static let layoutsExample = [
        "- uuid: a0b40010-926d-4d61-98df-8c5c62ee53b3", "  name: Soil probe",
        "  endian: big               # or little, the default", "  fields:", "    - {name: flags, type: bits8}",
        "    - {name: temperature, type: sint16, scale: 0.01, offset: -40, unit: °C, special: {0x8000: unknown}}",
        "    - {skip: 1}             # unused bytes",
        #"    - {name: moisture, type: uint8, scale: 0.5, unit: "%", if: {bit: 0}}"#, "  tests:",
        "    - {hex: 010c4e00c8, expect: {temperature: -8.5, moisture: 100}}", #"    - {hex: "01", error: short}"#,
    ]

    private static let recipesExample = [
        "- name: soil-probe", "  title: Soil probe", "  recognize: [{name: Probe-*}]", "  steps:",
        "    - write: fff1", "      bytes: [a501, {secret: text}, {check: crc8}]", "      await: fff2",
        "      frame: {start: a5, length: {at: 1, type: uint8, add: 3}, check: {kind: crc8}}", "      fields:",
        "        - {name: temperature, at: 2, type: sint16, scale: 0.1, unit: °C}", "  tests:",
        "    - {answers: [a502d200f7], expect: {temperature: 21}}",
    ]
}
