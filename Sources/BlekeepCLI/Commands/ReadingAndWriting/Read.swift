import ArgumentParser
import Blekeep
import BlekeepOutputs
import Logging

struct Read: SimulatableCommand, FormattedCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read values of a device, once.",
        discussion: """
            CHAR is a UUID (2a19, or all 36 characters), an official name, or a handle as 'gatt' shows it. If several \
            characteristics match, add the service or a number: 180f/2a19, 2a19#2.

            If a poller runs that reads these characteristics, it reads the device now. Otherwise this command connects.

            Examples:
              blekeep read F0:00:00:00:00:01 temperature humidity
              blekeep read greenhouse 180f/2a19 --json
              blekeep read greenhouse temperature --value      23.82
              blekeep read tag:cellar temperature
            """)

    @Argument(
        help: ArgumentHelp(
            "The device: its alias, address or own name, adapter/address, or tag:NAME for several.", valueName: "dev"),
        completion: .device)
    var device: String

    @Argument(help: ArgumentHelp("The characteristics to read.", valueName: "char"), completion: .characteristic)
    var characteristics: [String]

    @Flag(help: "Print only the bytes, as hex digits.")
    var hex = false

    @OptionGroup var formats: FormatOptions
    @OptionGroup var simulation: SimulationOptions
    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    func validate() throws {
        if let format = try formats.chosen(json: options.json), hex {
            throw ValidationError("--hex and --\(format.rawValue) exclude each other")
        }
    }

    func run(in context: CommandContext) async throws {
        let names = try characteristics.map { text throws(Failure) in try CharacteristicName(text) }
        let devices = try await context.nearbyDevices(device)
        let printer = ReadingPrinter(format, of: devices, in: context)
        var failures: [Failure] = []
        for device in devices {
            let task = DeviceRead(
                device: device, names: names, format: format, hex: hex, isAlone: devices.count == 1, printer: printer)
            do {
                // It would wait for a connection that never comes.
                if device.mode == .passive { throw Self.notConnected(device) }
                try await task.run(in: context)
            } catch let failure as Failure {
                guard devices.count > 1, context.ending == nil else { throw failure }
                if !failure.message.isEmpty { context.log.error("\(Untrusted(device.name)): \(failure.message)") }
                failures.append(failure)
            }
        }
        guard let first = failures.first else { return }
        let isPartial = failures.count < devices.count || failures.contains { $0.code == .someFailed }
        throw Failure(isPartial ? .someFailed : first.code, "")
    }
}

extension Read {
    private static func notConnected(_ device: DeviceConfiguration) -> Failure {
        let name = Untrusted(device.name)
        return Failure(
            .usage,
            "\(name) is configured to only advertise ('mode: passive'); 'blekeep values \(name)' shows what it advertised"
        )
    }
}

/// Reads characteristics of a device, and prints their values.
private struct DeviceRead: Sendable {
    let device: DeviceConfiguration
    let names: [CharacteristicName]
    let format: LineFormat
    let hex: Bool
    /// Whether no other device is read, so that lines need no name of the device.
    let isAlone: Bool
    let printer: ReadingPrinter

    func run(in context: CommandContext) async throws {
        if let polled = await PolledRead(device, names: names, in: context), let values = try await polled.values() {
            return try show(values, in: context)
        }
        let failures = try await context.withLink(device) { link in
            let all = await link.characteristics
            let chosen = try names.map { name throws(Failure) in try name.resolve(among: all) }
            var failures: [BluetoothError] = []
            for characteristic in chosen {
                let reader = await CharacteristicReader(characteristic, of: device, on: link, layouts: context.layouts)
                do throws(BluetoothError) {
                    let bytes = try await link.read(characteristic)
                    // An error of the output surfaces when the command ends.
                    try? show(bytes, reader: reader, in: context)
                } catch {
                    // The time is up, or a signal came.
                    if context.ending != nil { throw error }
                    failures.append(error)
                    context.log.error("\(error.sentence(about: device.address))")
                    if format != .human { _ = try? printer.print([reader.failure(error)]) }
                }
            }
            return failures
        }
        guard let first = failures.first else { return }
        if failures.count < names.count { throw Failure(.someFailed, "") }
        throw Failure(Failure(first).code, "")
    }

    /// Prints the values that the running poller read.
    private func show(_ values: [[Reading]], in context: CommandContext) throws {
        for readings in values {
            if format != .human {
                try printer.print(readings)
            } else if let text = PolledRead.text(readings, hex: hex) {
                try line(text, in: context)
            }
        }
        let missing = zip(names, values).filter(\.1.isEmpty).map(\.0)
        guard !missing.isEmpty else { return }
        throw Failure(
            missing.count == values.count ? .allFailed : .someFailed,
            "the running poller read \(Untrusted(device.name)) without a value of "
                + "\(missing.map { "\(Untrusted($0.text))" }.joined(separator: ", ")); "
                + "'blekeep why \(device.name)' has the reason")
    }

    private func show(_ bytes: [UInt8], reader: CharacteristicReader, in context: CommandContext) throws {
        if hex {
            try line(String(hex: bytes), in: context)
        } else if format != .human {
            try printer.print(reader.readings(bytes))
        } else {
            try line("\(reader.label)  \(reader.text(bytes))", in: context)
        }
    }

    private func line(_ text: String, in context: CommandContext) throws {
        try context.output.line(isAlone ? text : "\(Untrusted(device.name))  \(text)")
    }
}
