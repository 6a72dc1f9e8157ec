import ArgumentParser
import Blekeep
import BlekeepOutputs

struct Info: SimulatableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show what BlueZ knows about a device, without connecting.",
        discussion: """
            Example:
              blekeep info F0:00:00:00:00:01
            """)

    @Argument(help: .device, completion: .device)
    var device: String

    @OptionGroup var simulation: SimulationOptions
    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    func run(in context: CommandContext) async throws {
        let device = try await context.nearbyDevice(device)
        let adapter = options.adapter ?? device.adapter
        let central = try await context.central(on: adapter)
        let adapters = await central.adapters
        let found = await central.knownDevices.filter { known in
            let address = adapters.first { $0.name == known.adapter }?.address
            return known.address == device.address && adapter.matches(known.adapter, address: address)
        }
        guard !found.isEmpty else {
            throw Failure(.notFound, "BlueZ doesn't know \(device.name); 'blekeep scan' lists nearby devices")
        }
        for known in found {
            if options.json {
                try context.output.line(Self.json(known, alias: device.alias).text)
            } else {
                for line in Self.lines(known, alias: device.alias) { try context.output.line(line) }
            }
        }
    }

    private static func appearance(_ number: UInt16) -> String {
        let handle = HandleText.text(Int(number))
        return AssignedNumbers.appearanceName(number).map { "\(handle) \($0)" } ?? handle
    }

    private static func lines(_ device: KnownDevice, alias: String?) -> [String] {
        func word(_ flag: Bool) -> String { flag ? "yes" : "no" }
        let services = device.services.map { "\($0) \(AssignedNumbers.serviceName($0) ?? "")" }
        let pairs: [(String, String?)] = [
            ("Address", "\(device.address)\(device.addressType.map { " (\($0))" } ?? "")"),
            ("Alias", alias), ("Name", device.name.map { Untrusted($0).description }),
            ("In BlueZ", device.alias == device.name ? nil : device.alias.map { Untrusted($0).description }),
            ("Adapter", device.adapter), ("RSSI", device.rssi.map { "\($0) dBm" }),
            ("Connected", word(device.isConnected)),
            ("Paired", word(device.isPaired)), ("Bonded", word(device.isBonded)), ("Trusted", word(device.isTrusted)),
            ("Blocked", device.isBlocked ? "yes" : nil), ("Battery", device.battery.map { "\($0) %" }),
            ("Appearance", device.appearance.map(Self.appearance)),
            ("Services", services.isEmpty ? nil : services.joined(separator: "\n              ")),
        ]
        let data =
            device.manufacturerData.sorted { $0.key < $1.key }.map {
                ("Maker", "\(String(hex: $0.value)) (\(CompanyNames.text($0.key)))")
            }
            + device.serviceData.sorted { $0.key < $1.key }.map { ("Data of \($0.key)", String(hex: $0.value)) }
        let values = AdvertisedValues(device.data)
        let says = values.json == nil ? [] : [("Says", values.text)]
        return (pairs + (data + says).map { ($0.0, Optional($0.1)) }).compactMap { name, value in
            value.map { name + String(repeating: " ", count: max(1, 14 - name.count)) + $0 }
        }
    }

    private static func json(_ device: KnownDevice, alias: String?) -> JSON {
        .object([
            "address": .text(device.address.description), "address_type": .text(device.addressType),
            "alias": .text(alias), "name": .text(device.name), "adapter": .text(device.adapter),
            "rssi": .integer(device.rssi), "connected": .boolean(device.isConnected),
            "services_resolved": .boolean(device.isResolved), "paired": .boolean(device.isPaired),
            "bonded": .boolean(device.isBonded), "trusted": .boolean(device.isTrusted),
            "blocked": .boolean(device.isBlocked), "battery": .integer(device.battery),
            "appearance": .integer(device.appearance.map { Int($0) }),
            "appearance_name": .text(device.appearance.flatMap { AssignedNumbers.appearanceName($0) }),
            "services": .array(device.services.map { .text($0.description) }),
            "manufacturer_data": AdvertisedJSON.json(device.manufacturerData),
            "service_data": AdvertisedJSON.json(device.serviceData),
            "companies": CompanyNames.json(device.manufacturerData),
            "values": AdvertisedValues(device.data).json,
        ])
    }
}
