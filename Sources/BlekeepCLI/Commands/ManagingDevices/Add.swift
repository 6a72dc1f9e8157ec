import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import Logging
import RunLoop

struct Add: ContextCommand, BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Write the configuration of devices.",
        discussion: """
            Listens to a device, and connects to it unless it advertises its values. Writes a new file in conf.d for each \
            device, and changes no other file. A device that is configured with this alias stays as it is. The alias is \
            the device's own name, unless you give one. The running poller reads the files at once, if this user may make it. \
            If a recipe fits the device, blekeep shows what that writes, asks, and reads the device once. Without a device, \
            it scans for 10s, lists the devices with values that blekeep can decode, and asks which to add. Of those, \
            --all adds all; devices whose recipes write are left out, and so are iBeacons and the like, unless --format or \
            a --name without wildcards names them. Encrypted values need a --key; on a terminal, blekeep asks for its path.

            Examples:
              blekeep add
              blekeep add F0:00:00:00:00:01 --alias greenhouse
              blekeep add --format ruuvi --rssi -80 --all
              blekeep add A4:C1:38:00:00:01 --key /etc/blekeep/attic-key
              blekeep add C4:7C:8D:00:00:01 --recipe miflora --yes
              blekeep add --all --yes
            """)

    @Argument(help: ArgumentHelp("The device: its address or own name, or adapter/address.", valueName: "dev"))
    var device: String?

    @Option(help: "The device's alias.")
    var alias: String?

    @Flag(help: "Add all nearby devices with values that blekeep can decode.")
    var all = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only nearby devices with at least this signal strength, such as -80.", valueName: "dbm"))
    var rssi: Int?

    @Option(help: ArgumentHelp("Only nearby devices whose name matches this pattern.", valueName: "glob"))
    var name: String?

    @Option(
        help: ArgumentHelp("Only nearby devices that advertise this format, such as ruuvi.", valueName: "format"),
        completion: .list(BroadcastFormat.allCases.map(\.rawValue)))
    var format: String?

    @Option(help: "The file with the key of a device whose values are encrypted.", completion: .file())
    var key: String?

    @Flag(help: "Add without a question.")
    var yes = false

    @Option(
        help: ArgumentHelp("Ask the device by this recipe, or by none.", valueName: "name"),
        completion: .custom { _, _, _ in RecipeCatalogue.names + [Self.noRecipe] })
    var recipe: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "With --all, also add these devices, whose recipes write to them.", valueName: "address"))
    var allowWrites: [String] = []

    @Flag(help: "Print the file instead of writing it.")
    var print = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    func validate() throws {
        if let alias { try AliasRule.validate(alias) }
        if all, device != nil || alias != nil || print || recipe != nil {
            throw ValidationError("--all takes no device, no --alias, no --recipe and no --print")
        }
        if device == nil, alias != nil || print || recipe != nil || key != nil {
            throw ValidationError("name the device that --alias, --recipe, --key or --print is for")
        }
        if device != nil, rssi != nil || name != nil || format != nil {
            throw ValidationError("--rssi, --name and --format choose among nearby devices; name no device")
        }
        if let rssi, !(-127...20).contains(rssi) { throw ValidationError("--rssi must be from -127 to 20") }
        if let format, BroadcastFormat(rawValue: format) == nil {
            let meant = Spelling.meant(by: format, among: BroadcastFormat.allCases.map(\.rawValue))
            throw ValidationError(
                "'\(Untrusted(format))' isn't a format; "
                    + (meant.map { "did you mean '\($0)'?" } ?? "write one such as ruuvi or bthome"))
        }
        if yes, !all, device == nil { throw ValidationError("--yes needs a device, or --all") }
        if !all, !allowWrites.isEmpty { throw ValidationError("--allow-writes is for --all") }
        if let other = allowWrites.first(where: { BluetoothAddress($0) == nil }) {
            throw ValidationError(
                "--allow-writes takes addresses, such as F0:00:00:00:00:01, not '\(Untrusted(other))'")
        }
    }

    private static let noRecipe = "none"

    func run(in context: CommandContext) async throws {
        guard let device else {
            let allowed = Set(allowWrites.compactMap { BluetoothAddress($0) })
            let choice = NearbyDevices.Choice(
                filter: ScanFilter(name: name, rssi: rssi), format: format.flatMap { BroadcastFormat(rawValue: $0) },
                isAll: all, asks: !yes)
            return try await NearbyDevices(context, choice).add(allowingWrites: allowed)
        }
        let files = print ? try? NewDeviceFiles(context) : try NewDeviceFiles(context)
        var chosen = try await context.nearbyDevice(device)
        chosen = DeviceConfiguration(address: chosen.address, adapter: chosen.adapter)
        chosen.alias = alias
        if !print, let there = files?.configured(as: chosen) {
            return try sayUnchanged(there.device, file: there.file, in: context)
        }
        if alias != nil, !print { _ = try files?.path(for: chosen) }
        try files?.check(chosen)
        if let key { chosen.keyFile = try NearbyDevices.keyFile(key, of: nil, in: context) }
        let heard = try await context.listen(to: chosen)
        if let key, let heard {
            _ = try NearbyDevices.keyFile(key, of: heard, in: context)
        } else if !print, let heard {
            let user = TerminalUser(on: context.loop, canAnswer: context.terminal.hasKeyboard && !yes)
            chosen.keyFile = try await NearbyDevices.askForKey(of: heard, user, in: context)
        }
        if let recognized = try await recognized(chosen, heard: heard, in: context) {
            return try await add(recognized, to: files, in: context)
        }
        let (file, named) = try await context.deviceFile(of: chosen, heard: heard) { Self.alias(from: $0, files) }
        try await finish(named, file: file, files: files, in: context)
    }

    /// - Parameter files: `nil` where nothing is written.
    /// - Returns: `nil` for a name with nothing that an alias may have.
    private static func alias(from name: String, _ files: NewDeviceFiles?) -> String? {
        guard let files else { return AliasRule.alias(from: name) { _ in false } }
        return files.alias(from: name)
    }

    private func finish(
        _ named: DeviceConfiguration, file: DeviceFile, files: NewDeviceFiles?, in context: CommandContext
    ) async throws {
        guard let files, !print else {
            let pairs = JSON.pairs(of: named.name, address: named.address.description, state: "printed")
            let object: JSON = .object(pairs + [("configuration", .text(file.text))])
            return try context.output.write(options.json ? "\(object.text)\n" : file.text)
        }
        var changes = DeviceChanges(context)
        try files.add(named, text: file.text, to: &changes)
        if file.needsKey, let help = Advice.command(.noKey, of: DeviceNames.argument(named.name, at: named.address)) {
            context.log.notice("\(Untrusted(named.name)) encrypts its values: \(Untrusted(help))")
        }
        try await changes.finishAddition()
    }

    /// The device with the recipe that the user named, or that fits; `nil` without one.
    private func recognized(
        _ chosen: DeviceConfiguration, heard: Advertisement?, in context: CommandContext
    ) async throws -> RecognizedDevice? {
        if recipe == Self.noRecipe { return nil }
        let data = try await context.advertised(by: chosen, heard: heard?.data)
        guard let recipe else {
            let fitting = RecipeCatalogue.match(Recipe.Traits(data), in: context.recipes)?.recipes ?? []
            if let heard, RecognizedDevice.advertisesValues(heard, likeThatOf: fitting) { return nil }
            return try await RecognizedDevice.find(chosen, data: data, in: context)
        }
        let named = try Recipes.named(recipe, in: context.recipes)
        return try RecognizedDevice(chosen, recipe: named, isForbidden: named.match(Recipe.Traits(data)) == .never)
    }

    /// Asks the user, and then the device, before it writes the file.
    private func add(
        _ recognized: RecognizedDevice, to files: NewDeviceFiles?, in context: CommandContext
    ) async throws {
        guard !print else {
            var device = recognized.device
            if alias == nil {
                device.alias = await context.ownName(of: device.address).flatMap { Self.alias(from: $0, files) }
            }
            let named = try RecognizedDevice(device, recipe: recognized.recipe, isForbidden: false)
            return try await finish(device, file: DeviceFile(of: named), files: files, in: context)
        }
        let user = TerminalUser(on: context.loop, canAnswer: context.terminal.hasKeyboard)
        var recognized = recognized
        var first: Failure?
        while true {
            let isHarmless = recognized.recipe.writes.isEmpty
            guard isHarmless || yes || context.terminal.hasKeyboard else {
                throw first
                    ?? Failure(
                        .usage,
                        "\(recognized.sentence): run this on a terminal, or add --yes; '--recipe none' adds it without")
            }
            if !isHarmless, !yes, await !user.agrees(to: "\(recognized.sentence).\nAdd it?") { return }
            if isHarmless || yes, !options.json { try context.output.line(recognized.sentence) }
            let answer = try await recognized.ask(in: context) { Self.alias(from: $0, files) }
            guard let refusal = answer.refusal else {
                if !options.json { try context.output.line(answer.named.line(answer.values)) }
                let file = DeviceFile(of: answer.named)
                return try await finish(answer.named.device, file: file, files: files, in: context)
            }
            // Devices of different recipes can have the same name.
            first = first ?? refusal
            guard context.ending == nil, let next = try recognized.next else { throw first ?? refusal }
            recognized = next
        }
    }

    private func sayUnchanged(_ device: DeviceConfiguration, file: String, in context: CommandContext) throws {
        let pairs = JSON.pairs(of: device.name, address: device.address.description, state: "unchanged")
        let sentence = DeviceFilePath.sentence(device, file: file)
        if let key, key != device.keyFile {
            let command = "blekeep set \(DeviceNames.argument(device.name, at: device.address)) key \(Untrusted(key))"
            throw Failure(.badConfiguration, "\(sentence); '\(command)' gives it this key")
        }
        try context.output.line(options.json ? JSON.object(pairs + [("file", .text(file))]).text : sentence)
    }
}

extension CommandContext {
    /// The time to hear a device, and the time after that for a packet with values.
    private static let listening: (first: Duration, more: Duration) = (.seconds(10), .seconds(3))

    /// Listens to a device.
    /// Returns a packet with values, or else any packet; `nil` when the device is connected, or blekeep doesn't hear it.
    func listen(to device: DeviceConfiguration) async throws -> Advertisement? {
        let central = try await central(on: options.adapter ?? device.adapter)
        // A connected device doesn't advertise.
        if await central.knownDevices.contains(where: { $0.address == device.address && $0.isConnected }) { return nil }
        log.info("listening to \(device.name)")
        work = "listening to \(device.name)"
        defer { if ending == nil { work = nil } }
        ProgressLine.show("\(step)listening to \(device.name) …", on: terminal)
        defer { ProgressLine.clear(on: terminal) }
        var heard: Advertisement?
        var end = loop.now + Self.listening.first
        do {
            for try await packet in central.scan(for: Self.listening.first + Self.listening.more) {
                if packet.address == device.address {
                    if heard == nil { end = loop.now + Self.listening.more }
                    heard = packet
                    if AdvertisedValues(packet.data).isKnown { return packet }
                }
                if loop.now >= end { break }
            }
        } catch let error as BluetoothError { throw Failure(error, device.address) }
        return heard
    }

    /// Returns what a device advertises. Of one that sleeps, BlueZ knows that once it is connected.
    ///
    /// - Parameter heard: what it just advertised; `nil` when blekeep didn't hear it.
    func advertised(by device: DeviceConfiguration, heard: AdvertisedData?) async throws -> AdvertisedData {
        if let heard { return heard }
        let adapter = options.adapter ?? device.adapter
        func known() async throws -> AdvertisedData? {
            try await central(on: adapter).knownDevices.first { $0.address == device.address }?.data
        }
        if let data = try await known(), data.name != nil || !data.services.isEmpty { return data }
        try await withLink(device) { _ in }
        return try await known() ?? AdvertisedData(address: device.address)
    }

    /// Makes a device's configuration file. Connects to the device, unless it advertises its values.
    ///
    /// - Parameters:
    ///   - heard: a packet of the device.
    ///   - name: returns the alias for a device with this name of its own, if the device has no alias yet.
    /// - Returns: the file, and the device with its alias.
    func deviceFile(
        of device: DeviceConfiguration, heard: Advertisement?, as name: @escaping @Sendable (String) -> String?
    ) async throws -> (file: DeviceFile, device: DeviceConfiguration) {
        if let heard, AdvertisedValues(heard.data).isKnown {
            var named = device
            named.mode = .passive
            named.alias = named.alias ?? heard.name.flatMap(name)
            return (DeviceFile(ofPassive: named, name: heard.name, AdvertisedValues(heard.data)), named)
        }
        let layouts = layouts
        return try await withLink(device) { link in
            var named = device
            if named.alias == nil { named.alias = await self.ownName(of: device.address).flatMap(name) }
            return (await DeviceFile(of: named, on: link, layouts: layouts), named)
        }
    }
}

extension AliasRule {
    /// - Throws: the mistake in an alias on the command line.
    static func validate(_ alias: String) throws {
        guard let flaw = flaw(in: alias) else { return }
        throw ValidationError("the alias \(Untrusted.whole(Quoted.text(alias))) \(flaw)")
    }
}
