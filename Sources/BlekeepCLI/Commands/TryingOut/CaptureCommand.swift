import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import BlekeepService
import Logging
import RunLoop

struct CaptureCommand: SimulatableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture", abstract: "Record a device for others, without its address and serial number.",
        discussion: """
            Listens to the device for up to 15s, connects, asks it once by its recipe, and reads all values that need no \
            pairing. Without a recipe, it subscribes to all characteristics for 10s. If the recipe writes, and the \
            configuration doesn't allow that yet, it asks you first.

            The file holds the packets, the services, the values, and what was sent and answered, with times. Addresses, \
            names, serial numbers, other text and the secret are replaced; the file says what was. Read it before you send \
            it. 'poll --simulate FILE' plays it.

            Examples:
              blekeep capture fern
              blekeep capture A4:C1:37:00:00:02 --recipe jbd --file battery.yaml
              blekeep poll --simulate ./capture-jbd.yaml --once
            """)

    @Argument(help: .device, completion: .device)
    var device: String

    @Option(
        help: ArgumentHelp("Ask the device by this recipe, or by none.", valueName: "name"),
        completion: .custom { _, _, _ in RecipeCatalogue.names + [Self.noRecipe] })
    var recipe: String?

    @Option(
        help: ArgumentHelp("The file to write; otherwise capture-RECIPE.yaml.", valueName: "file"), completion: .file())
    var file: String?

    @Flag(help: "Replace only the digits of a name that no recipe recognizes.")
    var keepName = false

    @Flag(help: "Write to the device without a question.")
    var yes = false

    @OptionGroup var simulation: SimulationOptions
    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    private static let noRecipe = "none"
    /// Each one finds at most one more value that needs pairing.
    private static let maxConnections = 8

    func run(in context: CommandContext) async throws {
        if let file { try NewFile.check(file, failure: .allFailed) }
        var device = try await context.nearbyDevice(device)
        device = context.keyedDevices.first { $0.address == device.address } ?? device
        try await refuseIfPolled(device, in: context)
        let known = try await context.central(on: options.adapter ?? device.adapter).knownDevices
            .first { $0.address == device.address }
        if known?.isConnected == true {
            context.log.warning(
                "another program is connected to \(device.name); its requests get into the capture, too")
        }
        let session = CaptureSession(of: device, known: known, on: context.loop)
        try await session.listen(in: context, adapter: options.adapter)
        if session.capture.packets.isEmpty { try await session.learn(in: context, of: device) }
        let recognized = try await recognized(device, data: session.data, in: context)
        try await agree(to: recognized, with: device, in: context)
        let recipe = recognized?.recipe
        session.capture.recipe = recipe?.name
        session.capture.date = String(UTCTime(milliseconds: context.wallTime()).iso.prefix(10))
        let asked = recognized?.device ?? device
        if recipe != nil || !AdvertisedValues(session.data).isKnown {
            try await context.withLink(asked) { link in
                await session.capture(link, recipe: recipe, of: asked, wallTime: context.wallTime)
            }
            // A new connection ends BlueZ's wait for pairing.
            for _ in 0..<Self.maxConnections where session.isUnfinished && context.ending == nil {
                do { try await context.withLink(asked) { await session.read(on: $0) } } catch { break }
            }
        }
        if context.ending != nil { throw CancellationError() }
        var capture = session.capture.redacted(for: recipe, secret: device.secret, keepsName: keepName)
        if let recipe { capture.expected = CaptureFile.unique(capture.values(by: recipe)) }
        let path = file ?? "capture-\(recipe?.name ?? "device").yaml"
        let text = CaptureFile.text(capture, by: "blekeep \(BlekeepVersion.text)")
        try NewFile.write(text, to: path, failure: .allFailed)
        let summary = CaptureSummary(capture, values: session.values, file: path, bytes: text.utf8.count)
        if options.json { return try context.output.line(summary.json.text) }
        for line in summary.lines { try context.output.line(line) }
    }

    /// Both would get the answers to the other's requests.
    private func refuseIfPolled(_ device: DeviceConfiguration, in context: CommandContext) async throws {
        guard await RunningPoller.isThere(context), let poller = try? await RunningPoller(context) else { return }
        let address = device.address.description
        guard let kept = poller.devices.first(where: { $0.address == address && !$0.isPaused }) else { return }
        let name = Untrusted(kept.alias)
        throw Failure(
            .alreadyRunning,
            "'blekeep poll' reads \(name), and each would get the other's answers: run 'blekeep pause \(name)' first, and "
                + "'blekeep resume \(name)' after the capture")
    }

    /// The device with the recipe that the user named, that is configured, or that fits; `nil` without one.
    private func recognized(
        _ device: DeviceConfiguration, data: AdvertisedData, in context: CommandContext
    ) async throws -> RecognizedDevice? {
        if recipe == Self.noRecipe { return nil }
        guard let name = recipe ?? device.recipe else {
            let fitting = RecipeCatalogue.match(Recipe.Traits(data), in: context.recipes)?.recipes ?? []
            if fitting.allSatisfy(\.advertises), !fitting.isEmpty, AdvertisedValues(data).isKnown { return nil }
            return try await RecognizedDevice.find(device, data: data, in: context)
        }
        let named = try Recipes.named(name, in: context.recipes)
        return try RecognizedDevice(device, recipe: named, isForbidden: named.match(Recipe.Traits(data)) == .never)
    }

    /// Asks the user before it writes to a device whose configuration doesn't say so.
    private func agree(
        to recognized: RecognizedDevice?, with device: DeviceConfiguration, in context: CommandContext
    ) async throws {
        guard let recognized, !recognized.recipe.writes.isEmpty, !yes else { return }
        if device.recipe == recognized.recipe.name, device.mayWrite || !recognized.recipe.isOwn { return }
        let sentence =
            "the recipe \(recognized.recipe.name) (\(Untrusted(recognized.recipe.title))) writes \(recognized.writes) to "
            + "\(device.name)"
        guard context.terminal.hasKeyboard else {
            throw Failure(.usage, "\(sentence): run this on a terminal, or add --yes; '--recipe none' writes nothing")
        }
        let user = TerminalUser(on: context.loop, canAnswer: true)
        guard await user.agrees(to: "\(sentence).\nGo on?") else { throw ExitCode(Failure.Code.usage.rawValue) }
    }
}

/// Records one device. On the loop.
private final class CaptureSession: @unchecked Sendable {
    var capture: Capture
    /// What the device advertised, as far as it is known.
    private(set) var data: AdvertisedData
    /// What the recipe read.
    private(set) var values: [Measurement] = []
    private let known: KnownDevice?
    private let loop: RunLoop
    private var bytes = 0
    /// The indices of values that aren't read yet, and whether this connection can't read them.
    private var unread: [Int] = []
    private var isBlocked = false
    private var readingEnd = Uptime.start

    /// The time to hear the device, and the time after that for more packets.
    private static let listening: (first: Duration, more: Duration) = (.seconds(10), .seconds(5))
    /// The time for all values, and for what the device sends by itself.
    private static let (reading, notifying) = (Duration.seconds(60), Duration.seconds(10))
    private static let maxSubscriptions = 16

    init(of device: DeviceConfiguration, known: KnownDevice?, on loop: RunLoop) {
        self.known = known
        self.loop = loop
        capture = Capture(address: device.address)
        data = known?.data ?? AdvertisedData(address: device.address)
    }

    // MARK: Advertisements

    /// Collects packets that differ.
    func listen(in context: CommandContext, adapter: AdapterChoice?) async throws {
        capture.isRandom = known?.addressType.map { $0 != "public" }
        capture.appearance = known?.appearance
        capture.name = known?.name
        if known?.isConnected != true {
            let central = try await context.central(on: adapter)
            ProgressLine.show("listening to \(capture.address) …", on: context.terminal)
            defer { ProgressLine.clear(on: context.terminal) }
            let begin = loop.now
            var end = begin + Self.listening.first
            do {
                for try await heard in central.scan(for: Self.listening.first + Self.listening.more) {
                    if heard.address == capture.address {
                        if capture.packets.isEmpty { end = loop.now + Self.listening.more }
                        add(heard.data, rssi: heard.rssi, at: loop.now)
                    }
                    if loop.now >= end || capture.packets.count >= Capture.Limit.packets { break }
                }
            } catch let error as BluetoothError { throw Failure(error, capture.address) }
            let facts = await central.knownDevices.first { $0.address == capture.address }
            capture.isRandom = facts?.addressType.map { $0 != "public" } ?? capture.isRandom
            capture.appearance = facts?.appearance ?? capture.appearance
        }
        // A connected device doesn't advertise; BlueZ still knows what it said before.
        if capture.packets.isEmpty, known != nil { add(data, rssi: known?.rssi, at: loop.now) }
    }

    /// Learns from BlueZ what the device advertises that blekeep didn't hear.
    func learn(in context: CommandContext, of device: DeviceConfiguration) async throws {
        add(try await context.advertised(by: device, heard: nil), rssi: nil, at: loop.now)
        let facts = try await context.central(on: context.options.adapter ?? device.adapter).knownDevices
            .first { $0.address == device.address }
        capture.isRandom = facts?.addressType.map { $0 != "public" } ?? capture.isRandom
        capture.appearance = facts?.appearance ?? capture.appearance
    }

    private var first: Uptime?

    private func add(_ data: AdvertisedData, rssi: Int?, at now: Uptime) {
        self.data = data
        capture.name = data.name ?? capture.name
        let start = first ?? now
        first = start
        var packet = Capture.Packet(at: now - start)
        packet.services = data.services
        packet.manufacturerData = data.manufacturerData
        packet.serviceData = data.serviceData
        if let last = capture.packets.last {
            var same = packet
            (same.time, same.rssi) = (last.time, last.rssi)
            if same == last { return }
        }
        packet.rssi = rssi
        capture.packets.append(packet)
    }

    // MARK: A connection

    func capture(
        _ link: Link, recipe: Recipe?, of device: DeviceConfiguration, wallTime: @escaping @Sendable () -> Int64
    ) async {
        capture.isPaired = await link.isPaired
        let all = await link.characteristics
        if let recipe {
            let outcome = await link.converse(by: recipe, with: device, wallTime: wallTime) { self.record($0) }
            capture.failure = outcome.failure?.message
            values = outcome.answers.flatMap(\.measurements)
        } else {
            await subscribe(to: all, on: link)
        }
        note(all.prefix(Capture.Limit.characteristics))
        readingEnd = loop.now + Self.reading
        await read(on: link)
    }

    /// Up to the limits.
    private func record(_ exchange: Exchange) {
        guard capture.exchanges.count < Capture.Limit.exchanges,
            bytes + exchange.bytes.count <= Capture.Limit.bytes
        else { return }
        bytes += exchange.bytes.count
        capture.exchanges.append(exchange)
    }

    /// Whether values are left that a new connection can read.
    var isUnfinished: Bool { isBlocked && !unread.isEmpty && loop.now < readingEnd }

    private func note(_ all: ArraySlice<Link.Characteristic>) {
        var last: Int?
        for (index, characteristic) in all.enumerated() {
            var point = Capture.Characteristic(characteristic.uuid, flags: characteristic.flags.sorted())
            point.descriptors = characteristic.descriptors.map(\.uuid)
            if characteristic.needsPairing, !capture.isPaired {
                point.failure = "needs pairing"
            } else if characteristic.flags.contains("read") {
                unread.append(index)
            }
            if capture.services.isEmpty || last != characteristic.serviceHandle
                || capture.services.last?.uuid != characteristic.service
            {
                capture.services.append(Capture.Service(characteristic.service))
            }
            last = characteristic.serviceHandle
            capture.services[capture.services.count - 1].characteristics.append(point)
        }
    }

    /// Reads the values that aren't read yet, until one needs pairing or isn't answered.
    func read(on link: Link) async {
        let all = await link.characteristics
        isBlocked = false
        while let index = unread.first, loop.now < readingEnd, !isBlocked {
            unread.removeFirst()
            guard all.indices.contains(index) else { continue }
            do throws(BluetoothError) {
                let value = try await link.read(all[index])
                change(at: index) { $0.value = value }
            } catch {
                change(at: index) { $0.failure = error.code == .pairing ? "needs pairing" : error.description }
                isBlocked = error.code == .timedOut || error.code == .link
                if await link.waitsForPairing { isBlocked = true }
            }
        }
    }

    /// Changes a characteristic by its index in all services.
    private func change(at index: Int, by change: (inout Capture.Characteristic) -> Void) {
        var index = index
        for service in capture.services.indices {
            let count = capture.services[service].characteristics.count
            if index < count { return change(&capture.services[service].characteristics[index]) }
            index -= count
        }
    }

    /// Records what the device sends by itself.
    private func subscribe(to all: [Link.Characteristic], on link: Link) async {
        let start = loop.now
        let chosen = all.filter {
            !$0.flags.isDisjoint(with: ["notify", "indicate"]) && $0.uuid != BluetoothUUID(0x2A05)
        }.prefix(Self.maxSubscriptions)
        await withTaskGroup(of: Void.self) { group in
            for characteristic in chosen {
                let place = RecipeCharacteristic(characteristic.uuid, in: characteristic.service)
                do throws(BluetoothError) {
                    let values = try await link.notifications(of: characteristic)
                    record(Exchange(.subscribed, place, at: loop.now - start))
                    group.addTask {
                        for await bytes in values { self.notified(bytes, by: place, since: start) }
                    }
                } catch {
                    record(Exchange(.failed, place, failure: error.description, at: loop.now - start))
                    if await link.waitsForPairing { break }
                }
            }
            if !chosen.isEmpty { try? await loop.sleep(until: start + Self.notifying) }
            group.cancelAll()
        }
    }

    private func notified(_ bytes: [UInt8], by place: RecipeCharacteristic, since start: Uptime) {
        record(Exchange(.notified, place, bytes, at: loop.now - start))
    }
}

/// What a capture holds, so that its owner knows what they send.
struct CaptureSummary {
    private let capture: Capture
    private let values: [Measurement]
    private let file: String
    private let bytes: Int

    init(_ capture: Capture, values: [Measurement], file: String, bytes: Int) {
        (self.capture, self.values, self.file, self.bytes) = (capture, values, file, bytes)
    }

    private var points: [Capture.Characteristic] { capture.services.flatMap(\.characteristics) }

    /// Whether it plays as the device answered.
    private var isWhole: Bool {
        capture.recipe == nil || CaptureFile.unique(values.map { Capture.Value($0) }) == capture.expected
    }

    private func count(_ kind: Exchange.Kind) -> Int { capture.exchanges.count { $0.kind == kind } }

    private static func text(_ count: Int, of noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    var lines: [String] {
        let name = capture.name.map { " as \(Quoted.text(Untrusted($0).description))" } ?? ""
        var lines = ["wrote \(Untrusted.whole(file)): \(bytes) bytes about \(capture.address)"]
        lines.append("advertised  \(Self.text(capture.packets.count, of: "packet"))\(name)")
        let unread = points.count { $0.failure != nil }
        let held = points.count { $0.value != nil }
        lines.append(
            "holds       \(Self.text(capture.services.count, of: "service")), "
                + "\(Self.text(points.count, of: "characteristic")), \(Self.text(held, of: "value"))"
                + (unread == 0 ? "" : ", and \(Self.text(unread, of: "value")) that couldn't be read"))
        let exchanged =
            "\(Self.text(count(.written), of: "write")), \(Self.text(count(.read), of: "read")), "
            + Self.text(count(.notified), of: "notification")
        lines.append("exchanged   \(capture.recipe.map { "by the recipe \($0): " } ?? "")\(exchanged)")
        if !values.isEmpty { lines.append("means       \(MeasurementText.text(values))") }
        if let failure = capture.failure { lines.append("failed      \(Untrusted(failure, limit: 256))") }
        if !isWhole { lines.append("differs     without what was replaced, the recipe reads other values") }
        lines.append("replaced    \(capture.replaced.joined(separator: ", "))")
        return lines + ["Read the file before you send it; 'blekeep poll --simulate \(path)' plays it."]
    }

    /// A scenario's name has no slash.
    private var path: String { Untrusted.whole(file.contains("/") ? file : "./\(file)") }

    var json: JSON {
        .object([
            "state": "written", "file": .text(file), "address": .text(capture.address.description),
            "recipe": .text(capture.recipe), "packets": .integer(capture.packets.count),
            "characteristics": .integer(points.count), "exchanges": .integer(capture.exchanges.count),
            "values": .fields(values), "replaced": .array(capture.replaced.map { .text($0) }),
            "whole": .boolean(isWhole), "error": .text(capture.failure),
        ])
    }
}
