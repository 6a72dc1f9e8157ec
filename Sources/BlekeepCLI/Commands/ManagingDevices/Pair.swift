import ArgumentParser
import Blekeep
import BlekeepOutputs
import Glibc

struct PairCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Pair with a device.",
        discussion: """
            On a terminal, asks for a passkey or a confirmation. Elsewhere, pass the passkey by standard input or a \
            systemd credential. Other users can see a passkey on the command line. Then 'blekeep add' writes its \
            configuration, and 'blekeep gatt' shows its values.

            Examples:
              blekeep pair F0:00:00:00:00:03
              echo 123456 | blekeep pair F0:00:00:00:02:01 --passkey-stdin
              blekeep pair F0:00:00:00:02:01 --passkey-credential sensor --json
            """)

    @Argument(help: .device, completion: .device)
    var device: String

    @OptionGroup var given: SecretOptions

    @Option(
        help: ArgumentHelp(
            "The capability to report to the device: \(CapabilityArgument.all).", valueName: "capability"))
    var capability: CapabilityArgument?

    @Flag(help: "Don't let the device connect by itself.")
    var noTrust = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    func validate() throws { try given.validate() }

    func run() throws {
        let session = try PairingSession(device, options)
        // Before signals are handled, so that Ctrl-C ends the process during this read.
        let secret = try given.secret(environment: Composition.environment)
        var pairing = PairingOptions(secret: secret, capability: capability?.capability, trusts: !noTrust)
        pairing.mustAuthenticate = session.device.characteristics.contains { $0.security == .authenticated }
        let chosen = pairing
        let user = TerminalUser(on: session.loop, canAnswer: secret == nil && isatty(STDIN_FILENO) != 0)
        let device = session.device
        let work = "pairing with \(device.name): it may be off, out of range, or wait for an answer"
        let (address, wasPaired) = try session.run(work) { central in
            // After pairing, BlueZ reports the permanent address.
            try await central.peripheral(device.address).pair(chosen, user: user.user) { link, wasPaired in
                (await link.address ?? device.address, wasPaired)
            }
        }
        let pairs = JSON.pairs(of: device.name, address: address.description, state: "paired")
        let object: JSON = .object(pairs + [("was_paired", .boolean(wasPaired))])
        let next = device.alias == nil ? "\nnext: blekeep add \(address)" : ""
        let sentence = "\(Untrusted(device.name)) \(wasPaired ? "was paired already" : "is paired")\(next)"
        try StandardOutput().line(options.json ? object.text : sentence)
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
