import Blekeep
import Yams

/// Reads the settings of one file, and notes all mistakes. Unknown keys are mistakes.
package struct ConfigurationParser {
    static let keys = [
        "adapter", "interval", "throttle", "max_links", "history", "power", "on_stop", "recovery", "sinks",
        "metrics", "notices", "devices", "layouts",
    ]
    static let deviceKeys = [
        "address", "alias", "enabled", "tags", "adapter", "interval", "throttle", "mode", "format", "medium", "key",
        "power", "adaptive", "min_interval", "max_interval", "characteristics",
    ]
    static let pointKeys = [
        "uuid", "service", "notify", "interval", "throttle", "security", "write", "factor", "offset",
    ]

    package private(set) var part = ConfigurationPart()
    var problems: [ConfigurationProblem] { reader.problems }

    let names: CharacteristicNames
    var reader: YAMLReader

    package init(_ text: String, file: String, names: CharacteristicNames) {
        let yaml = YAMLText(text, file: file)
        self.names = names
        reader = YAMLReader(file: file, hidden: yaml.hidden, problems: yaml.problems)
        if let root = yaml.root { read(root) }
    }

    private mutating func read(_ root: Node) {
        // A file may have only comments.
        if case .scalar(let scalar) = root, scalar.isNull { return }
        guard let entries = reader.mapping(root, what: "a configuration", keys: Self.keys) else { return }
        if let entry = entries["adapter"] {
            part.adapter = adapter(entry).map { .init(value: $0, place: entry.place) }
        }
        if let entry = entries["interval"] {
            part.interval = reader.duration(entry).map { .init(value: $0, place: entry.place) }
        }
        if let entry = entries["throttle"] {
            part.throttle = reader.duration(entry, in: PollConfiguration.throttles).map {
                .init(value: $0, place: entry.place)
            }
        }
        if let entry = entries["max_links"] {
            part.maxLinks = reader.integer(entry, in: 1...64).map { .init(value: $0, place: entry.place) }
        }
        if let entry = entries["history"] {
            part.history = history(entry).map { .init(value: $0, place: entry.place) }
            part.historyPlaces = reader.places(in: entry)
        }
        if let entry = entries["power"] {
            part.power = power(entry).map { .init(value: $0, place: entry.place) }
            part.powerPlaces = reader.places(in: entry)
        }
        if let entry = entries["on_stop"] {
            part.onStop = stopPolicy(entry).map { .init(value: $0, place: entry.place) }
        }
        if let entry = entries["recovery"] {
            part.recovery = recovery(entry).map { .init(value: $0, place: entry.place) }
            part.recoveryPlaces = reader.places(in: entry)
        }
        if let entry = entries["sinks"] { part.sinks = sinks(entry).map { .init(value: $0, place: entry.place) } }
        if let entry = entries["metrics"] {
            part.metrics = metrics(entry).map { .init(value: $0, place: entry.place) }
        }
        for node in reader.list(entries["notices"], what: "notices") {
            let place = reader.place(of: node)
            if let notice = notice(node) { part.notices.append(.init(value: notice, place: place)) }
        }
        for node in reader.list(entries["devices"], what: "devices") {
            if let device = device(node) { part.devices.append(device) }
        }
        for node in reader.list(entries["layouts"], what: "layouts") { readLayout(node) }
    }

    private mutating func readLayout(_ node: Node) {
        guard let entries = reader.mapping(node, what: "a layout", keys: LayoutParser.keys) else { return }
        if entries["uuid"] == nil {
            reader.note(
                "a layout needs the `uuid` of its characteristic; add one, such as `uuid: fff1`",
                at: reader.place(of: node))
        }
        let characteristic = characteristic(entries["uuid"])
        var parser = LayoutParser(entries, at: reader.place(of: node), reader: reader)
        let layout = parser.layout(of: characteristic)
        reader = parser.reader
        part.layoutTests += parser.tests
        guard let layout, let place = entries["uuid"]?.valuePlace(in: reader.file) else { return }
        part.layouts.append(ConfigurationPart.Layout(layout: layout, place: place))
    }

    private mutating func device(_ node: Node) -> ConfigurationPart.Device? {
        guard let entries = reader.mapping(node, what: "a device", keys: Self.deviceKeys) else { return nil }
        if entries["address"] == nil {
            reader.note(
                "a device needs an `address`; add one, such as `address: F0:00:00:00:00:01`", at: reader.place(of: node)
            )
        }
        let address = address(entries["address"])
        let alias = alias(entries["alias"])
        let adapter = entries["adapter"].flatMap { self.adapter($0) }
        let interval = reader.duration(entries["interval"])
        let throttle = reader.duration(entries["throttle"], in: PollConfiguration.throttles)
        let mode = mode(entries["mode"])
        let powerIntervals = entries["power"].flatMap { self.powerIntervals($0) }
        let adaptive = adaptive(entries)
        let points = points(entries["characteristics"])
        let keyFile = keyFile(entries, mode)
        let format = format(entries["format"], mode)
        let medium = medium(entries["medium"], mode, format)
        guard let address, let place = entries["address"]?.valuePlace(in: reader.file) else { return nil }
        var device = DeviceConfiguration(
            alias: alias, address: address, adapter: adapter, interval: interval, mode: mode ?? .auto,
            characteristics: points)
        device.isEnabled = reader.flag(entries["enabled"]) ?? true
        device.tags = tags(entries["tags"])
        device.throttle = throttle
        device.powerIntervals = powerIntervals
        device.keyFile = keyFile
        device.format = format
        device.medium = medium
        device.adaptive = adaptive
        return ConfigurationPart.Device(
            configuration: device,
            address: place, alias: alias == nil ? nil : entries["alias"]?.valuePlace(in: reader.file),
            places: entries.mapValues(\.place))
    }

    private mutating func points(_ entry: YAMLEntry?) -> [CharacteristicConfiguration] {
        var points: [(point: CharacteristicConfiguration, line: Int)] = []
        for node in reader.list(entry, what: "characteristics") {
            guard let point = point(node) else { continue }
            let twin = points.first { $0.point.overlaps(point) }
            if let twin {
                reader.note(
                    "the characteristic \(point.characteristic) is listed already in line \(twin.line); keep one",
                    at: reader.place(of: node))
            } else {
                points.append((point, node.mark?.line ?? 0))
            }
        }
        return points.map(\.point)
    }

    private mutating func point(_ node: Node) -> CharacteristicConfiguration? {
        if case .scalar = node {
            let entry = YAMLEntry(key: "characteristics", place: reader.place(of: node), node: node)
            return characteristic(entry).map { CharacteristicConfiguration(characteristic: $0) }
        }
        guard let entries = reader.mapping(node, what: "a characteristic", keys: Self.pointKeys) else { return nil }
        if entries["uuid"] == nil {
            reader.note("a characteristic needs a `uuid`; add one, such as `uuid: 2a6e`", at: reader.place(of: node))
        }
        let uuid = characteristic(entries["uuid"])
        let service = service(entries["service"])
        let notify = reader.flag(entries["notify"]) ?? false
        let interval = reader.duration(entries["interval"])
        let throttle = reader.duration(entries["throttle"], in: PollConfiguration.throttles)
        let security = security(entries["security"])
        let calibration = calibration(entries)
        return uuid.map { uuid in
            var point = CharacteristicConfiguration(
                service: service, characteristic: uuid, interval: interval, notify: notify)
            point.security = security ?? .none
            point.throttle = throttle
            point.calibration = calibration
            point.isWritable = reader.flag(entries["write"]) ?? false
            return point
        }
    }
}

extension CharacteristicConfiguration {
    /// Whether two entries name the same characteristic of the same service.
    fileprivate func overlaps(_ other: Self) -> Bool {
        characteristic == other.characteristic && (service == nil || other.service == nil || service == other.service)
    }
}
