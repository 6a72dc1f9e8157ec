import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import Logging
import RunLoop

/// Adds nearby devices with values that blekeep can decode.
struct NearbyDevices {
    struct Choice {
        var filter = ScanFilter()
        var format: BroadcastFormat?
        /// Whether to add all, and not those whose numbers the user types.
        var isAll = true
        var asks = true

        /// Formats that say who a device is, and measure nothing that it is for.
        private static let beacons = Set(BroadcastFormat.allCases.filter(\.isBeacon).map(\.name))

        /// Whether a device is a beacon that the user didn't name.
        func leavesOut(_ formats: [String]) -> Bool {
            // A pattern names nobody.
            let isNamed = filter.name.map { !$0.contains { "*?[".contains($0) } } ?? false
            return format == nil && !isNamed && !formats.isEmpty && Self.beacons.isSuperset(of: formats)
        }

        func admits(_ heard: Advertisement, formats: [String]) -> Bool {
            filter.admits(heard) && format.map { formats.contains($0.name) } ?? true
        }

        /// Returns the indices that an answer such as `1 3-5` chooses; `nil` for anything unclear.
        static func indices(_ answer: String, of count: Int) -> [Int]? {
            let words = answer.split { $0.isWhitespace || $0 == "," }
            if words.count == 1, ["all", "a"].contains(words[0].lowercased()) { return Array(0..<count) }
            var chosen: Set<Int> = []
            for word in words {
                let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
                guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
                    first >= 1, first <= last, last <= count
                else { return nil }
                chosen.formUnion(first - 1...last - 1)
            }
            return chosen.sorted()
        }
    }

    private let context: CommandContext
    private let files: NewDeviceFiles
    private let choice: Choice

    init(_ context: CommandContext, _ choice: Choice) throws(Failure) {
        self.context = context
        self.choice = choice
        files = try NewDeviceFiles(context)
    }

    private static let length: Duration = .seconds(10)
    /// Services that all kinds of devices have.
    private static let common: Set = [BluetoothUUID(0x1800), BluetoothUUID(0x1801), BluetoothUUID(0x180A)]

    /// - Parameter allowed: the devices whose recipes may write.
    /// - Throws: a failure when no user can agree, or when some of the devices weren't added.
    func add(allowingWrites allowed: Set<BluetoothAddress>) async throws {
        let user = TerminalUser(on: context.loop, canAnswer: context.terminal.hasKeyboard)
        guard !choice.asks || context.terminal.hasKeyboard else {
            throw Failure(
                .usage,
                choice.isAll
                    ? "'add --all' asks before it writes: run it on a terminal, or add --yes"
                    : "'add' without a device asks which to add: run it on a terminal, or name a device, or add --all --yes"
            )
        }
        var found: [Advertisement] = []
        for device in try await scan() {
            let mayWrite = allowed.contains(device.heard.address)
            if choice.leavesOut(AdvertisedValues(device.heard.data).formats) {
                try leaveOut(device.heard, because: "is a beacon; --format, --name or its address adds it")
            } else if let (recipes, match) = device.recognized,
                !RecognizedDevice.advertisesValues(device.heard, likeThatOf: recipes),
                let (recipe, reason) = Self.reason(against: recipes, match: match, mayWrite: mayWrite)
            {
                try leaveOut(device.heard, recipe: recipe, because: reason)
            } else if !choice.asks, Self.isEncrypted(device.heard) {
                try leaveOut(device.heard, because: "is encrypted; its address with --key FILE adds it")
            } else {
                found.append(device.heard)
            }
        }
        guard !found.isEmpty else {
            throw Failure(
                .notFound, "no new device nearby has values that blekeep can decode; 'blekeep scan' lists all")
        }
        let (chosen, keys) = try await chosen(of: found, by: user)
        var changes = DeviceChanges(context)
        for (index, heard) in chosen.enumerated() {
            context.step = chosen.count > 1 ? "\(index + 1) of \(chosen.count): " : ""
            do {
                try await add(heard, key: keys[heard.address], mayWrite: allowed.contains(heard.address), to: &changes)
            } catch let failure as Failure { changes.fail(failure) }
            guard context.ending == nil else { break }
        }
        context.step = ""
        if chosen.isEmpty { return }
        try await changes.finishAddition()
    }

    /// Lists devices, and asks which of them to add.
    /// Returns the devices, and the files with the keys of those that are encrypted.
    private func chosen(
        of found: [Advertisement], by user: TerminalUser
    ) async throws -> (devices: [Advertisement], keys: [BluetoothAddress: String]) {
        let width = "\(found.count)".count
        for (index, heard) in found.enumerated() {
            let number = "\(index + 1)"
            let head = choice.isAll ? "" : String(repeating: " ", count: width - number.count) + number + "  "
            // Programs get the devices that were added.
            if !context.options.json { try context.output.line(head + Self.line(heard)) }
        }
        guard choice.asks else { return (found, [:]) }
        var chosen = found
        if choice.isAll {
            let count = found.count == 1 ? "this device" : "these \(found.count) devices"
            guard await user.agrees(to: "Add \(count)?") else { return ([], [:]) }
        } else {
            var question = "Add which? [numbers such as 1 3-5, or all]"
            while true {
                guard let answer = await user.reply(to: question), !answer.isEmpty else { return ([], [:]) }
                if let indices = Choice.indices(answer, of: found.count) {
                    chosen = indices.map { found[$0] }
                    break
                }
                question = "Type numbers from 1 to \(found.count), such as 1 3-5, or all; nothing to add none:"
            }
        }
        var keys: [BluetoothAddress: String] = [:]
        for heard in chosen where Self.isEncrypted(heard) {
            if let key = try await Self.askForKey(of: heard, user, in: context) {
                keys[heard.address] = key
            } else {
                try leaveOut(heard, because: "is encrypted, and has no key")
                chosen.removeAll { $0.address == heard.address }
            }
        }
        return (chosen, keys)
    }

    private static func isEncrypted(_ heard: Advertisement) -> Bool { AdvertisedValues(heard.data).isEncrypted }

    /// Asks for the path of the file with a device's key; `nil` for none, and for a device that isn't encrypted.
    static func askForKey(
        of heard: Advertisement, _ user: TerminalUser, in context: CommandContext
    ) async throws -> String? {
        guard isEncrypted(heard) else { return nil }
        let name = heard.name.map { "\(Untrusted($0)), " } ?? ""
        var question = "\(name)\(heard.address) is encrypted. The path of the file with its key, or nothing:"
        while let path = await user.reply(to: question), !path.isEmpty {
            do { return try keyFile(path, of: heard, in: context) } catch {
                question = "\(error.message). The path of the file, or nothing:"
            }
        }
        return nil
    }

    /// - Parameter heard: what the device advertises; `nil` when that isn't known.
    /// - Throws: a failure for what a configuration can't have as a `key`, for a file that can't be used, and for a key that
    ///   doesn't fit.
    static func keyFile(
        _ text: String, of heard: Advertisement?, in context: CommandContext
    ) throws(Failure) -> String {
        let blank = DeviceConfiguration(address: BluetoothAddress(bits: 0))
        do { _ = try DeviceValue("key", text, of: blank, names: Composition.characteristicNames) } catch {
            throw Failure(.usage, error.problems.map { Untrusted.whole($0.message) }.joined(separator: "\n"))
        }
        let key: AdvertisementKey
        do throws(CredentialError) { key = try Credentials(environment: context.environment).key(text) } catch {
            if error.isOnlyHere { return text }
            throw Failure(.badConfiguration, error.description)
        }
        if let heard, AdvertisedValues(heard.data, key: key).isEncrypted {
            throw Failure(
                .badConfiguration,
                "the key in \(Untrusted.whole(text)) doesn't fit what \(heard.address) advertises; name another file")
        }
        return text
    }

    private func scan() async throws -> [HeardDevice] {
        ProgressLine.show("scanning for \(DurationText.text(Self.length)) …", on: context.terminal)
        defer { ProgressLine.clear(on: context.terminal) }
        var heard = HeardDevices(recipes: context.recipes)
        for try await advertisement in try await context.central().scan(for: Self.length) {
            _ = heard.hear(advertisement, at: context.loop.now)
        }
        let found = heard.devices.filter {
            choice.admits($0.heard, formats: AdvertisedValues($0.heard.data).formats)
                && (Self.isKnown($0.heard) || $0.recognized != nil)
        }
        try skipKnown(found)
        return found.filter { !files.isConfigured($0.heard.address) }
    }

    /// Says which devices are configured already.
    private func skipKnown(_ found: [HeardDevice]) throws {
        let known = found.compactMap { files.configured(as: DeviceConfiguration(address: $0.heard.address)) }
        guard !known.isEmpty else { return }
        guard context.options.json else {
            let names = known.map { Untrusted($0.device.name).description }.sorted().joined(separator: ", ")
            ProgressLine.clear(on: context.terminal)
            return try context.output.line("configured already: \(names)")
        }
        for (device, file) in known {
            let pairs = JSON.pairs(of: device.name, address: device.address.description, state: "unchanged")
            try context.output.line(JSON.object(pairs + [("file", .text(file))]).text)
        }
    }

    /// Why a device isn't added, and the recipe that says so; `nil` when it is.
    private static func reason(
        against recipes: [Recipe], match: Recipe.Match, mayWrite: Bool
    ) -> (recipe: Recipe, reason: String)? {
        guard let first = recipes.first else { return nil }
        let writing = recipes.lazy.map(RecipeCatalogue.whole).first { !$0.writes.isEmpty }
        switch (match, writing) {
        case (.never, _): return (first, "must not be connected: \(RecognizedDevice.reason(first))")
        case (.yes, let recipe?) where !mayWrite:
            return (
                recipe,
                "looks like \(Untrusted(recipe.title)), whose recipe writes; --allow-writes with its address adds it"
            )
        default: return nil
        }
    }

    private func leaveOut(_ heard: Advertisement, recipe: Recipe? = nil, because reason: String) throws {
        let pairs = JSON.pairs(of: heard.address.description, address: heard.address.description, state: "left_out")
        try context.output.line(
            context.options.json
                ? JSON.object(
                    pairs + [("recipe", .text(recipe?.name)), ("reason", recipe == nil ? .text(reason) : nil)]
                ).text
                : "left out \(Self.line(heard)): \(reason)")
    }

    /// Whether it advertises values, or may have some: by an official service, or by a vendor's own.
    private static func isKnown(_ heard: Advertisement) -> Bool {
        AdvertisedValues(heard.data).isKnown
            || heard.services.contains { service in
                !common.contains(service)
                    && (AssignedNumbers.serviceName(service) != nil || service.description == service.full)
            }
    }

    private static func line(_ heard: Advertisement) -> String {
        let name = heard.name.map { Untrusted($0).description } ?? "–"
        let says = [ServiceNames.text(heard.services), AdvertisedValues(heard.data).text].filter { !$0.isEmpty }
        return ([heard.address.description, name] + says).joined(separator: "  ")
    }

    private func add(
        _ heard: Advertisement, key: String?, mayWrite: Bool, to changes: inout DeviceChanges
    ) async throws {
        var device = DeviceConfiguration(address: heard.address)
        device.keyFile = key
        let fitting = RecipeCatalogue.match(Recipe.Traits(heard.data), in: context.recipes)?.recipes ?? []
        if !RecognizedDevice.advertisesValues(heard, likeThatOf: fitting),
            let recognized = try await RecognizedDevice.find(device, data: heard.data, in: context)
        {
            let recipes = [recognized.recipe] + recognized.others
            if let (recipe, reason) = Self.reason(against: recipes, match: .yes, mayWrite: mayWrite) {
                return try leaveOut(heard, recipe: recipe, because: reason)
            }
            let answer = try await recognized.askByAny(in: context, as: files.alias)
            if !context.options.json { try context.output.line(answer.named.line(answer.values)) }
            return try files.add(answer.named.device, text: DeviceFile(of: answer.named).text, to: &changes)
        }
        let (file, named) = try await context.deviceFile(of: device, heard: heard, as: files.alias)
        guard file.hasKnownForm else {
            context.log.notice("skipped \(device.address): blekeep can decode none of its values")
            return
        }
        try files.add(named, text: file.text, to: &changes)
    }
}
