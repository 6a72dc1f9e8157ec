import ArgumentParser
import Blekeep
import BlekeepOutputs

struct Write: SimulatableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write a value to a device.",
        discussion: """
            VALUE is written as 'read' shows it: 21.5, "1013.2 hPa", unknown, a text, 2026-02-28T12:00:00. For a value \
            with several fields, give field=value for each. blekeep refuses a value that doesn't fit. CHAR is as for \
            'read'. Bytes begin with 0x: 0x0a1b. If blekeep doesn't know the characteristic's layout, write text:… or a \
            number with its size: u8:5, u16:60, s32:-7. Numbers are little endian.

            Examples:
              blekeep write F0:00:00:00:00:04 "Alert Level" 2
              blekeep write clock 2a0a date_time=2026-02-28T12:00:00 day_of_week=6
              blekeep write F0:00:00:00:00:04 b1e00003-6b65-4570-9a3e-2f0c5d81a7c4 u16:60
              blekeep write lamp 0x0025 0x01 --no-response
            """)

    @Argument(help: .device, completion: .device)
    var device: String

    @Argument(help: ArgumentHelp("The characteristic to write.", valueName: "char"), completion: .characteristic)
    var characteristic: String

    // A negative number isn't an option.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("The value, or field=value several times.", valueName: "value"))
    var values: [String]

    @Flag(help: "Don't wait for the device to confirm the value.")
    var noResponse = false

    @OptionGroup var simulation: SimulationOptions
    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    func run(in context: CommandContext) async throws {
        let name = try CharacteristicName(characteristic)
        let value = try Self.usage { () throws(UserError) in try ValueText(values) }
        let device = try await context.nearbyDevice(device)
        // A value that doesn't fit fails before blekeep connects, if the layout is known.
        if let uuid = name.uuid, let layout = LayoutDecoder(uuid, own: context.layouts) {
            _ = try Self.usage { () throws(UserError) in
                try value.bytes(for: ValueForm(of: uuid, layout: layout), of: uuid)
            }
        }
        let (reader, bytes) = try await context.withLink(device) { link in
            let found = try name.resolve(among: await link.characteristics)
            try check(found)
            let reader = await CharacteristicReader(found, of: device, on: link, layouts: context.layouts)
            let bytes = try Self.usage { () throws(UserError) in try value.bytes(for: reader.form, of: found.uuid) }
            let isAnswered = !noResponse && found.flags.contains("write")
            try await link.write(bytes, to: found, withResponse: isAnswered)
            return (reader, bytes)
        }
        if options.json {
            let object: JSON = .object([
                "device": .text(device.name), "address": .text(device.address.description),
                "characteristic": .text(reader.characteristic.uuid.description), "written": .hex(bytes),
            ])
            try context.output.line(object.text)
        } else {
            try context.output.line("\(reader.label)  wrote \(reader.text(bytes))")
        }
    }

    private static func usage<T>(_ encode: () throws(UserError) -> T) throws(Failure) -> T {
        do throws(UserError) { return try encode() } catch {
            throw Failure(.usage, Untrusted(error.message, limit: 1000).description)
        }
    }

    private func check(_ characteristic: Link.Characteristic) throws(Failure) {
        let ways = characteristic.flags.filter { $0.contains("write") }
        guard !ways.isEmpty else {
            let flags = characteristic.flags.sorted().map { Untrusted($0).description }.joined(separator: ", ")
            throw Failure(.allFailed, "\(characteristic.uuid) can't be written; its flags: \(flags)")
        }
        if noResponse, !ways.contains("write-without-response") {
            throw Failure(.allFailed, "\(characteristic.uuid) needs a response; leave out --no-response")
        }
    }
}
