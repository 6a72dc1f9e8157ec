import ArgumentParser
import Blekeep
import BlekeepOutputs

struct Write: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write a value to a device.",
        discussion: """
            VALUE is what 'read' shows: 21.5, "1013.2 hPa", unknown, a text, 2026-02-28T12:00:00. Where a value has \
            several fields, each is written as field=value. What does not fit is refused. CHAR as for 'read'.
            Octets are always written with 0x before them: 0x0a1b. Where nothing is known of the form there are also \
            text:… and numbers with their size: u8:5, u16:60, s32:-7 (least significant octet first, as Bluetooth has \
            it).

            Examples:
              blekeep write F0:00:00:00:00:04 "Alert Level" 2
              blekeep write clock 2a0a date_time=2026-02-28T12:00:00 day_of_week=6
              blekeep write F0:00:00:00:00:04 b1e00003-6b65-4570-9a3e-2f0c5d81a7c4 u16:60
              blekeep write lamp 0x0025 0x01 --no-response
            """)

    @Argument(
        help: ArgumentHelp("The device: its alias, its address, or adapter/address.", valueName: "dev"),
        completion: .device)
    var device: String

    @Argument(help: ArgumentHelp("Where to write.", valueName: "char"))
    var characteristic: String

    // A number below zero is no option.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("What to write, or field=value several times.", valueName: "value"))
    var values: [String]

    @Flag(help: "Do not wait for the device to say that it took the value.")
    var noResponse = false

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) async throws {
        let name = try CharacteristicName(characteristic)
        let value = try ValueText(values)
        let device = try context.device(device)
        // What does not fit is told before anything is on the air, where the form is known already.
        if let uuid = name.uuid, let layout = LayoutDecoder(uuid, own: context.layouts) {
            _ = try value.octets(for: ValueForm(of: uuid, layout: layout), of: uuid)
        }
        let (reader, octets) = try await context.withLink(device) { link in
            let found = try name.resolve(among: await link.characteristics)
            try check(found)
            let reader = await CharacteristicReader(found, of: device, on: link, layouts: context.layouts)
            let octets = try value.octets(for: reader.form, of: found.uuid)
            let isAnswered = !noResponse && found.flags.contains("write")
            try await link.write(octets, to: found, withResponse: isAnswered)
            return (reader, octets)
        }
        if options.json {
            let object: JSON = .object([
                "device": .text(device.name), "address": .text(device.address.description),
                "characteristic": .text(reader.characteristic.uuid.description), "written": .hex(octets),
            ])
            try context.output.line(object.text)
        } else {
            try context.output.line("\(reader.label)  wrote \(reader.text(octets))")
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
