import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import RunLoop

/// Adds all nearby devices with values that blekeep can decode.
struct NearbyDevices {
    private let context: CommandContext
    private let files: NewDeviceFiles

    init(_ context: CommandContext) throws(Failure) {
        self.context = context
        files = try NewDeviceFiles(context)
    }

    /// The length of the scan.
    private static let length: Duration = .seconds(10)
    /// Services that all kinds of devices have.
    private static let common: Set = [BluetoothUUID(0x1800), BluetoothUUID(0x1801), BluetoothUUID(0x180A)]

    /// - Parameters:
    ///   - asks: whether the user must agree.
    ///   - allowed: the devices whose recipes may write.
    /// - Throws: a failure when no user can agree, or when some of the devices weren't added.
    func add(asks: Bool, allowingWrites allowed: Set<BluetoothAddress>) async throws {
        let user = TerminalUser(on: context.loop, canAnswer: context.terminal.hasKeyboard)
        guard !asks || context.terminal.hasKeyboard else {
            throw Failure(.usage, "'add --all' asks before it writes: run it on a terminal, or add --yes")
        }
        var found: [Advertisement] = []
        for device in try await scan() {
            let mayWrite = allowed.contains(device.heard.address)
            if let (recipes, match) = device.recognized,
                !RecognizedDevice.advertisesValues(device.heard, likeThatOf: recipes),
                let (recipe, reason) = Self.reason(against: recipes, match: match, mayWrite: mayWrite)
            {
                try leaveOut(device.heard, recipe: recipe, because: reason)
            } else {
                found.append(device.heard)
            }
        }
        guard !found.isEmpty else {
            throw Failure(
                .notFound, "no new device nearby has values that blekeep can decode; 'blekeep scan' lists all")
        }
        // Programs get the devices that were added.
        if !context.options.json { for heard in found { try context.output.line(Self.line(heard)) } }
        let count = found.count == 1 ? "this device" : "these \(found.count) devices"
        if asks, await !user.agrees(to: "Add \(count)?") { return }
        var changes = DeviceChanges(context)
        for heard in found {
            do {
                try await add(heard, mayWrite: allowed.contains(heard.address), to: &changes)
            } catch let failure as Failure { changes.fail(failure) }
            guard context.ending == nil else { break }
        }
        try await changes.finishAddition(next: DeviceChanges.poll)
    }

    private func scan() async throws -> [HeardDevice] {
        ProgressLine.show("scanning for \(DurationText.text(Self.length)) …", on: context.terminal)
        defer { ProgressLine.clear(on: context.terminal) }
        var heard = HeardDevices(recipes: context.recipes)
        for try await advertisement in try await context.central().scan(for: Self.length) {
            _ = heard.hear(advertisement, at: context.loop.now)
        }
        return heard.devices.filter {
            !files.isConfigured($0.heard.address) && (Self.isKnown($0.heard) || $0.recognized != nil)
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

    private func leaveOut(_ heard: Advertisement, recipe: Recipe, because reason: String) throws {
        let pairs = JSON.pairs(of: heard.address.description, address: heard.address.description, state: "left_out")
        try context.output.line(
            context.options.json
                ? JSON.object(pairs + [("recipe", .text(recipe.name))]).text
                : "left out \(Self.line(heard)): \(reason)")
    }

    /// Whether it advertises values, or may have some: by an official service, or by a vendor's own.
    private static func isKnown(_ heard: Advertisement) -> Bool {
        AdvertisedValues(heard.data).isReadable
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

    private func add(_ heard: Advertisement, mayWrite: Bool, to changes: inout DeviceChanges) async throws {
        let device = DeviceConfiguration(address: heard.address)
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
