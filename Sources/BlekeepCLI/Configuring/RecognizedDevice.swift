import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

/// A device with the recipe that asks it: what that would write, a first conversation, and the configuration file.
///
/// The device says itself what it is, so that may be a lie. To recognize it, blekeep writes nothing.
struct RecognizedDevice: Sendable {
    let device: DeviceConfiguration
    let recipe: Recipe
    /// Further recipes that fit as well, such as of another device with the same name.
    private(set) var others: [Recipe] = []

    /// Returns a device with the recipe that fits it. Connects to it, if the recipe also goes by texts that it holds.
    ///
    /// - Parameter data: what it advertises.
    /// - Returns: `nil` when no recipe fits.
    /// - Throws: `Failure` for a device that a recipe says never to connect, or that can't be asked without more settings.
    static func find(
        _ device: DeviceConfiguration, data: AdvertisedData, in context: CommandContext
    ) async throws -> RecognizedDevice? {
        var traits = Recipe.Traits(data)
        guard var found = RecipeCatalogue.match(traits, in: context.recipes) else { return nil }
        if case .ifRead(let wanted) = found.match {
            let texts = try await context.withLink(device) { link in
                var texts: [BluetoothUUID: String] = [:]
                for uuid in wanted {
                    if let bytes = try? await link.read(uuid) { texts[uuid] = String(decoding: bytes, as: UTF8.self) }
                }
                return texts
            }
            (traits.model, traits.firmware) = (texts[BluetoothUUID(0x2A24)] ?? "", texts[BluetoothUUID(0x2A26)] ?? "")
            guard let read = RecipeCatalogue.match(traits, in: context.recipes) else { return nil }
            found = read
        }
        guard let first = found.recipes.first else { return nil }
        var recognized = try RecognizedDevice(device, recipe: first, isForbidden: found.match == .never)
        recognized.others = Array(found.recipes.dropFirst())
        return recognized
    }

    /// Whether a device advertises its values, so that none of the recipes is needed to read them.
    static func advertisesValues(_ heard: Advertisement, likeThatOf recipes: [Recipe]) -> Bool {
        recipes.allSatisfy(\.advertises) && !recipes.isEmpty && AdvertisedValues(heard.data).isKnown
    }

    /// - Throws: `Failure` for a device that the recipe says never to connect, or that needs more settings.
    init(_ device: DeviceConfiguration, recipe: Recipe, isForbidden: Bool) throws(Failure) {
        let recipe = RecipeCatalogue.whole(recipe)
        var device = device
        device.recipe = recipe.name
        device.mayWrite = recipe.isOwn && !recipe.writes.isEmpty
        (self.device, self.recipe) = (device, recipe)
        if isForbidden {
            throw Failure(
                .usage,
                "\(device.address) looks like a device that must not be connected: \(Self.reason(recipe)); "
                    + "'--recipe none' adds it all the same")
        }
        if recipe.needsSecret {
            throw Failure(
                .usage,
                "the recipe \(recipe.name) sends a secret to \(device.address); write its configuration yourself, with "
                    + "'recipe: \(recipe.name)' and 'secret: FILE'")
        }
    }

    /// Why a device must not be connected.
    static func reason(_ recipe: Recipe) -> String {
        let about = Untrusted.whole(recipe.about)
        return "\(Untrusted(recipe.title))\(about.isEmpty ? "" : ", \(about)")"
    }

    /// What the recipe writes, in words: `a01f to 1a00`; `nothing`.
    var writes: String {
        let writes = recipe.writes.map { "\($0.bytes.summary) to \($0.characteristic)" }
        return writes.isEmpty ? "nothing" : writes.joined(separator: ", ")
    }

    /// `C4:7C:8D:00:00:01 looks like Mi Flora; the recipe miflora writes a01f to 1a00 at each tick`.
    var sentence: String {
        "\(device.address) looks like \(Untrusted(recipe.title)); the recipe \(recipe.name) writes \(writes)"
            + (recipe.writes.isEmpty ? "" : " at each tick")
    }

    /// The device with the next recipe that fits as well; `nil` behind the last one.
    var next: RecognizedDevice? {
        get throws(Failure) {
            guard let recipe = others.first else { return nil }
            var next = try RecognizedDevice(device, recipe: recipe, isForbidden: false)
            next.others = Array(others.dropFirst())
            return next
        }
    }

    /// What a device answered when it was asked once.
    struct Answer {
        var named: RecognizedDevice
        var values: [Measurement]
        /// Why it isn't the recipe's device; `nil` when it gave all values.
        var refusal: Failure?
    }

    /// Asks the device by each recipe that fits, until it answers.
    /// Throws `Failure` when the device answers none of them.
    func askByAny(in context: CommandContext, as name: @escaping @Sendable (String) -> String?) async throws -> Answer {
        var recognized = self
        var first: Failure?
        while true {
            let answer = try await recognized.ask(in: context, as: name)
            guard let refusal = answer.refusal else { return answer }
            first = first ?? refusal
            guard context.ending == nil, let next = try recognized.next else { throw first ?? refusal }
            recognized = next
        }
    }

    /// Connects to the device, and asks it once. Throws `Failure` without a connection.
    func ask(in context: CommandContext, as name: @escaping @Sendable (String) -> String?) async throws -> Answer {
        let (outcome, own) = try await context.withLink(device) { link in
            let outcome = await link.converse(by: recipe, with: device, wallTime: context.wallTime)
            return (outcome, await context.ownName(of: device.address))
        }
        let refusal = outcome.failure.map { failure in
            Failure(
                .allFailed,
                "\(device.address) doesn't answer as \(Untrusted(recipe.title)) does: \(Untrusted(failure.message, limit: 256)); "
                    + "nothing was written to the configuration")
        }
        var named = device
        named.alias = device.alias ?? own.flatMap(name)
        return Answer(
            named: try RecognizedDevice(named, recipe: recipe, isForbidden: false),
            values: outcome.answers.flatMap(\.measurements), refusal: refusal)
    }

    /// Its values in one line, such as `Mi Flora: temperature 24.6 °C, moisture 30 %`.
    func line(_ values: [Measurement]) -> String { "\(Untrusted(recipe.title)): \(MeasurementText.text(values))" }
}
