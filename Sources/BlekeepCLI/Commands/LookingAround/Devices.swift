import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import Logging

struct Devices: SimulatableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the devices that BlueZ knows, and the configured ones.",
        discussion: """
            Examples:
              blekeep devices
              blekeep devices --connected --json
            """)

    @Flag(help: "Only paired devices.")
    var paired = false

    @Flag(help: "Only devices whose keys BlueZ stores.")
    var bonded = false

    @Flag(help: "Only connected devices.")
    var connected = false

    @Flag(help: "Only configured devices.")
    var configured = false

    @OptionGroup var simulation: SimulationOptions
    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    /// A device in BlueZ, in the configuration, or in both.
    struct Row {
        var address: BluetoothAddress
        var alias: String?
        var known: KnownDevice?
        var isConfigured: Bool
        var isDisabled = false
        var isElsewhere = false
    }

    func run(in context: CommandContext) async throws {
        let configuration = context.optionalConfiguration
        let known = try await context.central().knownDevices
        let rows = Self.rows(known, configured: configuration?.poll.devices ?? []).filter { row in
            (!paired || row.known?.isPaired == true) && (!bonded || row.known?.isBonded == true)
                && (!connected || row.known?.isConnected == true)
                && (!configured || row.isConfigured)
        }
        if options.json {
            for row in rows { try context.output.line(Self.json(row).text) }
            return
        }
        guard !rows.isEmpty else { return context.log.notice("no device matches; 'blekeep scan' lists nearby devices") }
        var table = Table(columns: [
            .init(title: "NAME", narrowest: 8), .init(title: "ADDRESS"), .init(title: "ADAPTER", expendability: 2),
            .init(title: "RSSI", isNumeric: true, expendability: 1), .init(title: "STATE", narrowest: 11),
            .init(title: "SERVICES", narrowest: 8, expendability: 3),
        ])
        let width = context.terminal.isInteractive ? context.terminal.size().columns : nil
        // The same adapter in each row would only take room.
        let namesAdapters = width == nil || Set(rows.compactMap(\.known?.adapter)).count > 1
        table.rows = rows.map { row in
            let name = row.alias ?? row.known?.name.map { Untrusted($0).description }
            return [
                name.map { .init($0) } ?? .init("–", .faint), .init(row.address.description),
                .init(namesAdapters ? row.known?.adapter ?? "" : ""), .init(row.known?.rssi.map { "\($0)" } ?? ""),
                .init(Self.states(row).joined(separator: ", "), cut: .items),
                .init(ServiceNames.text(row.known?.services ?? []), cut: .items),
            ]
        }
        for line in table.lines(width: width, on: context.terminal) { try context.output.line(line) }
    }

    static func rows(_ known: [KnownDevice], configured: [DeviceConfiguration]) -> [Row] {
        var rows = known.map { device in
            let match = configured.first { $0.address == device.address }
            return Row(
                address: device.address, alias: match?.alias, known: device, isConfigured: match != nil,
                isDisabled: match?.isEnabled == false, isElsewhere: match?.isElsewhere == true)
        }
        let addresses = Set(known.map(\.address))
        rows += configured.filter { !addresses.contains($0.address) }.map {
            Row(
                address: $0.address, alias: $0.alias, known: nil, isConfigured: true, isDisabled: !$0.isEnabled,
                isElsewhere: $0.isElsewhere)
        }
        return rows
    }

    private static func states(_ row: Row) -> [String] {
        let configured = row.isDisabled ? "disabled" : row.isElsewhere ? "of another gateway" : "configured"
        guard let known = row.known else { return ["unknown to BlueZ", configured] }
        return [
            known.isBlocked ? "blocked" : nil, known.isConnected ? "connected" : nil,
            known.isPaired ? "paired" : nil, known.isTrusted ? "trusted" : nil,
            row.isConfigured ? configured : nil,
        ].compactMap { $0 }
    }

    private static func json(_ row: Row) -> JSON {
        let disabled: JSON? = row.isDisabled ? true : nil
        let elsewhere: JSON? = row.isElsewhere ? true : nil
        return .object([
            "address": .text(row.address.description), "alias": .text(row.alias), "name": .text(row.known?.name),
            "adapter": .text(row.known?.adapter), "rssi": .integer(row.known?.rssi),
            "configured": .boolean(row.isConfigured), "disabled": disabled, "elsewhere": elsewhere,
            "connected": .boolean(row.known?.isConnected ?? false),
            "paired": .boolean(row.known?.isPaired ?? false), "bonded": .boolean(row.known?.isBonded ?? false),
            "services": .array((row.known?.services ?? []).map { .text($0.description) }),
        ])
    }
}
