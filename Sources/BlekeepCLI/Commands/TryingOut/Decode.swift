import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

struct Decode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Decode a characteristic's value, without Bluetooth.",
        discussion: """
            UUID is a characteristic's UUID or official name, and HEX its value in the order of transmission. A \
            layout in the configuration overrides an official one, and that overrides --cpf.

            Examples:
              blekeep decode 2a6e c409
              blekeep decode 'heart rate measurement' 10480004 --json
              blekeep decode fff1 3930 --cpf 06fe2827010000
              blekeep decode --batch gatt < vectors.jsonl
            """)

    @Argument(help: "The characteristic: its UUID or official name.", completion: .characteristic)
    var uuid: String?

    @Argument(help: "The value, as hex digits.")
    var hex: String?

    @Option(help: ArgumentHelp("Descriptor 0x2904 of the characteristic.", valueName: "hex"))
    var cpf: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Option(help: "Decode each line of JSON on standard input: gatt, adverts or cpf.")
    var batch: DecodeBatch?

    @Option(name: [.short, .long], help: "The configuration file with layouts, instead of the usual places.")
    var config: String?

    func validate() throws {
        if batch != nil {
            guard uuid == nil, cpf == nil, !json else { throw ValidationError("--batch takes no other arguments") }
        } else if uuid == nil || hex == nil {
            throw ValidationError("name a characteristic and its value, such as 'blekeep decode 2a6e c409'")
        }
    }

    func run() throws {
        if let batch { return batch.run() }
        let characteristic = try characteristic(uuid ?? "")
        let layouts = try layouts()
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

    private func layouts() throws(Failure) -> [OwnLayout] {
        do {
            let loader = ConfigurationLoader(
                file: config ?? EnvironmentVariable.config.value(in: Composition.environment),
                environment: Composition.environment, names: Composition.characteristicNames)
            return try loader.load()?.configuration.poll.layouts ?? []
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
            let width = measurements.map(\.field.count).max() ?? 0
            for measurement in measurements {
                let (value, unit) = DisplayUnit.human(measurement, of: characteristic)
                let field = measurement.field + String(repeating: " ", count: width - measurement.field.count)
                try output.line("  \(field)  \(Untrusted(value).description)\(unit.isEmpty ? "" : " \(unit)")")
            }
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

extension DecodeBatch: ExpressibleByArgument {}
