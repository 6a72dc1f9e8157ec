import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import BlekeepService

struct SetCommand: ContextCommand, PollerCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change a setting of devices.", usage: "blekeep set DEV… KEY VALUE",
        discussion: """
            KEY is a key of a device: 'blekeep manual blekeep.yaml' lists them. VALUE is as in the configuration file; \
            a list may be words between commas, and 'tags +WORD' adds a tag. FIELD.offset and FIELD.factor correct the \
            values of a field, and change nothing else. Checks the whole configuration before it writes; the rest of the \
            file stays as it is. The running poller takes the change at once, if this user may make it. Only a single \
            device, by its name, gets an \(Self.singleKeys).

            Examples:
              blekeep set cellar attic interval 5m
              blekeep set tag:cold gateways attic,cellar
              blekeep set cellar attic garage tags +cold
              blekeep set greenhouse temperature.offset -0.3
              blekeep set greenhouse alias hothouse
              blekeep set greenhouse enabled false
            """)

    @Argument(
        help: ArgumentHelp(
            "The devices (aliases, addresses, tag:NAME, or all), a key, and its value.", valueName: "dev"),
        completion: .setting)
    var words: [String]

    @OptionGroup var common: CommonOptions
    @OptionGroup var bus: BusOption

    func validate() throws {
        guard words.count >= 3 else {
            throw ValidationError("name the devices, a key, and its value: blekeep set cellar interval 5m")
        }
    }

    func run(in context: CommandContext) async throws {
        let key = words[words.count - 2]
        let text = words[words.count - 1]
        try await DeviceChanges.setting(key, to: text, of: Array(words.dropLast(2)), in: context)
    }

    /// The keys that belong to a single device, so that no tag names it.
    fileprivate static let single = DeviceConfiguration.ownKeys.subtracting(["enabled", "tags"])
    fileprivate static var singleKeys: String { single.sorted().map { "'\($0)'" }.joined(separator: ", ") }
}

struct UnsetCommand: ContextCommand, PollerCommand {
    static let configuration = CommandConfiguration(
        commandName: "unset", abstract: "Remove a setting of devices, so that they have the default.",
        usage: "blekeep unset DEV… KEY",
        discussion: """
            The devices then have what their tags say, or else the default: see 'blekeep config show'.

            Examples:
              blekeep unset tag:cold interval
              blekeep unset greenhouse temperature.offset
            """)

    @Argument(
        help: ArgumentHelp("The devices (aliases, addresses, tag:NAME, or all), and a key.", valueName: "dev"),
        completion: .setting)
    var words: [String]

    @OptionGroup var common: CommonOptions
    @OptionGroup var bus: BusOption

    func validate() throws {
        guard words.count >= 2 else {
            throw ValidationError("name the devices and a key: blekeep unset cellar interval")
        }
    }

    func run(in context: CommandContext) async throws {
        guard let key = words.last else { return }
        try await DeviceChanges.setting(key, to: nil, of: Array(words.dropLast()), in: context)
    }
}

extension DeviceChanges {
    /// Sets a key of devices, or removes it.
    fileprivate static func setting(
        _ key: String, to text: String?, of names: [String], in context: CommandContext
    ) async throws {
        let files = try DeviceFiles(context.options, environment: context.environment)
        let inFile = DeviceValue.key(of: key)
        if SetCommand.single.contains(key), names.count != 1 || names.contains(where: { DeviceGroup($0) != nil }) {
            throw Failure(.usage, "'\(key)' belongs to one device: name only that one, and no tag")
        }
        let devices = try files.devices(names)
        var edits: [(edit: DeviceEdit, device: DeviceConfiguration)] = []
        for device in devices { edits.append((try edit(key, to: text, of: device), device)) }
        let applied = try files.apply(edits)
        let changed = applied.devices
        var changes = DeviceChanges(context)
        for (edit, device) in edits {
            // A new address is another ID only without an own one.
            let now = applied.configuration.poll.devices.first {
                $0.address == device.address || $0.alias == device.alias
            }
            let isChanged = changed.contains(device.address)
            try changes.change(now ?? device, state: isChanged ? "changed" : "unchanged") { () throws(Failure) in
                let path = files.file(of: device.address)
                let place = path.map { " in \(Untrusted.whole($0))\(applied.ruleWords)" } ?? ""
                let name = Untrusted(device.name)
                return (sentence(edit, inFile, of: name, isChanged: isChanged, in: place), path)
            }
        }
        let passive = devices.filter { $0.mode == .passive }
        if inFile == "interval", text != nil, !changed.isEmpty, !passive.isEmpty, !context.options.json {
            try context.output.line(Untrusted.whole(PollConfiguration.intervalNote(passive.map(\.name))))
        }
        files.unlock()
        let polled = changes.devices.filter(\.isPolled)
        try await changes.finish(changed.isEmpty ? nil : "the running poller has the new settings") { kept in
            polled.allSatisfy { device in kept.contains { $0.address == device.address.description } }
        }
    }

    private static func edit(
        _ key: String, to text: String?, of device: DeviceConfiguration
    ) throws(Failure) -> DeviceEdit {
        let names = Composition.characteristicNames
        do {
            guard var text else {
                let inFile = DeviceValue.key(of: key)
                guard DeviceValue.keys.contains(inFile) else {
                    // The reader of files knows what was meant.
                    _ = try DeviceValue(key, "x", of: device, names: names)
                    return .absence(of: inFile)
                }
                return DeviceValue.calibration(of: device, without: key).map { .value($0) } ?? .absence(of: inFile)
            }
            if key == "tags", text.hasPrefix("+") {
                let more = text.dropFirst().split(separator: ",").map(String.init)
                text = (device.tags + more.filter { !device.tags.contains($0) }).joined(separator: ",")
            }
            return .value(try DeviceValue(key, text, of: device, names: names))
        } catch {
            // The value isn't in a file yet.
            throw Failure(.usage, error.problems.map { Untrusted.whole($0.message) }.joined(separator: "\n"))
        }
    }

    private static func sentence(
        _ edit: DeviceEdit, _ key: String, of name: Untrusted, isChanged: Bool, in place: String
    ) -> String {
        switch edit {
        case .value(let value) where isChanged: "set \(key) of \(name) to \(value.yaml)\(place)"
        case .value(let value): "nothing to change: \(name) has \(key) \(value.yaml) already"
        case _ where isChanged: "removed \(key) of \(name)\(place)"
        default: "nothing to change: \(name) has no \(key) of its own\(place)"
        }
    }
}
