import ArgumentParser
import Blekeep
import BlekeepOutputs
import Logging
import RunLoop

struct Notify: SimulatableCommand, FormattedCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify", abstract: "Print the values that a device sends by itself, until Ctrl-C.",
        discussion: """
            CHAR is as for 'read'.

            Examples:
              blekeep notify 00:1B:DC:00:00:02 heart-rate-measurement --count 10
              blekeep notify greenhouse 2a6e 2a19 --csv
            """)

    @Argument(help: .device, completion: .device)
    var device: String

    @Argument(help: ArgumentHelp("What to subscribe to.", valueName: "char"), completion: .characteristic)
    var characteristics: [String]

    @Option(help: "Stop after this many notifications.")
    var count: Int?

    @OptionGroup var formats: FormatOptions
    @OptionGroup var simulation: SimulationOptions
    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be 1 or more") }
        _ = try formats.chosen(json: options.json)
    }

    func run(in context: CommandContext) async throws {
        let names = try characteristics.map { text throws(Failure) in try CharacteristicName(text) }
        let device = try await context.nearbyDevice(device)
        let taker = NotificationTaker(ReadingPrinter(format, of: [device], in: context), count: count)
        let start = context.loop.now
        try await printValues(of: names, from: device, to: taker, in: context)
        // An earlier command's connection, which BlueZ takes 2 s to end, may have been found up.
        if !taker.isFull, context.ending == nil, context.loop.now - start < .seconds(4) {
            context.log.info("the connection was lost at once; connecting again")
            try await printValues(of: names, from: device, to: taker, in: context)
        }
        guard taker.isFull || count == nil && context.ending != nil else {
            if context.ending != nil { throw CancellationError() }
            throw Failure(.allFailed, "the connection to \(device.name) was lost")
        }
    }

    /// Prints values until there are enough, or the connection ends.
    private func printValues(
        of names: [CharacteristicName], from device: DeviceConfiguration, to taker: NotificationTaker,
        in context: CommandContext
    ) async throws {
        try await context.withLink(device) { link in
            let all = await link.characteristics
            let chosen = try names.map { name throws(Failure) in try name.resolve(among: all) }
            try check(chosen)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for characteristic in chosen {
                    let reader = await CharacteristicReader(
                        characteristic, of: device, on: link, layouts: context.layouts)
                    let values = try await link.notifications(of: characteristic)
                    context.log.info("subscribed to \(characteristic.uuid)")
                    group.addTask { try await taker.collect(values, with: reader) }
                }
                // When one ends, the count is reached or the connection is lost: end all.
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    private func check(_ chosen: [Link.Characteristic]) throws(Failure) {
        for characteristic in chosen where characteristic.flags.isDisjoint(with: ["notify", "indicate"]) {
            throw Failure(.allFailed, "\(characteristic.uuid) can't notify; use 'blekeep read'")
        }
    }
}

/// Prints notified values of several characteristics. On the loop.
private final class NotificationTaker: @unchecked Sendable {
    private let printer: ReadingPrinter
    private var left: Int?

    init(_ printer: ReadingPrinter, count: Int?) {
        self.printer = printer
        left = count
    }

    var isFull: Bool { left == 0 }

    func collect(_ values: AsyncStream<[UInt8]>, with reader: CharacteristicReader) async throws {
        for await bytes in values {
            guard !isFull else { return }
            try printer.print(reader.readings(bytes))
            try await printer.output.hasRoom()
            if let count = left { left = count - 1 }
            if isFull { return }
        }
    }
}
