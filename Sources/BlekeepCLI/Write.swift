import ArgumentParser
import Blekeep
import BlekeepOutputs

struct Write: ContextCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a value to a device.",
        discussion: """
            VALUE is octets such as 0a1b, text:…, or a number with its size: u8:5, u16:60, s32:-7 (least significant \
            octet first, as Bluetooth has it). CHAR as for 'read'.

            Examples:
              blekeep write F0:00:00:00:00:04 b1e00003-6b65-4570-9a3e-2f0c5d81a7c4 u16:60
              blekeep write lamp 0x0025 01 --no-response
            """)

    @Argument(
        help: ArgumentHelp("The device: its alias, its address, or adapter/address.", valueName: "dev"),
        completion: .device)
    var device: String

    @Argument(help: ArgumentHelp("Where to write.", valueName: "char"))
    var characteristic: String

    @Argument(help: ArgumentHelp("What to write.", valueName: "value"))
    var value: String

    @Flag(help: "Do not wait for the device to say that it took the value.")
    var noResponse = false

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
        let name = try CharacteristicName(characteristic)
        let octets = try ValueText.octets(value)
        let device = try context.device(device)
        let written = try await context.withLink(device) { link in
            let found = try name.resolve(among: await link.characteristics)
            try check(found)
            let isAnswered = !noResponse && found.flags.contains("write")
            try await link.write(octets, to: found, withResponse: isAnswered)
            return found
        }
        if options.json {
            let object: JSON = .object([
                "device": .text(device.name), "address": .text(device.address.description),
                "characteristic": .text(written.uuid.description), "written": .hex(octets),
            ])
            try context.output.line(object.text)
        } else {
            let label = AssignedNumbers.characteristicName(written.uuid) ?? written.uuid.description
            try context.output.line("\(label)  wrote \(Hexadecimal.text(octets))")
        }
    }

    private func check(_ characteristic: Link.Characteristic) throws(Failure) {
        let ways = characteristic.flags.filter { $0.contains("write") }
        guard !ways.isEmpty else {
            let flags = characteristic.flags.sorted().map { Untrusted($0).description }.joined(separator: ", ")
            throw Failure(.allFailed, "\(characteristic.uuid) cannot be written; it has: \(flags)")
        }
        if noResponse, !ways.contains("write-without-response") {
            throw Failure(
                .allFailed, "\(characteristic.uuid) can only be written with a response; leave out --no-response")
        }
    }
}
