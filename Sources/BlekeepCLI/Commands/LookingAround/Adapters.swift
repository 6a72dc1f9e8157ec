import ArgumentParser
import Blekeep
import BlekeepOutputs

struct Adapters: SimulatableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adapters", abstract: "List the local Bluetooth adapters.",
        discussion: """
            Example:
              blekeep adapters
            """)

    @OptionGroup var simulation: SimulationOptions
    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    func run(in context: CommandContext) async throws {
        let all = try await context.central().adapters
        let adapters = all.filter { options.adapter.matches($0.name, address: $0.address) }
        guard !adapters.isEmpty else { throw BluetoothError.noAdapter(options.adapter, among: all.map(\.name)) }
        if options.json {
            for adapter in adapters { try context.output.line(Self.json(adapter).text) }
            return
        }
        var table = Table(columns: [
            .init(title: "ADAPTER"), .init(title: "ADDRESS"), .init(title: "POWER"),
            .init(title: "STATE"), .init(title: "NAME", narrowest: 8),
        ])
        table.rows = adapters.map { adapter in
            [
                .init(adapter.name), .init(adapter.address?.description ?? "?"),
                adapter.isPowered ? .init("on", .good) : .init("off", .bad),
                .init(adapter.isDiscovering ? "discovering" : "idle"),
                .init(adapter.alias.map { Untrusted($0).description } ?? ""),
            ]
        }
        for line in table.lines(width: nil, on: context.terminal) { try context.output.line(line) }
    }

    private static func json(_ adapter: Central.Adapter) -> JSON {
        .object([
            "adapter": .text(adapter.name), "address": .text(adapter.address?.description),
            "powered": .boolean(adapter.isPowered), "discovering": .boolean(adapter.isDiscovering),
            "name": .text(adapter.alias),
        ])
    }
}
