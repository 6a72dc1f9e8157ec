import ArgumentParser
import Blekeep
import BlekeepOutputs

struct Gatt: SimulatableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatt", abstract: "Show the services, characteristics and values of a device.",
        discussion: """
            Example:
              blekeep gatt F0:00:00:00:00:01
            """)

    @Argument(help: .device, completion: .device)
    var device: String

    @Flag(help: "Don't read the values.")
    var noValues = false

    @OptionGroup var simulation: SimulationOptions
    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    /// Each one finds at most one more value that needs pairing.
    private static let maxConnections = 8

    func run(in context: CommandContext) async throws {
        let device = try await context.nearbyDevice(device)
        var report = try await read(device, in: context)
        // A new connection ends BlueZ's wait for pairing.
        for _ in 0..<Self.maxConnections where report.isUnfinished {
            do { report = try await read(device, after: report, in: context) } catch {
                if context.ending != nil { throw error }
                break
            }
        }
        if options.json {
            try context.output.line(report.json.text)
        } else {
            for line in report.lines(on: context.terminal) { try context.output.line(line) }
        }
    }

    /// Reads over a new connection what earlier ones left.
    private func read(
        _ device: DeviceConfiguration, after earlier: GattReport? = nil, in context: CommandContext
    ) async throws -> GattReport {
        try await context.withLink(device) { link in
            var report: GattReport
            if let earlier {
                report = earlier
            } else {
                report = await GattReport(of: device, on: link, layouts: context.layouts, readsValues: !noValues)
            }
            await report.read(on: link)
            return report
        }
    }
}
