import ArgumentParser
import Blekeep
import BlekeepOutputs

struct Gatt: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatt", abstract: "Show the services, characteristics and values of a device.",
        discussion: """
            Example:
              blekeep gatt F0:00:00:00:00:01
            """)

    @Argument(
        help: ArgumentHelp("The device: its alias, its address, or adapter/address.", valueName: "dev"),
        completion: .device)
    var device: String

    @Flag(help: "Don't read the values.")
    var noValues = false

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
        let device = try context.device(device)
        let report = try await context.withLink(device) { link in
            await GattReport(of: device, on: link, layouts: context.layouts, readsValues: !noValues)
        }
        if options.json {
            try context.output.line(report.json.text)
        } else {
            for line in report.lines(on: context.terminal) { try context.output.line(line) }
        }
    }
}
