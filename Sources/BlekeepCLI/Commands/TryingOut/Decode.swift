import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

struct Decode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Decode a characteristic's value, or answers of a device, without Bluetooth.",
        discussion: """
            UUID is a characteristic's UUID or official name, and HEX its value in the order of transmission. A \
            layout in the configuration overrides an official one, and that overrides --cpf.

            With --recipe, all arguments are answers of a device, in the order of the recipe's steps: HEX, or 'none' for \
            a step without an answer.

            Examples:
              blekeep decode 2a6e c409
              blekeep decode 'heart rate measurement' 10480004 --json
              blekeep decode fff1 3930 --cpf 06fe2827010000
              blekeep decode --recipe lywsd03mmc d4082ed60b
            """)

    @Argument(help: "The characteristic: its UUID or official name.", completion: .characteristic)
    var uuid: String

    @Argument(help: "The value, as hex digits.")
    var hex: String?

    @Argument(help: "Further answers, with --recipe.")
    var more: [String] = []

    @Option(help: "Decode a device's answers by this recipe.", completion: .custom { _, _, _ in RecipeCatalogue.names })
    var recipe: String?

    @Option(help: ArgumentHelp("Descriptor 0x2904 of the characteristic.", valueName: "hex"))
    var cpf: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var file: ConfigurationOption

    func validate() throws {
        if recipe == nil, hex == nil {
            throw ValidationError("name a characteristic and its value, such as 'blekeep decode 2a6e c409'")
        }
        if recipe != nil, cpf != nil { throw ValidationError("--recipe and --cpf exclude each other") }
    }

    func run() throws {
        if let recipe { return try decode(by: recipe) }
        guard more.isEmpty else { throw Failure(.usage, "'\(Untrusted(more[0]))' is one value too many") }
        let layouts = try configuration().layouts
        let named = layouts.first { $0.name.lowercased() == uuid.lowercased() }?.characteristic
        let characteristic = try named ?? characteristic(uuid)
        let own = layouts.first { $0.characteristic == characteristic }?.name ?? ""
        let name = own.isEmpty ? AssignedNumbers.characteristicName(characteristic) : own
        do {
            let presentation = try presentation()
            let decoder = DecoderChoice.decoder(for: characteristic, own: layouts, presentation: presentation)
            try show(try decoder.decode(bytes(hex ?? "")), of: characteristic, name: name)
        } catch let error as DecodeError {
            throw Failure(.someFailed, error.message)
        }
    }

    private func presentation() throws(Failure) -> PresentationFormat? {
        guard let cpf else { return nil }
        let bytes = try bytes(cpf)
        do { return try PresentationFormat(bytes) } catch {
            throw Failure(.usage, "--cpf must be the 7 bytes of descriptor 0x2904, such as 06feac26010000")
        }
    }

    /// Runs a recipe's conversation with the answers.
    private func decode(by name: String) throws {
        let own = try configuration().recipes.filter(\.isOwn)
        let recipe = try Recipes.named(name, in: RecipeCatalogue.all + own)
        let texts = [uuid] + [hex].compactMap(\.self) + more
        let answers = try texts.map { $0 == "none" ? nil : try bytes($0) }
        let trial = RecipeTrial(recipe, answers: answers)
        let measurements = trial.outcome.answers.flatMap(\.measurements)
        if !measurements.isEmpty { try show(measurements, recipe: recipe) }
        if let failure = trial.outcome.failure { throw Failure(.someFailed, failure.message) }
        if trial.unused > 0 {
            throw Failure(.someFailed, "the recipe asks for \(texts.count - trial.unused) answers, not \(texts.count)")
        }
    }

    private func configuration() throws(Failure) -> PollConfiguration {
        do {
            let loader = ConfigurationLoader(
                file: file.config ?? EnvironmentVariable.config.value(in: Composition.environment),
                environment: Composition.environment, names: Composition.characteristicNames)
            return try loader.load()?.configuration.poll ?? PollConfiguration()
        } catch {
            throw Failure(.badConfiguration, error.description)
        }
    }

    private func show(_ measurements: [Measurement], of characteristic: BluetoothUUID, name: String?) throws {
        let output = StandardOutput()
        if json {
            let line: JSON = .object([
                "uuid": .text(characteristic.description), "name": .text(name), "fields": .fields(measurements),
            ])
            try output.line(line.text)
        } else {
            try output.line(name.map { "\($0) (\(characteristic))" } ?? characteristic.description)
            try lines(measurements, of: characteristic)
        }
    }

    private func show(_ measurements: [Measurement], recipe: Recipe) throws {
        if json {
            let line: JSON = .object(["recipe": .text(recipe.name), "fields": .fields(measurements)])
            try StandardOutput().line(line.text)
        } else {
            try StandardOutput().line(Untrusted(recipe.title).description)
            try lines(measurements, of: nil)
        }
    }

    private func lines(_ measurements: [Measurement], of characteristic: BluetoothUUID?) throws {
        let output = StandardOutput()
        let width = measurements.map(\.field.count).max() ?? 0
        for measurement in measurements {
            let (value, unit) = DisplayUnit.human(measurement, of: characteristic)
            let field = measurement.field + String(repeating: " ", count: width - measurement.field.count)
            try output.line("  \(field)  \(Untrusted(value).description)\(unit.isEmpty ? "" : " \(unit)")")
        }
    }

    private func characteristic(_ text: String) throws(Failure) -> BluetoothUUID {
        if let uuid = BluetoothUUID(text) ?? AssignedNumbers.characteristic(named: text) { return uuid }
        let meant = AssignedNumbers.closestCharacteristic(to: text).map { "; did you mean '\($0)'?" } ?? ""
        throw Failure(.usage, "no characteristic is called '\(Untrusted(text))'\(meant)")
    }

    /// Hex digits, with or without spaces, colons or hyphens between the bytes.
    private func bytes(_ text: String) throws(Failure) -> [UInt8] {
        let digits = (text.hasPrefix("0x") ? text.dropFirst(2) : text[...]).filter { !" :-".contains($0) }
        guard let bytes = [UInt8](hex: digits) else {
            throw Failure(.usage, "'\(Untrusted(text))' isn't a value; write two hex digits a byte, such as c409")
        }
        return bytes
    }
}
