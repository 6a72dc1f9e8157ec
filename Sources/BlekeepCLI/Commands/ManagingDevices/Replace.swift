import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import BlekeepService

struct Replace: ContextCommand, BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "replace", abstract: "Put another sensor in the place of a broken one.",
        discussion: """
            The new sensor gets the ID of the old one, and with it the alias, the tags, all settings, the history, and \
            Home Assistant's entities. Readings keep the address that they came from. Listens first: a sensor that \
            blekeep doesn't hear, or that is of another kind, needs --force. Writes the address and the ID into the \
            device's configuration file. Replaced by the old sensor, everything is as it was.

            Example:
              blekeep replace cellar F0:00:00:00:00:07
            """)

    @Argument(help: ArgumentHelp("The device: its alias or its address.", valueName: "dev"), completion: .device)
    var device: String

    @Argument(help: ArgumentHelp("The new sensor: its address or own name.", valueName: "new"))
    var new: String

    @Flag(help: "Replace it although blekeep doesn't hear the new sensor, or it is of another kind.")
    var force = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    func run(in context: CommandContext) async throws {
        let files = try DeviceFiles(options, environment: context.environment)
        let old = try files.device(device)
        // Other commands need not wait for the radio.
        files.unlock()
        let sensor = try await context.nearbyDevice(new)
        try check(sensor.address, against: old, files: files)
        if !force {
            let heard = try await context.listen(to: DeviceConfiguration(address: sensor.address, adapter: old.adapter))
            guard let heard else {
                throw Failure(
                    .notFound,
                    "blekeep doesn't hear \(sensor.address): switch it on and bring it near, or add --force")
            }
            let kinds = Self.formats(of: old, in: context)
            if let difference = Self.difference(from: old, kinds: kinds, to: heard, recipes: context.recipes) {
                throw Failure(.usage, "\(difference); --force replaces it all the same")
            }
        }
        let applied = try files.apply([(.replacement(by: sensor.address, id: old.id), old)])
        let now = applied.configuration.poll.devices.first { $0.id == old.id } ?? old
        var changes = DeviceChanges(context)
        try changes.change(now, state: "replaced", was: old.address.description) { () throws(Failure) in
            let path = files.file(of: old.address)
            let place = "\(sensor.address) has the place of \(old.address) as \(Untrusted(old.name))"
            return ("\(place), in \(Untrusted.whole(path ?? ""))\(applied.ruleWords)", path)
        }
        try await changes.finish("the running poller reads \(now.address) now") { kept in
            !now.isPolled || kept.contains { $0.address == now.address.description }
        }
        if old.keyFile != nil, !options.json {
            try context.output.line("next: blekeep set \(Untrusted(old.name)) key FILE, with the new sensor's key")
        }
    }

    private func check(_ new: BluetoothAddress, against old: DeviceConfiguration, files: DeviceFiles) throws(Failure) {
        guard new != old.address else {
            throw Failure(.usage, "\(new) is \(Untrusted(old.name)) already; name the new sensor")
        }
        guard let other = files.configuration.poll.devices.first(where: { $0.address == new }) else { return }
        throw Failure(
            .badConfiguration,
            "\(DeviceFilePath.sentence(other, file: files.file(of: new))); 'blekeep remove \(Untrusted(other.name))' "
                + "first, and its readings so far stay under its own ID")
    }

    /// The formats of what a device advertised so far; none without a history.
    private static func formats(of device: DeviceConfiguration, in context: CommandContext) -> Set<String> {
        let latest = try? StoredHistory.read(context) { try $0.latest(HistoryQuery(device: device.id)) }
        let advertised = (latest ?? []).map(\.reading).filter { $0.characteristic == nil && $0.recipe == nil }
        return Set(advertised.map(\.name)).subtracting([""])
    }

    /// Says why a sensor can't do what a device does; `nil` if nothing speaks against it.
    ///
    /// - Parameter kinds: the formats of what the device advertised so far.
    static func difference(
        from old: DeviceConfiguration, kinds: Set<String>, to heard: Advertisement, recipes: [Recipe]
    ) -> String? {
        let values = AdvertisedValues(heard.data)
        let (name, address) = (Untrusted(old.name), heard.address)
        let new = values.formats.joined(separator: ", ")
        guard old.mode != .passive else {
            guard values.isKnown else {
                return "\(name) advertises its values, and \(address) advertises none that blekeep knows"
            }
            let wanted = old.format.map { [$0.name] } ?? kinds
            let isSame = wanted.isEmpty || !wanted.isDisjoint(with: values.formats)
            return isSame
                ? nil : "\(name) is of the kind \(wanted.sorted().joined(separator: ", ")), and \(address) is \(new)"
        }
        if let recipe = old.recipe {
            let fitting = RecipeCatalogue.match(Recipe.Traits(heard.data), in: recipes)?.recipes ?? []
            return fitting.contains { $0.name == recipe }
                ? nil : "\(address) doesn't look like a device of the recipe \(recipe)"
        }
        return values.isReadable && heard.services.isEmpty
            ? "blekeep reads \(name) over a connection, and \(address) advertises its values: \(new)" : nil
    }
}
