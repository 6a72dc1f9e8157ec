import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepLog
import BlekeepOutputs
import DBus
import Glibc
import Logging
import RunLoop

struct PairCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Pair with a device, and show its values.",
        discussion: """
            On a terminal, asks for a passkey or a confirmation. Elsewhere, pass the passkey by standard input, a \
            file descriptor or a systemd credential. Other users can see a passkey on the command line.

            Examples:
              blekeep pair F0:00:00:00:00:03 --add greenhouse
              echo 123456 | blekeep pair F0:00:00:00:02:01 --passkey-stdin
              blekeep pair F0:00:00:00:02:01 --passkey-credential sensor --json
            """)

    @Argument(
        help: ArgumentHelp("The device: its alias, address or own name, or adapter/address.", valueName: "dev"),
        completion: .device)
    var device: String

    @OptionGroup var given: SecretOptions

    @Option(
        help: ArgumentHelp(
            "The capability to report to the device: \(CapabilityArgument.all).", valueName: "capability"))
    var capability: CapabilityArgument?

    @Flag(help: "Don't let the device connect by itself.")
    var noTrust = false

    @Option(help: ArgumentHelp("Write its configuration, with this alias.", valueName: "alias"))
    var add: String?

    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    func validate() throws {
        try given.validate()
        if let add { try AliasRule.validate(add) }
    }

    func run() throws {
        let session = try PairingSession(device, options)
        var added = session.device
        added.alias = add
        let path = try add.map { _ in
            try DeviceFilePath.path(for: added, options, environment: Composition.environment)
        }
        // Before signals are handled, so that Ctrl-C ends the process during this read.
        let secret = try given.secret(environment: Composition.environment)
        var pairing = PairingOptions(secret: secret, capability: capability?.capability, trusts: !noTrust)
        pairing.mustAuthenticate = session.device.characteristics.contains { $0.security == .authenticated }
        let chosen = pairing
        let person = TerminalUser(on: session.loop, canAnswer: secret == nil && isatty(STDIN_FILENO) != 0)
        let (alias, layouts) = (add, session.layouts)
        let device = session.device
        let work = "pairing with \(device.name): it may be off, out of range, or wait for an answer"
        let (report, wasPaired) = try session.run(work) { central in
            let peripheral = central.peripheral(device.address)
            return try await peripheral.pair(chosen, user: person.user) { link, wasPaired in
                StandardError.print("blekeep: \(device.name) \(wasPaired ? "was paired already" : "is paired")")
                return (
                    await PairingReport(of: device, as: alias, on: link, layouts: layouts), wasPaired
                )
            }
        }
        if path != nil {
            _ = try NewDeviceFiles.write(
                "# Written by 'blekeep pair'; you may change it.\n\(report.configuration)", of: added, options: options,
                environment: Composition.environment)
        }
        let output = StandardOutput()
        try output.line(options.json ? Self.json(report, wasPaired: wasPaired, path: path).text : report.table)
        if !options.json { try output.write(path.map { "wrote \($0)\n" } ?? "\n" + report.configuration) }
    }

    private static func json(_ report: PairingReport, wasPaired: Bool, path: String?) -> JSON {
        guard case .object(let pairs) = report.json else { return report.json }
        return .object(
            [("paired", true), ("was_paired", .boolean(wasPaired))] + pairs
                + [("configuration", .text(report.configuration)), ("file", .text(path))])
    }
}

struct CapabilityArgument: ExpressibleByArgument {
    let capability: PairingCapability

    static let all = PairingCapability.allCases.map(\.rawValue).joined(separator: ", ")

    init?(argument: String) {
        let found = PairingCapability.allCases.first { $0.rawValue.lowercased() == argument.lowercased() }
        guard let found else { return nil }
        capability = found
    }
}
