import ArgumentParser
import Blekeep
import BlekeepOutputs

struct Read: SimulatableCommand, FormattedCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read values of a device, once.",
        discussion: """
            CHAR is a UUID (2a19, or all 36 characters), an official name, or a handle as 'gatt' shows it. If several \
            characteristics match, add the service or a number: 180f/2a19, 2a19#2.

            If a poller runs that reads these characteristics, it reads the device now. Otherwise this command connects.

            Examples:
              blekeep read F0:00:00:00:00:01 temperature humidity
              blekeep read greenhouse 180f/2a19 --json
              blekeep read greenhouse temperature --value      23.82
            """)

    @Argument(
        help: ArgumentHelp("The device: its alias, address or own name, or adapter/address.", valueName: "dev"),
        completion: .device)
    var device: String

    @Argument(help: ArgumentHelp("The characteristics to read.", valueName: "char"), completion: .characteristic)
    var characteristics: [String]

    @Flag(help: "Print only the bytes, as hex digits.")
    var hex = false

    @OptionGroup var formats: FormatOptions
    @OptionGroup var simulation: SimulationOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if let format = try formats.chosen(json: options.json), hex {
            throw ValidationError("--hex and --\(format.rawValue) exclude each other")
        }
    }

    func run(in context: CommandContext) async throws {
        let names = try characteristics.map { text throws(Failure) in try CharacteristicName(text) }
        let device = try await context.nearbyDevice(device)
        if let polled = await PolledRead(device, names, in: context), let values = try await polled.values() {
            return try show(values, of: device, context)
        }
        let failures = try await context.withLink(device) { link in
            let all = await link.characteristics
            let chosen = try names.map { name throws(Failure) in try name.resolve(among: all) }
            var failures: [BluetoothError] = []
            let printer = ReadingPrinter(format, of: device, to: context.output)
            for characteristic in chosen {
                let reader = await CharacteristicReader(characteristic, of: device, on: link, layouts: context.layouts)
                do throws(BluetoothError) {
                    let bytes = try await link.read(characteristic)
                    try show(bytes, reader, printer, context)
                } catch {
                    // The time is up, or a signal came.
                    if context.ending != nil { throw error }
                    failures.append(error)
                    context.log.error("\(error.sentence(about: device.address))")
                    if format != .human { _ = try? printer.print([reader.failure(error)]) }
                }
            }
            return failures
        }
        guard let first = failures.first else { return }
        if failures.count < names.count { throw Failure(.someFailed, "") }
        throw Failure(Failure(first).code, "")
    }

    /// Prints the values that the running poller read.
    private func show(_ values: [[Reading]], of device: DeviceConfiguration, _ context: CommandContext) throws {
        let printer = ReadingPrinter(format, of: device, to: context.output)
        for readings in values {
            if format != .human {
                try printer.print(readings)
            } else if let line = PolledRead.text(readings, hex: hex) {
                try context.output.line(line)
            }
        }
        let missing = zip(characteristics, values).filter(\.1.isEmpty).map(\.0)
        guard !missing.isEmpty else { return }
        throw Failure(
            missing.count == values.count ? .allFailed : .someFailed,
            "the running poller read \(Untrusted(device.name)) without a value of "
                + "\(missing.map { "\(Untrusted($0))" }.joined(separator: ", ")); "
                + "'blekeep why \(device.name)' has the reason")
    }

    private func show(
        _ bytes: [UInt8], _ reader: CharacteristicReader, _ printer: ReadingPrinter, _ context: CommandContext
    ) throws(BluetoothError) {
        // An error of the output surfaces when the command ends.
        if hex {
            try? context.output.line(String(hex: bytes))
        } else if format != .human {
            try? printer.print(reader.readings(bytes))
        } else {
            try? context.output.line("\(reader.label)  \(reader.text(bytes))")
        }
    }
}
