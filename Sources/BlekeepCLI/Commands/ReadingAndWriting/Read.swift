import ArgumentParser
import Blekeep
import BlekeepOutputs

struct Read: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read values of a device, once.",
        discussion: """
            CHAR is a UUID (2a19, or all 36 characters), an official name, or a handle as 'gatt' shows it; where several \
            are meant, with its service before it or its number behind it: 180f/2a19, 2a19#2.

            Examples:
              blekeep read F0:00:00:00:00:01 temperature humidity
              blekeep read greenhouse 180f/2a19 --json
            """)

    @Argument(
        help: ArgumentHelp("The device: its alias, its address, or adapter/address.", valueName: "dev"),
        completion: .device)
    var device: String

    @Argument(help: ArgumentHelp("What to read.", valueName: "char"))
    var characteristics: [String]

    @Flag(help: "Print the octets as hex digits, and nothing else.")
    var hex = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if hex, options.json { throw ValidationError("--hex and --json exclude each other") }
    }

    func run(in context: CommandContext) async throws {
        let names = try characteristics.map { text throws(Failure) in try CharacteristicName(text) }
        let device = try context.device(device)
        let failures = try await context.withLink(device) { link in
            let all = await link.characteristics
            let chosen = try names.map { name throws(Failure) in try name.resolve(among: all) }
            var failures: [BluetoothError] = []
            let printer = ReadingPrinter(.json, to: context.output)
            for characteristic in chosen {
                let reader = await CharacteristicReader(characteristic, of: device, on: link, layouts: context.layouts)
                do throws(BluetoothError) {
                    let octets = try await link.read(characteristic)
                    try show(octets, reader, printer, context)
                } catch {
                    failures.append(error)
                    context.log.error("\(error.sentence(about: device.address))")
                    if options.json { _ = try? printer.print([reader.failure(error)]) }
                }
            }
            return failures
        }
        guard let first = failures.first else { return }
        if failures.count < names.count { throw Failure(.someFailed, "") }
        throw Failure(Failure(first).code, "")
    }

    private func show(
        _ octets: [UInt8], _ reader: CharacteristicReader, _ printer: ReadingPrinter, _ context: CommandContext
    ) throws(BluetoothError) {
        // A reader who has left is told by the next command; here nothing more is to be done.
        if hex {
            try? context.output.line(String(hex: octets))
        } else if options.json {
            try? printer.print(reader.readings(octets))
        } else {
            try? context.output.line("\(reader.label)  \(reader.text(octets))")
        }
    }
}
