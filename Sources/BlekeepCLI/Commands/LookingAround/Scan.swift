import ArgumentParser
import Blekeep
import BlekeepHistory
import BlekeepOutputs
import Glibc
import RunLoop

struct Scan: SimulatableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "Show nearby devices.",
        discussion: """
            On a terminal, a live table. Elsewhere a line for each device, with tabs between the columns, and another one \
            when it advertises something new. With --json, the lines are objects. A device that a recipe fits is shown \
            with the recipe's title, such as Mi Flora.

            Examples:
              blekeep scan
              blekeep scan --service environmental-sensing --rssi -80
              blekeep scan --name 'Ruuvi*' --watch --json
              blekeep scan --passive                   names may be missing
            """)

    @Option(help: ArgumentHelp("Only devices with this service: a UUID or an official name.", valueName: "service"))
    var service: [String] = []

    @Option(help: ArgumentHelp("Only devices whose name matches this pattern, such as 'Lab-*'.", valueName: "glob"))
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only devices with at least this signal strength, such as -80.", valueName: "dbm"))
    var rssi: Int?

    @Flag(help: "Scan until Ctrl-C, and print each advertisement. Without it, 10s or --timeout.")
    var watch = false

    @Flag(help: "Only listen; send no requests. Misses devices that advertise neither flags nor a known beacon format.")
    var passive = false

    @OptionGroup var simulation: SimulationOptions
    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    /// `--timeout` is the length of the scan, and its end isn't a failure.
    var timeLimit: Duration? { nil }

    private var length: Duration { options.timeout?.duration ?? (watch ? .seconds(365 * 86_400) : .seconds(10)) }

    func validate() throws {
        _ = try filter()
        if let rssi, !(-127...20).contains(rssi) { throw ValidationError("--rssi must be from -127 to 20") }
    }

    private func filter() throws -> ScanFilter {
        let services = try service.map { text in
            guard let uuid = BluetoothUUID(text) ?? AssignedNumbers.service(named: text) else {
                throw ValidationError("no service is called '\(Untrusted(text))'; give its UUID, such as 181a")
            }
            return uuid
        }
        return ScanFilter(services: services, name: name, rssi: rssi)
    }

    func run(in context: CommandContext) async throws {
        let filter = try filter()
        let central = try await context.central()
        let view = ScanView(
            context, until: context.loop.now + length, isEndless: watch && options.timeout == nil,
            isSimulated: simulation.scenario != nil)
        try view.begin()
        defer { view.end() }
        for try await heard in central.scan(for: length, passive: passive) where filter.admits(heard) {
            try view.hear(heard, all: watch)
            try await context.output.hasRoom()
        }
    }
}

/// The output of a scan: a live table on a terminal, lines elsewhere.
private final class ScanView {
    private let context: CommandContext
    private let aliases: [BluetoothAddress: String]
    private let deadline: Uptime
    private let isEndless: Bool
    /// Whether no device is configured yet, and a heard one can be.
    private let isFirst: Bool
    private var devices: HeardDevices
    private var screen: LiveScreen?
    private var hasHeader = false

    init(_ context: CommandContext, until deadline: Uptime, isEndless: Bool, isSimulated: Bool) {
        self.context = context
        self.deadline = deadline
        self.isEndless = isEndless
        let known = context.keyedDevices
        isFirst = known.isEmpty && !isSimulated
        // Without a history, `poll` recognized nothing.
        let run = known.isEmpty ? nil : try? StoredHistory.read(context) { try $0.lastRun() }
        devices = HeardDevices(known, polled: run?.devices ?? [], recipes: context.recipes)
        aliases = Dictionary(known.compactMap { device in device.alias.map { (device.address, $0) } }) { $1 }
    }

    func begin() throws {
        guard context.terminal.isInteractive, !context.options.json else { return }
        let screen = LiveScreen(context) { [unowned self] columns, rows in self.picture(columns: columns, rows: rows) }
        self.screen = screen
        try screen.show()
    }

    func end() {
        let lines = devices.table(at: context.loop.now, aliases: aliases)
            .lines(width: context.terminal.size().columns, on: context.terminal)
        let next = isFirst ? ["", "next: blekeep add ADDRESS"] : []
        let names = Set(devices.devices.compactMap(\.page)).sorted().map { "\($0).md" }
        let pages = names.isEmpty ? [] : ["", "about them: \(names.joined(separator: ", ")) in \(FamilyPage.folder)"]
        screen?.end(leaving: lines.count > 1 ? lines + pages + next : ["no device was heard"])
    }

    func hear(_ heard: Advertisement, all isAll: Bool) throws {
        let (device, isNews) = devices.hear(heard, at: context.loop.now)
        if let screen { return screen.update() }
        guard isNews || isAll else { return }
        if !hasHeader, !context.options.json { try context.output.line(Self.columns.joined(separator: "\t")) }
        hasHeader = true
        try context.output.line(context.options.json ? json(heard, as: device).text : line(heard, as: device))
    }

    private func picture(columns: Int, rows: Int) -> Picture {
        let left = isEndless ? "" : ", \(AgeText.text(deadline - context.loop.now + .seconds(1))) left"
        let count = devices.devices.count
        let title = "Scanning: \(count) \(count == 1 ? "device" : "devices")\(left); Ctrl-C ends"
        return Picture(
            head: [context.terminal.paint(DisplayWidth.cut(title, to: columns), as: .accent), ""],
            table: devices.table(at: context.loop.now, aliases: aliases).lines(width: columns, on: context.terminal))
    }

    /// The columns of `line`. RSSI is in dBm.
    private static let columns = ["ADDRESS", "RSSI", "NAME", "ALIAS", "SERVICES", "VALUES"]

    private func line(_ heard: Advertisement, as device: HeardDevice) -> String {
        let rssi = heard.rssi.map { "\($0)" } ?? ""
        let name = heard.name.map { Untrusted($0).description } ?? ""
        return [
            heard.address.description, rssi, name, aliases[heard.address] ?? "", ServiceNames.text(heard.services),
            device.text,
        ].joined(separator: "\t")
    }

    private func json(_ heard: Advertisement, as device: HeardDevice) -> JSON {
        .object([
            "address": .text(heard.address.description), "name": .text(heard.name),
            "alias": .text(aliases[heard.address]), "rssi": .integer(heard.rssi),
            "services": .array(heard.services.map { .text($0.description) }),
            "manufacturer_data": AdvertisedJSON.json(heard.manufacturerData),
            "service_data": AdvertisedJSON.json(heard.serviceData),
            "companies": CompanyNames.json(heard.manufacturerData), "recipe": device.recipe,
            "page": .text(device.page.map(FamilyPage.path)), "values": device.values.json,
        ])
    }
}

/// Manufacturer data and service data as JSON, with bytes as hex digits.
enum AdvertisedJSON {
    static func json(_ data: [UInt16: [UInt8]]) -> JSON? {
        guard !data.isEmpty else { return nil }
        return .object(
            data.sorted { $0.key < $1.key }.map { pair in (String(hex: pair.key, width: 4), .hex(pair.value)) })
    }

    static func json(_ data: [BluetoothUUID: [UInt8]]) -> JSON? {
        guard !data.isEmpty else { return nil }
        return .object(data.sorted { $0.key < $1.key }.map { ($0.key.description, .hex($0.value)) })
    }
}

/// The devices that a scan shows.
struct ScanFilter: Sendable {
    /// A device needs one of these services; empty for all devices.
    var services: [BluetoothUUID] = []
    /// A pattern with `*`, `?` and `[…]` for the name.
    var name: String?
    /// The weakest signal in dBm.
    var rssi: Int?

    func admits(_ heard: Advertisement) -> Bool {
        if let rssi, heard.rssi ?? .min < rssi { return false }
        if !services.isEmpty, !services.contains(where: { heard.services.contains($0) || heard.serviceData[$0] != nil })
        {
            return false
        }
        guard let name else { return true }
        return heard.name.map { fnmatch(name, $0, 0) == 0 } ?? false
    }
}
