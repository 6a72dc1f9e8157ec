import ArgumentParser
import Blekeep
import BlekeepOutputs

struct Trust: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Let a device connect by itself.",
        discussion: """
            Example:
              blekeep trust F0:00:00:00:00:03
            """)

    @Argument(
        help: ArgumentHelp("The device: its alias, address or own name, or adapter/address.", valueName: "dev"),
        completion: .device)
    var device: String

    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    func run() throws { try Self.set(isTrusted: true, of: device, options: options) }

    fileprivate static func set(isTrusted: Bool, of name: String, options: GlobalOptions) throws {
        let session = try PairingSession(name, options)
        let address = session.device.address
        let isKnown = try session.run("changing \(session.device.name)") { central in
            try await central.peripheral(address).setTrusted(isTrusted)
        }
        guard isKnown else {
            throw Failure(.notFound, "BlueZ doesn't know \(session.device.name)")
        }
        let object: JSON = .object(
            JSON.pairs(
                of: session.device.name, address: address.description, state: isTrusted ? "trusted" : "untrusted"))
        let sentence = "\(session.device.name) is \(isTrusted ? "trusted" : "no longer trusted")"
        try StandardOutput().line(options.json ? object.text : sentence)
    }
}

struct Untrust: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "untrust", abstract: "Stop a device from connecting by itself.",
        discussion: """
            Example:
              blekeep untrust F0:00:00:00:00:03
            """)

    @Argument(
        help: ArgumentHelp("The device: its alias, address or own name, or adapter/address.", valueName: "dev"),
        completion: .device)
    var device: String

    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    func run() throws { try Trust.set(isTrusted: false, of: device, options: options) }
}
