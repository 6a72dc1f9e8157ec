import BlekeepOutputs
import BlekeepRecords
import Glibc

/// The configuration that a fleet's database gives to its gateways, as this gateway keeps it: two files beside the history,
/// the newest version that it took and the one before.
///
/// A gateway reads it behind its own files, in the same way. Whoever administers the database can write it, and so it may
/// only say what is read: what runs, sends or names a file is in the gateway's own files.
package struct FleetConfiguration: Sendable, Hashable {
    package let version: FleetVersion
    package let yaml: String

    package init(_ version: FleetVersion, yaml: String) { (self.version, self.yaml) = (version, yaml) }

    // MARK: Files

    /// - Parameter history: the path of the history.
    package static func path(besides history: String) -> String { "\(history).fleet.yaml" }

    /// The version before that at `path`.
    package static func earlier(than path: String) -> String { "\(path).1" }

    private static let mark = "# blekeep fleet: version "

    /// Its text in a file. The last line tells that the file is complete, and the lines before keep their numbers.
    package var text: String { "\(yaml)\n\(Self.mark)\(version.number) \(version.digest)\n" }

    /// - Returns: `nil` for a text that isn't complete.
    package init?(text: String) {
        let bytes = text.utf8
        guard bytes.last == UInt8(ascii: "\n"), let end = bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")) else {
            return nil
        }
        let last = text[bytes.index(after: end)...].dropLast()
        guard last.hasPrefix(Self.mark) else { return nil }
        let words = last.dropFirst(Self.mark.count).split(separator: " ")
        guard words.count == 2, let number = Int(words[0]), number > 0 else { return nil }
        self.init(FleetVersion(number: number, digest: String(words[1])), yaml: String(text[..<end]))
    }

    /// Writes it to `path`, and what was there beside it. Waits for the disk. Throws `UserError`.
    package func write(to path: String) throws {
        let file = try WholeFile(path, isPublic: true)
        try file.write(Array(text.utf8))
        // Without the newer one, the earlier one counts.
        rename(path, Self.earlier(than: path))
        try file.finish()
    }

    // MARK: What it may say

    /// The keys that a fleet may set, of all that a configuration has. Another one is the gateway's own.
    static let keys: Set = [
        "interval", "throttle", "scan", "max_links", "power", "on_stop", "rules", "tags", "devices", "layouts",
        "recipes",
    ]

    /// Why a key is the gateway's own.
    private static func reason(_ key: String) -> String {
        switch key {
        case "notices": "it runs commands"
        case "sinks": "it says where readings go"
        case "metrics", "history": "it names files of the gateway"
        case "recovery": "it disturbs other programs there"
        default: "it differs from gateway to gateway"
        }
    }

    /// Returns what a fleet's configuration must not say.
    static func misuses(_ part: ConfigurationPart) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        func note(_ message: String, at place: ConfigurationLocation?) {
            problems.append(ConfigurationProblem(place: place ?? part.at.key, message: message))
        }
        let own = "so that only the gateway's own configuration may have it"
        for (key, at) in part.at.keys where !keys.contains(key) {
            note("`\(key)` isn't for a fleet: \(reason(key)), \(own); remove it here", at: at.key)
        }
        let devices = zip(part.configuration.poll.devices, part.at.keys["devices"]?.items ?? [])
        let tags = zip(part.configuration.tags.map(\.device), part.at.keys["tags"]?.items ?? [])
        for (device, at) in Array(devices) + Array(tags) {
            if let place = at.keys["secret"] {
                note(
                    "`secret` isn't for a fleet: the recipe sends it, \(own); configure this device there",
                    at: place.key)
            }
            if device.mayWrite {
                note(
                    "`write` isn't for a fleet: it lets a recipe write, \(own); remove it here",
                    at: at.keys["write"]?.key)
            }
            if let key = device.keyFile, key.contains("/"), let place = at.keys["key"]?.value {
                note(
                    "a path isn't for a fleet: name a credential of the gateways, such as `key: \(device.alias ?? "attic")-key`",
                    at: place)
            }
            for (point, place) in zip(device.characteristics, at.keys["characteristics"]?.items ?? [])
            where point.isWritable {
                note("`write` isn't for a fleet: it lets programs write, \(own); remove it here", at: place.value)
            }
        }
        for (recipe, at) in zip(part.configuration.poll.recipes, part.at.keys["recipes"]?.items ?? [])
        where !recipe.writes.isEmpty {
            note(
                "the recipe `\(recipe.name)` isn't for a fleet: it writes to devices, \(own); move it there",
                at: at.value)
        }
        return problems
    }
}

extension ConfigurationLoader {
    /// Adds the fleet's configuration to that of the gateway's own files, if they want one: its newest version that fits.
    /// When none fits, because a user wrote into these files what the fleet says, too, the user's counts.
    ///
    /// - Returns: sentences about what doesn't fit.
    func addFleet(
        to merge: inout ConfigurationMerge, _ parts: inout [ConfigurationPart], _ files: inout [String]
    ) throws(ConfigurationErrors) -> [String] {
        guard merge.configuration.sinks.postgres?.givesConfiguration == true,
            let history = history(merge.configuration.history.path)
        else { return [] }
        let path = FleetConfiguration.path(besides: history)
        var notes: [String] = []
        let kept = [path, FleetConfiguration.earlier(than: path)]
        for (file, isStrict) in kept.map({ ($0, true) }) + kept.map({ ($0, false) }) {
            do throws(ConfigurationErrors) {
                let draft = drafts[file]
                guard let text = if let draft { draft } else { try ConfigurationFile.readIfThere(file) } else {
                    continue
                }
                let (part, whole) = try fleet(text, in: file, behind: parts, without: isStrict ? nil : merge)
                parts.append(part)
                files.append(file)
                merge = whole
                return notes
            } catch {
                if drafts[file] != nil { throw error }
                if isStrict { notes += error.problems.map { "\($0); that isn't used of the fleet's configuration" } }
            }
        }
        return notes
    }

    /// - Parameter own: what the gateway's own files say, if that counts instead; `nil` if it's a mistake to say it twice.
    private func fleet(
        _ text: String, in file: String, behind parts: [ConfigurationPart], without own: ConfigurationMerge?
    ) throws(ConfigurationErrors) -> (ConfigurationPart, ConfigurationMerge) {
        guard text.utf8.count <= ConfigurationFile.limit else {
            throw ConfigurationErrors([
                ConfigurationProblem(place: ConfigurationLocation(file: file), message: "it is larger than 1 MiB")
            ])
        }
        guard let fleet = FleetConfiguration(text: text) else {
            throw ConfigurationErrors([
                ConfigurationProblem(
                    place: ConfigurationLocation(file: file), message: "the file isn't complete; remove it")
            ])
        }
        var part = ConfigurationPart(text, file: file, names: names)
        if let own { part.remove(own) }
        let gateway = environment[Self.gatewayVariable]
        let whole = ConfigurationMerge(parts + [part], gateway: gateway, fleet: fleet.version)
        let problems = part.problems + FleetConfiguration.misuses(part) + whole.problems
        guard problems.isEmpty else { throw ConfigurationErrors(problems, files: [file]) }
        return (part, whole)
    }
}

extension ConfigurationPart {
    /// Leaves out what another configuration says.
    fileprivate mutating func remove(_ other: ConfigurationMerge) {
        for key in Configuration.keys where !key.facts.isList && other.at.keys[key.facts.name] != nil {
            at.keys[key.facts.name] = nil
        }
        let own = other.configuration
        filter("tags", \.tags) { tag in !own.tags.contains { $0.tag == tag.tag } }
        filter("layouts", \.poll.layouts) { layout in
            !own.poll.layouts.contains { $0.characteristic == layout.characteristic }
        }
        filter("recipes", \.poll.recipes) { recipe in !own.poll.recipes.contains { $0.name == recipe.name } }
        filter("devices", \.poll.devices) { device in
            !own.poll.devices.contains {
                $0.address == device.address || $0.id == device.id || $0.alias != nil && $0.alias == device.alias
            }
        }
    }

    private mutating func filter<Item>(
        _ key: String, _ items: WritableKeyPath<Configuration, [Item]>, _ stays: (Item) -> Bool
    ) {
        let all = Array(zip(configuration[keyPath: items], at.keys[key]?.items ?? [])).filter { stays($0.0) }
        configuration[keyPath: items] = all.map(\.0)
        at.keys[key]?.items = all.map(\.1)
    }
}

/// What a configuration of a fleet means for each of its gateways, compared with the one before. Pure.
package struct FleetPlan: Sendable {
    package struct Change: Sendable, Hashable {
        package let gateway: String
        /// How many devices it may read, and how many it could before.
        package let devices, before: Int
        /// What becomes different there: `+ roof` for a device that is new, `- roof` for one that it loses.
        package let lines: [String]
    }

    /// In the order of the names.
    package let changes: [Change]
    /// Gateways that devices name, and that the fleet hasn't heard of.
    package let unknown: [String]

    /// - Parameters:
    ///   - file: the path of the text, for messages.
    ///   - before: returns what a gateway is to have now; `nil` for nothing.
    ///   - gateways: those that the fleet knows.
    /// - Throws: the mistakes, also those that only one gateway has.
    package init(
        _ text: String, file: String, gateways: [String], names: CharacteristicNames,
        before: (String) -> String?
    ) throws(ConfigurationErrors) {
        let part = ConfigurationPart(text, file: file, names: names)
        let misuses = part.problems + FleetConfiguration.misuses(part)
        guard misuses.isEmpty else { throw ConfigurationErrors(misuses) }
        let named = Set(part.configuration.poll.devices.flatMap(\.namedGateways))
        unknown = named.subtracting(gateways).sorted()
        let all = named.union(gateways).sorted()
        var earlier: [String: ConfigurationPart] = [:]
        var (changes, problems): ([Change], [ConfigurationProblem]) = ([], [])
        for gateway in all.isEmpty ? [Configuration.hostGateway] : all {
            let new = Self.merge(part, for: gateway, names: names)
            problems += new.problems
            let old = before(gateway).map { text in
                let part = earlier[text] ?? ConfigurationPart(text, file: "", names: names)
                earlier[text] = part
                return Self.merge(part, for: gateway, names: names).configuration
            }
            changes.append(Self.change(of: gateway, from: old, to: new.configuration))
        }
        guard problems.isEmpty else {
            throw ConfigurationErrors(problems.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
        }
        self.changes = all.isEmpty ? [] : changes
    }

    /// The configuration of a gateway whose own file names only the database.
    private static func merge(
        _ part: ConfigurationPart, for gateway: String, names: CharacteristicNames
    ) -> ConfigurationMerge {
        let own = ConfigurationPart("sinks: {postgres: {url: \"postgresql:///fleet\"}}", file: "", names: names)
        return ConfigurationMerge([own, part], gateway: gateway)
    }

    private static func change(of gateway: String, from old: Configuration?, to new: Configuration) -> Change {
        let old = old ?? Configuration()
        let (before, now) = (devices(old), devices(new))
        let known = Dictionary(before.map { ($0.id, $0) }) { first, _ in first }
        let stays = Set(now.map(\.id))
        var lines = differences(settings(old), settings(new))
        for device in now {
            guard let earlier = known[device.id] else {
                lines.append("+ \(device.name)")
                continue
            }
            let changed = differences(settings(earlier, in: old), settings(device, in: new))
            if !changed.isEmpty { lines.append("~ \(device.name): \(changed.joined(separator: ", "))") }
        }
        lines += before.filter { !stays.contains($0.id) }.map { "- \($0.name)" }
        if old.poll.layouts != new.poll.layouts { lines.append("~ layouts") }
        if old.poll.recipes.filter(\.isOwn) != new.poll.recipes.filter(\.isOwn) { lines.append("~ recipes") }
        return Change(gateway: gateway, devices: now.count, before: before.count, lines: lines)
    }

    private static func devices(_ configuration: Configuration) -> [DeviceConfiguration] {
        configuration.poll.devices.filter { !$0.isElsewhere }
    }

    private static func settings(_ device: DeviceConfiguration, in configuration: Configuration) -> [String: String] {
        let settings = device.settings(
            DeviceConfiguration.keys, at: nil, showing: Showing(configuration: configuration, path: "devices."))
        return texts(settings)
    }

    /// What isn't of one device.
    private static func settings(_ configuration: Configuration) -> [String: String] {
        let keys = Configuration.keys.filter {
            FleetConfiguration.keys.contains($0.facts.name)
                && !["tags", "devices", "layouts", "recipes"].contains($0.facts.name)
        }
        return texts(configuration.settings(keys, at: nil, showing: Showing(configuration: configuration)))
    }

    /// The values by the paths of their keys.
    private static func texts(_ settings: [Setting], under path: String = "") -> [String: String] {
        settings.reduce(into: [:]) { texts, setting in
            let key = path + setting.key
            switch setting.content {
            case .value(let value): texts[key] = YAMLString.text(value)
            case .section(let inner, _): texts.merge(self.texts(inner, under: "\(key).")) { first, _ in first }
            case .list(let items):
                let parts = items.map { item in
                    self.texts(item.settings).sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
                        .joined(separator: ", ")
                }
                texts[key] = "[\(parts.joined(separator: "; "))]"
            }
        }
    }

    private static func differences(_ old: [String: String], _ new: [String: String]) -> [String] {
        Set(old.keys).union(new.keys).sorted().filter { old[$0] != new[$0] }.map { key in
            "\(key) \(old[key] ?? "none") → \(new[key] ?? "none")"
        }
    }
}
