import BlekeepOutputs
import BlekeepRecords
import Glibc
import Yams

/// Finds and reads the configuration files. Unknown keys are mistakes.
///
/// With `-c`, blekeep reads only that file. Otherwise it reads the first folder with any file: the user's
/// (`$XDG_CONFIG_HOME/blekeep`, or `~/.config/blekeep`), then `/etc/blekeep`; for root, the reverse. In a folder, it reads
/// `config.yaml`, then `conf.d/*.yaml` by name. Each of these may add devices, and set what no other file sets.
package struct ConfigurationLoader: Sendable {
    /// The file that `-c` names; `nil` to search the folders.
    var file: String?
    package var environment: [String: String]
    var names: CharacteristicNames
    var isRoot = geteuid() == 0
    var systemFolder = "/etc/blekeep"
    /// What files are to have, by their paths, to check that before it is written.
    package var drafts: [String: String] = [:]
    /// Whether to wait for a program that writes into a pipe.
    package var mayWait = true
    /// Returns where the history is, for the path in the configuration: the fleet's configuration lies beside it.
    package var history: @Sendable (_ configured: String?) -> String? = { $0 }

    /// Reads all files, and reports all mistakes at once. Returns `nil` when there is no configuration file.
    package func load() throws(ConfigurationErrors) -> LoadedConfiguration? {
        var files = try files()
        guard !files.isEmpty else { return nil }
        var parts: [ConfigurationPart] = []
        var problems: [ConfigurationProblem] = []
        for file in files {
            do {
                // Nobody writes into a pipe that lies in a folder.
                let draft = drafts[file]
                let text =
                    if let draft { draft } else {
                        try ConfigurationFile.read(file, mayWait: mayWait && self.file != nil)
                    }
                let part = ConfigurationPart(text, file: file, names: names)
                parts.append(part)
                problems += part.problems
            } catch {
                problems.append(error)
            }
        }
        var merge = ConfigurationMerge(parts, gateway: environment[Self.gatewayVariable])
        problems += merge.problems
        if !problems.isEmpty { throw ConfigurationErrors(problems, files: files) }
        let notes = try addFleet(to: &merge, &parts, &files)
        return LoadedConfiguration(
            configuration: merge.configuration, at: merge.at, files: files, notes: notes,
            layoutTests: parts.reduce(0) { $0 + $1.layoutTests }, recipeTests: parts.reduce(0) { $0 + $1.recipeTests })
    }

    /// The environment variable with this gateway's name, which outranks the files.
    package static let gatewayVariable = "BLEKEEP_GATEWAY"

    private func files() throws(ConfigurationErrors) -> [String] {
        if let file { return [file] }
        for folder in folders {
            let files = try ConfigurationFolder(path: folder).files()
            let new = drafts.keys.filter { $0.hasPrefix("\(folder)/conf.d/") && !files.contains($0) }
            if !files.isEmpty || !new.isEmpty { return files + new.sorted() }
        }
        return []
    }

    /// The path of the file that `-c` names, or of the folder with files, without symbolic links; empty without one.
    package var place: String {
        let folder = folders.first { (try? ConfigurationFolder(path: $0).files().isEmpty) == false }
        guard let path = file ?? folder else { return "" }
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// The folder that commands lock while they change the configuration.
    package var lockFolder: String {
        let place = place
        let parts = place.split(separator: "/", omittingEmptySubsequences: false)
        guard file != nil else { return place.isEmpty ? folders.first ?? "" : place }
        // The same for each file of a folder of configurations.
        let folder = parts.dropLast(parts.dropLast().last == "conf.d" ? 2 : 1).joined(separator: "/")
        return folder.isEmpty ? place.hasPrefix("/") ? "/" : "." : folder
    }

    /// The folders of configurations, in the order of preference.
    package var folders: [String] {
        guard let own else { return [systemFolder] }
        return isRoot ? [systemFolder, own] : [own, systemFolder]
    }

    private var own: String? {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return "\(folder)/blekeep" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/.config/blekeep"
    }
}

extension ConfigurationLoader {
    /// - Parameter file: the only file to read; `nil` to search the folders.
    package init(file: String?, environment: [String: String], names: CharacteristicNames) {
        self.init(file: file, environment: environment, names: names, isRoot: geteuid() == 0)
    }
}

/// A configuration and its files, in order.
package struct LoadedConfiguration: Sendable {
    package var configuration: Configuration
    /// Where its settings are in the files.
    let at: Located
    package let files: [String]
    /// Sentences about versions of the fleet's configuration that don't fit.
    package let notes: [String]
    /// The number of tests that its layouts passed.
    package let layoutTests: Int
    /// The number of tests that its recipes passed.
    package let recipeTests: Int

    /// The configuration without a file.
    package static var empty: LoadedConfiguration {
        let merge = ConfigurationMerge([])
        return LoadedConfiguration(
            configuration: merge.configuration, at: merge.at, files: [], notes: [], layoutTests: 0, recipeTests: 0)
    }

    /// Returns all settings in force.
    ///
    /// - Parameter overrides: the settings that come from options or the environment, by their path, such as
    ///   `history.path`.
    package func settings(_ overrides: [String: Setting]) -> [Setting] {
        configuration.settings(
            Configuration.keys, at: at, showing: Showing(configuration: configuration, overrides: overrides))
    }

    /// The file with the fleet's configuration; `nil` for none.
    package var fleetFile: String? { configuration.sinks.postgres?.running == nil ? nil : files.last }

    /// The files of the devices, in the order of the devices.
    package var deviceFiles: [String] { at.keys["devices"]?.items.map(\.key.file) ?? [] }

    /// Where the rules are, in their order.
    package var rulePlaces: [ConfigurationLocation] { at.keys["rules"]?.items.map(\.value) ?? [] }
}

/// The settings of one file, and all mistakes in it. Unknown keys are mistakes.
package struct ConfigurationPart {
    package internal(set) var configuration = Configuration()
    var at: Located
    package let problems: [ConfigurationProblem]
    /// The numbers of tests that the layouts and the recipes passed.
    package let layoutTests, recipeTests: Int
    /// The names of the recipes that have mistakes.
    let flawedRecipes: Set<String>

    package init(_ text: String, file: String, names: CharacteristicNames) {
        let yaml = YAMLText(text, file: file)
        var reader = YAMLReader(yaml, file: file, names: names)
        let place = ConfigurationLocation(file: file)
        at = Located(key: place, value: place)
        // A file may have only comments.
        if let root = yaml.root, !(root.scalar?.isNull ?? false) {
            let entry = YAMLEntry(key: "", place: place, node: root)
            if let draft = reader.section(Configuration.keys, of: entry, as: "a configuration") {
                (configuration, at) = (draft.section, draft.at)
            }
        }
        problems = reader.problems
        layoutTests = reader.layoutTests
        recipeTests = reader.recipeTests
        flawedRecipes = reader.flawedRecipes
    }
}

/// Merges the settings of several files. Lists add up; only one file may set any other key.
struct ConfigurationMerge {
    private(set) var configuration = Configuration()
    private(set) var at: Located
    private(set) var problems: [ConfigurationProblem] = []
    private var noted: Set<ConfigurationProblem> = []

    /// - Parameters:
    ///   - gateway: this gateway's name, instead of that in the files; `nil` or empty for theirs.
    ///   - fleet: the version of the fleet's configuration that the last part is; `nil` for none.
    init(_ parts: [ConfigurationPart], gateway: String? = nil, fleet: FleetVersion? = nil) {
        let place = ConfigurationLocation(file: "")
        at = Located(key: place, value: place)
        for key in Configuration.keys {
            let name = key.facts.name
            for part in parts {
                guard let other = part.at.keys[name] else { continue }
                if key.facts.isList {
                    at.keys[name, default: other.withoutItems].items += other.items
                } else if let first = at.keys[name] {
                    let advice = other.keys.isEmpty ? "keep one" : "put both into one file"
                    note("`\(name)` is set already at \(first.key); \(advice)", at: other.key)
                    continue
                } else {
                    at.keys[name] = other
                }
                key.take(part.configuration, &configuration)
            }
        }
        if let gateway, !gateway.isEmpty { name(gateway) }
        configuration.sinks.postgres?.running = fleet
        applyTags()
        applyGateway()
        checkDevices()
        checkLayouts()
        checkRecipes(except: parts.reduce(into: []) { $0.formUnion($1.flawedRecipes) })
        let rules = RuleCheck(configuration)
        for (place, message) in rules.problems(
            at: at.keys["rules"]?.items ?? [], notices: at.keys["notices"]?.items ?? [])
        {
            note(message, at: place)
        }
    }

    /// Says what is wrong with a text that can't be a gateway's name.
    static func noGateway(_ text: String) -> String {
        "\(Quoted.text(text)) isn't a gateway's name, which has up to 64 letters, digits, `_` and `-`"
    }

    private mutating func name(_ gateway: String) {
        guard MQTTConfiguration.isTopicPart(gateway), gateway != DeviceConfiguration.anyGateway else {
            return note(Self.noGateway(gateway), at: ConfigurationLocation(file: ConfigurationLoader.gatewayVariable))
        }
        configuration.gateway = gateway
    }

    /// Gives devices the keys of their tags. A tag has one place.
    private mutating func applyTags() {
        let places = at.keys["tags"]?.items ?? []
        var tags: [String: (device: DeviceConfiguration, at: Located)] = [:]
        for (tag, at) in zip(configuration.tags, places) {
            if let first = tags[tag.tag] {
                note("the tag `\(tag.tag)` is set already at \(first.at.key); keep one", at: at.key)
            } else {
                tags[tag.tag] = (tag.device, at)
            }
        }
        guard !tags.isEmpty else { return }
        let keys = DeviceConfiguration.keys
        for index in configuration.poll.devices.indices {
            let own = configuration.poll.devices[index].tags
            for key in keys where at.devices[index].keys[key.facts.name] == nil {
                let name = key.facts.name
                guard let tag = own.first(where: { tags[$0]?.at.keys[name] != nil }), let (device, tagAt) = tags[tag],
                    var place = tagAt.keys[name],
                    configuration.poll.devices[index].conflict(of: name, at: at.devices[index].keys) == nil
                else { continue }
                place.tag = tag
                at.devices[index].keys[name] = place
                key.take(device, &configuration.poll.devices[index])
            }
        }
    }

    /// Takes this gateway's name where it matters.
    private mutating func applyGateway() {
        let gateway = configuration.gateway
        configuration.sinks.mqtt?.gateway = gateway
        configuration.sinks.postgres?.gateway = gateway
        configuration.sinks.postgres?.decides = configuration.sinks.mqtt?.fleet == nil
        if configuration.sinks.mqtt?.fleet == gateway,
            let place = at.keys["sinks"]?.keys["mqtt"]?.keys["fleet"]?.value
        {
            note("`fleet` is the name of this `gateway`; choose another", at: place)
        }
        for index in configuration.poll.devices.indices {
            let gateways = configuration.poll.devices[index].gateways
            let isAny = gateways.contains(DeviceConfiguration.anyGateway)
            configuration.poll.devices[index].isElsewhere = !gateways.isEmpty && !isAny && !gateways.contains(gateway)
            guard let place = at.devices[index].keys["gateways"]?.value else { continue }
            // Gateways agree there.
            let hasBroker = configuration.sinks.mqtt?.fleet != nil
            let hasDatabase = configuration.sinks.postgres != nil
            if isAny, hasBroker {
                note(
                    "the gateway `any` needs `sinks: postgres:` and no `fleet` at a broker; name the gateways",
                    at: place)
            } else if isAny, !hasDatabase {
                note("the gateway `any` needs `sinks: postgres:`; add it, or name the gateways", at: place)
            } else if gateways.count > 1, !hasBroker, !hasDatabase {
                note(
                    "gateways that stand by need `sinks: {mqtt: {fleet: …}}` or `sinks: postgres:`; set one, or keep one gateway",
                    at: place)
            }
        }
    }

    /// Devices have different addresses, IDs and aliases, and no alias is another device's ID. A gateway has not too many.
    private mutating func checkDevices() {
        let own = configuration.poll.devices.indices.filter { !configuration.poll.devices[$0].isElsewhere }
        if own.count > PollConfiguration.maxDevices {
            note(
                "this gateway has \(own.count) devices, and may have \(PollConfiguration.maxDevices); give the others to another one",
                at: at.devices[own[PollConfiguration.maxDevices]].value)
        }
        var addresses: [BluetoothAddress: ConfigurationLocation] = [:]
        var ids: [DeviceID: ConfigurationLocation] = [:]
        var aliases: [String: ConfigurationLocation] = [:]
        let devices = Array(zip(configuration.poll.devices, at.devices))
        for (device, at) in devices {
            let place = at.keys["address"]?.value ?? at.value
            if let first = addresses[device.address] {
                note("the device \(device.address) is configured already at \(first); keep one", at: place)
                continue
            }
            addresses[device.address] = place
            let idPlace = at.keys["id"]?.value ?? place
            if let first = ids[device.id] {
                note("the ID \(device.id) is taken already at \(first); choose another", at: idPlace)
            } else {
                ids[device.id] = idPlace
            }
        }
        for (device, at) in devices {
            for (key, place) in at.keys where place.tag == nil {
                if let message = device.conflict(of: key, at: at.keys) { note(message, at: place.key) }
            }
            checkFields(of: device, at: at)
            guard let alias = device.alias, let place = at.keys["alias"]?.value else { continue }
            if let first = aliases[alias] {
                note("the alias \(Quoted.text(alias)) is taken already at \(first); choose another", at: place)
            } else if alias != device.id.description, let other = DeviceID(alias).flatMap({ ids[$0] }) {
                note("the alias \(Quoted.text(alias)) is the ID of the device at \(other); choose another", at: place)
            } else {
                aliases[alias] = place
            }
        }
    }

    /// Compares the fields that the user wants, and those that the user corrects, with those that exist. For a passive
    /// device with a format that the user chose, these are the format's. For a recognized format, the poller does it.
    private mutating func checkFields(of device: DeviceConfiguration, at: Located) {
        let corrected = Array(zip(device.calibration, at.keys["calibration"]?.items ?? []))
        guard device.mode == .passive else {
            for (field, place) in corrected {
                guard let misfit = misfit(of: field.name, connected: device) else { continue }
                note(misfit, at: place.value)
            }
            return
        }
        let format = device.format ?? device.model.map { _ in .switchbot }
        let formats: Set<BroadcastFormat> = format.map { [$0] } ?? []
        let owner = device.model.map { "a SwitchBot `\($0.rawValue)`" } ?? format.map { "`format: \($0.rawValue)`" }
        func problems(_ fields: [String], derived: Set<DerivedValue>) -> [String] {
            FieldMisfit.all(fields, derived: derived, in: formats, model: device.model).map { $0.message(of: owner) }
        }
        // The derived values are computed from corrected ones.
        for (field, place) in corrected {
            for message in problems([field.name], derived: []) { note(message, at: place.value) }
        }
        guard format != nil else { return }
        // The list itself names the fields that no format has.
        let known = device.fields.filter { FieldMisfit.all([$0], derived: [], in: []).isEmpty }
        if let place = at.keys["fields"]?.value {
            for message in problems(known, derived: []) { note(message, at: place) }
        }
        guard let place = at.keys["derive"]?.value else { return }
        for message in problems([], derived: device.derived) { note(message, at: place) }
    }

    /// Says that no value that comes over a connection has a field; `nil` for one that may come.
    private func misfit(of name: String, connected device: DeviceConfiguration) -> String? {
        let recipe = device.recipe.flatMap { name in
            configuration.poll.recipes.first { $0.name == name } ?? RecipeCatalogue.recipe(named: name)
        }
        // The recipe's mistakes are noted elsewhere.
        if device.recipe != nil, recipe == nil { return nil }
        let own = configuration.poll.layouts.flatMap(\.fields).units.keys
        let all = ConnectedFieldNames(more: Array(own) + (recipe?.fieldUnits.keys.map { $0 } ?? []))
        // A vendor's value without a layout may have any name, so that only a likely mistake is one.
        guard !all.contains(name), let meant = Spelling.closest(to: name, among: all.names.sorted()) else { return nil }
        return "no value of this device has a field `\(name)`; did you mean `\(meant)`?"
    }

    private mutating func checkLayouts() {
        var places: [BluetoothUUID: ConfigurationLocation] = [:]
        for (layout, at) in zip(configuration.poll.layouts, at.keys["layouts"]?.items ?? []) {
            if let first = places[layout.characteristic] {
                note("the layout of \(layout.characteristic) is set already at \(first); keep one", at: at.value)
            } else {
                places[layout.characteristic] = at.value
            }
        }
    }

    /// Recipes have different names, that none of blekeep's has, and fit the devices that name them.
    ///
    /// - Parameter flawed: the names of recipes whose mistakes are noted. Their devices have none.
    private mutating func checkRecipes(except flawed: Set<String>) {
        var places: [String: ConfigurationLocation] = [:]
        for (recipe, at) in zip(configuration.poll.recipes, at.keys["recipes"]?.items ?? []) {
            if let first = places[recipe.name] {
                note("the recipe `\(recipe.name)` is set already at \(first); keep one", at: at.value)
            } else if RecipeCatalogue.names.contains(recipe.name) {
                note("blekeep has a recipe `\(recipe.name)` itself; choose another name", at: at.value)
            }
            places[recipe.name] = places[recipe.name] ?? at.value
        }
        for (device, at) in zip(configuration.poll.devices, at.devices) {
            guard let name = device.recipe, let place = at.keys["recipe"]?.value, !flawed.contains(name) else {
                continue
            }
            if !configuration.poll.recipes.contains(where: { $0.name == name }) {
                guard let recipe = RecipeCatalogue.recipe(named: name) else {
                    let meant = Spelling.closest(to: name, among: places.keys.sorted() + RecipeCatalogue.names)
                    let advice = meant.map { "did you mean `\($0)`?" } ?? "'blekeep recipes' lists all"
                    note("no recipe is called \(Quoted.text(name)); \(advice)", at: place)
                    continue
                }
                configuration.poll.recipes.append(recipe)
            }
            guard let recipe = configuration.poll.recipes.first(where: { $0.name == name }) else { continue }
            for message in device.misfits(recipe) { note(message, at: place) }
        }
    }

    private mutating func note(_ message: String, at place: ConfigurationLocation) {
        let problem = ConfigurationProblem(place: place, message: message)
        // Several devices may have a mistake from the same tag.
        if noted.insert(problem).inserted { problems.append(problem) }
    }
}

extension Located {
    fileprivate var devices: [Located] {
        get { keys["devices"]?.items ?? [] }
        set { keys["devices"]?.items = newValue }
    }
}

extension DeviceConfiguration {
    /// What prevents a recipe from asking the device.
    fileprivate func misfits(_ recipe: Recipe) -> [String] {
        var messages: [String] = []
        if recipe.steps.isEmpty { messages.append("the recipe only has a `log`, and no steps; remove `recipe`") }
        let writes = recipe.writes.map { "\($0.bytes.summary) to \($0.characteristic)" }
        if recipe.isOwn, !writes.isEmpty, !mayWrite {
            let list = writes.prefix(3).joined(separator: ", ") + (writes.count > 3 ? " and more" : "")
            messages.append("the recipe writes \(list); add `write: true` to allow that")
        }
        if recipe.needsSecret, secretFile == nil {
            messages.append("the recipe sends a secret; add `secret`, the file that has it")
        } else if !recipe.needsSecret, secretFile != nil {
            messages.append("the recipe sends no secret; remove `secret`")
        }
        if let least = recipe.minInterval, let interval, interval < least {
            messages.append(
                "the recipe needs at least \(DurationText.text(least)) between its conversations; write a longer `interval`"
            )
        }
        if recipe.connection == .release, mode == .hold {
            messages.append("the recipe disconnects after each tick; remove `mode: hold`")
        }
        return messages
    }
}

extension PollConfiguration {
    /// What recipes would write, in a sentence for each device.
    package var recipeWrites: [String] {
        devices.compactMap { device in
            guard let recipe = recipes.first(where: { $0.name == device.recipe }), !recipe.writes.isEmpty else {
                return nil
            }
            let writes = recipe.writes.map { "\($0.bytes.summary) to \($0.characteristic)" }
            return "\(device.name): the recipe \(recipe.name) writes \(writes.joined(separator: ", "))"
        }
    }
}
