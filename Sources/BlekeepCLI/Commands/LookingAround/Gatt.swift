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

    /// Each one finds at most one more value that needs pairing.
    private static let mostConnections = 8

    func run(in context: CommandContext) async throws {
        let device = try context.device(device)
        var report = try await context.withLink(device) { link in
            var report = await GattReport(of: device, on: link, layouts: context.layouts, readsValues: !noValues)
            await report.read(on: link)
            return report
        }
        // A new connection ends BlueZ's wait for pairing.
        for _ in 0..<Self.mostConnections where report.isUnfinished {
            let before = report
            do {
                report = try await context.withLink(device) { link in
                    var report = before
                    await report.read(on: link)
                    return report
                }
            } catch {
                if context.ending != nil { throw error }
                break
            }
        }
        report.leaveRest()
        if options.json {
            try context.output.line(report.json.text)
        } else {
            for line in report.lines(on: context.terminal) { try context.output.line(line) }
        }
    }
}
