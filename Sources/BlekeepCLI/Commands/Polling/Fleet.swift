import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import BlekeepPostgres
import RunLoop

struct Fleet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Show and change which of several gateways reads each device, and where their readings go.",
        discussion: """
            'status', 'move' and 'adopt' use what the gateways say at the MQTT broker of the configuration, or in its \
            PostgreSQL, and no Bluetooth. They work on each machine with the fleet's configuration, also on one without \
            blekeep's service. 'init', 'invite', 'join' and 'remove' are for a PostgreSQL with the readings of all gateways, 'apply', \
            'rollback' and 'show' for the configuration that they share.

            Examples:
              blekeep fleet status
              blekeep fleet move freezer attic
            """,
        subcommands: [
            FleetStatus.self, FleetMove.self, FleetAdopt.self, FleetApply.self, FleetRollback.self, FleetShow.self,
            FleetInit.self, FleetInvite.self, FleetJoin.self, FleetRemove.self,
        ])
}

struct FleetStatus: ContextCommand, FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the gateways, and which one reads each device.",
        discussion: """
            Devices that no gateway reads come first, with the reason and the gateway that could take over. What a gateway \
            that is offline said last may be wrong. The exit code is 0 when a gateway reads each device, 1 when some \
            devices have none, and 6 when all have none, or when the broker can't be reached.

            Examples:
              blekeep fleet status
              blekeep fleet status --watch
              blekeep fleet status --json
            """)

    @Flag(help: "Run until Ctrl-C, and show each change.")
    var watch = false

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let broker = try await FleetBroker(context, needsFleet: true, mayBeDatabase: true)
        defer { broker.end() }
        let report = try await context.show(
            watches: watch, format: options.json ? { report, _ in [report.json] } : nil,
            listen: { broker.onChange = $0 }, pause: { await broker.change(within: .seconds(1)) }, look: broker.look
        ) { FleetReport(broker.view, now: context.wallTime(), failure: broker.failure) }
        if !watch { try report.check() }
    }
}

extension FleetReport: WatchedView {}

struct FleetMove: ContextCommand, FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Let another gateway read a device.",
        discussion: """
            The key 'gateways' of the device must name several gateways, and this one must be online. The device stays \
            there until that gateway can't read it, or until an earlier one of 'gateways' has heard it for 10 min.

            Example:
              blekeep fleet move freezer attic
            """)

    @Argument(help: ArgumentHelp("The device.", valueName: "dev"), completion: .device)
    var device: String

    @Argument(help: "The gateway's name.")
    var gateway: String

    @OptionGroup var common: CommonOptions

    /// How long the gateways may take.
    private static let patience: Duration = .seconds(60)

    func run(in context: CommandContext) async throws {
        let device = try context.device(device)
        let name = Untrusted(device.name)
        let order = device.gateways
        guard device.isShared || order.count > 1 else {
            throw Failure(.usage, "\(name) can't move: its key `gateways` must name several gateways")
        }
        guard order.contains(gateway) || order.contains(DeviceConfiguration.anyGateway) else {
            throw Failure(
                .usage, "'\(Untrusted(gateway))' isn't among `gateways` of \(name): \(order.joined(separator: ", "))")
        }
        let broker = try await FleetBroker(context, needsFleet: true, mayBeDatabase: true)
        defer { broker.end() }
        let target = broker.view.gateway(gateway)
        guard target.isOnline == true else {
            let state = target.isKnown ? "\(gateway) is offline" : "\(gateway) has never said anything"
            throw Failure(.allFailed, "\(state); start 'blekeep poll' there, or choose another gateway")
        }
        if let owner = broker.keyOwner(of: device.id, except: gateway) {
            throw Failure(
                .pairing, "only \(owner) has the keys of \(name); pair it at \(gateway), or let \(owner) read it")
        }
        if !broker.isReading(device.id, at: gateway) {
            try await broker.move(device.id, to: gateway)
            try await broker.wait(for: Self.patience) { _ in broker.isReading(device.id, at: gateway) }
        }
        let reader = broker.device(device.id)?.reader
        guard reader?.gateway == gateway else {
            let now = reader.map { "\($0.gateway) still reads it" } ?? "no gateway reads it"
            throw Failure(
                .allFailed,
                "\(gateway) didn't take over \(name) in \(DurationText.text(Self.patience)): \(now); its log has the reason"
            )
        }
        let object: JSON = .object([
            "device": .text(device.name), "id": .text(device.id.description), "state": "moved",
            "gateway": .text(gateway),
        ])
        try context.output.line(options.json ? object.text : "\(gateway) reads \(name)")
    }
}

struct FleetAdopt: ContextCommand, FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt", abstract: "Give a gateway's name to this machine, which replaces another one.",
        discussion: """
            While a machine is online under a gateway's name, another one doesn't begin. After a power cut of gateway and \
            broker, the broker may take a machine for online that is gone. This command asks it to answer, and gives its \
            name to this machine if it doesn't. A database gives the name away when the other machine has been silent \
            for half a minute.

            Examples:
              blekeep fleet adopt
              blekeep fleet adopt cellar
            """)

    /// How long a machine may take to answer.
    private static let patience: Duration = .seconds(5)

    @Argument(help: "The gateway's name; by default this gateway's.")
    var name: String?

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let broker = try await FleetBroker(context, needsFleet: false, mayBeDatabase: true)
        defer { broker.end() }
        if let database = broker.database { return try await adopt(in: database, broker, context) }
        let mqtt = try broker.connection().configuration
        let gateway = name ?? mqtt.gateway
        guard MQTTConfiguration.isTopicPart(gateway), gateway != mqtt.fleet else {
            throw Failure(.usage, "'\(Untrusted(gateway))' isn't a gateway's name")
        }
        guard let installation = mqtt.installation else {
            throw Failure(.badConfiguration, "this machine has no ID; create it with 'systemd-machine-id-setup'")
        }
        if broker.view.gateway(gateway).installation != installation {
            try await check(gateway, at: broker)
            try await broker.publish { $0.adopt(gateway, $1) }
        }
        // What the broker retains comes before its confirmation, unless its access rules hide it.
        if let other = broker.view.gateway(gateway).installation, other != installation {
            throw Failure(
                .allFailed,
                "the broker didn't take the new installation of \(gateway); let its access rules allow writing below "
                    + "\(mqtt.base)/\(gateway)/")
        }
        try report(gateway, isConfigured: gateway == mqtt.gateway, installation, context)
    }

    private func adopt(in database: PostgresFleet, _ broker: FleetBroker, _ context: CommandContext) async throws {
        let gateway = name ?? database.settings.gateway
        guard let installation = ConfiguredSinks.machine else {
            throw Failure(.badConfiguration, "this machine has no ID; create it with 'systemd-machine-id-setup'")
        }
        do { try await context.answer { database.adopt(gateway, installation: installation, $0) } } catch {
            guard broker.view.gateway(gateway).isOnline == true else { throw error }
            throw Failure(.alreadyRunning, Self.isOnline(gateway))
        }
        try report(gateway, isConfigured: gateway == database.settings.gateway, installation, context)
    }

    private func report(
        _ gateway: String, isConfigured: Bool, _ installation: String, _ context: CommandContext
    ) throws {
        guard !options.json else {
            let object: JSON = .object([
                "gateway": .text(gateway), "state": "adopted", "installation": .text(installation),
            ])
            return try context.output.line(object.text)
        }
        let next =
            isConfigured
            ? "'blekeep poll' begins within a minute, or when you start it"
            : "write 'gateway: \(gateway)' into its configuration"
        try context.output.line("this machine is the gateway \(gateway) now; \(next)")
    }

    private static func isOnline(_ gateway: String) -> String {
        "the gateway \(gateway) is online; stop 'blekeep poll' on that machine first, or choose another name for this one"
    }

    /// - Throws: a failure when the machine of that name answers.
    private func check(_ gateway: String, at broker: FleetBroker) async throws {
        guard broker.view.gateway(gateway).isOnline == true else { return }
        // A gateway that reads this says that it is online.
        try await broker.publish { $0.doubt(gateway, $1) }
        let isDoubted = try await broker.wait(for: Self.patience) { $0.gateway(gateway).isOnline != true }
        let answers = try await broker.wait(for: Self.patience) { $0.gateway(gateway).isOnline == true }
        guard !isDoubted || answers else { return }
        throw Failure(.alreadyRunning, Self.isOnline(gateway))
    }
}

/// The broker of the configuration, with what it retains of the gateways.
private final class FleetBroker {
    private let visitor: Box
    private let watch: FleetWatch
    private let context: CommandContext
    /// Opens when something happened.
    private let changed: Gate
    /// Called after each change.
    var onChange: (() -> Void)?

    /// - Parameter mayBeDatabase: whether gateways that say what they do in a database will do, where there is no fleet at a
    ///   broker.
    /// - Throws: `Failure` without a broker or a fleet in the configuration, or when the broker can't be reached.
    init(_ context: CommandContext, needsFleet: Bool, mayBeDatabase: Bool = false) async throws {
        guard let configuration = try context.validConfiguration() else { throw Failure.noConfiguration }
        let (sinks, devices) = (configuration.sinks, configuration.poll.devices)
        self.context = context
        changed = Gate(context.loop)
        let (loop, environment) = (context.loop, context.environment)
        let box = Box()
        visitor = box
        if let mqtt = sinks.mqtt, !needsFleet || mqtt.fleet != nil {
            watch = FleetWatch(on: loop) {
                let visitor = ConfiguredSinks.visitor(mqtt, of: devices, on: loop, environment: environment)
                box.visitor = visitor
                return visitor
            }
            context.work = "waiting for \(mqtt.host):\(mqtt.port)"
        } else if mayBeDatabase, let postgres = sinks.postgres {
            let password = Credentials(environment: environment).reader(of: postgres.passwordFile)
            watch = FleetWatch(on: loop) {
                let fleet = PostgresFleet(postgres, devices: devices, on: loop, password: password)
                box.database = fleet
                return fleet
            }
            context.work = "waiting for \(postgres.name)"
        } else {
            throw Failure(
                .badConfiguration,
                needsFleet
                    ? "the configuration has no fleet: set `fleet` below `sinks: mqtt:`"
                        + (mayBeDatabase ? ", or `sinks: postgres:`" : "")
                    : "the configuration has no broker: set `url` below `sinks: mqtt:`")
        }
        context.onEnd = { [changed] in changed.open() }
        do { try await context.answer(of: { watch.start($0) }) } catch {
            watch.end()
            throw error
        }
        watch.onChange = { [unowned self] in
            self.changed.open()
            self.onChange?()
        }
        context.work = nil
    }

    /// The newest connection, to a broker or to a database.
    private final class Box {
        var visitor: MQTTVisitor?
        var database: PostgresFleet?
    }

    /// `nil` for a broker.
    var database: PostgresFleet? { visitor.database }

    /// - Throws: `Failure` for a database.
    func connection() throws -> MQTTVisitor {
        guard let visitor = visitor.visitor else {
            throw Failure(.badConfiguration, "the configuration has no broker: set `url` below `sinks: mqtt:`")
        }
        return visitor
    }

    var view: FleetView { watch.view }

    /// Why there is no connection; `nil` with one.
    var failure: String? { watch.failure.map { "\($0)" } }

    /// Connects again some time after the connection ended. Call it about once a second.
    func look() { watch.look() }

    func device(_ id: DeviceID) -> FleetView.Device? { view.devices.first { $0.id == id } }

    func isReading(_ id: DeviceID, at gateway: String) -> Bool {
        device(id).map { $0.state == .read && $0.reader?.gateway == gateway } ?? false
    }

    /// Returns a gateway that has a device's keys, when another one doesn't.
    func keyOwner(of id: DeviceID, except gateway: String) -> String? {
        guard let device = device(id) else { return nil }
        let owners = (device.others + [device.reader].compactMap(\.self)).filter { $0.report?.isBonded == true }
        return owners.contains { $0.gateway == gateway } ? nil : owners.first?.gateway
    }

    /// Publishes a message, and waits for its confirmation.
    func publish(_ body: (MQTTVisitor, @escaping (Result<Void, any Error>) -> Void) -> Void) async throws {
        let visitor = try connection()
        try await context.answer(of: { body(visitor, $0) })
    }

    func move(_ device: DeviceID, to gateway: String) async throws {
        try await context.answer(of: { watch.move(device, to: gateway, $0) })
    }

    /// Waits until the gateways say something, or for a time.
    ///
    /// - Returns: whether they said it.
    /// - Throws: `Failure` when the connection ended.
    @discardableResult
    func wait(for limit: Duration? = nil, until isSo: (FleetView) -> Bool) async throws -> Bool {
        let deadline = limit.map { context.loop.now + $0 } ?? .never
        while context.ending == nil {
            if isSo(view) { return true }
            if let failure { throw Failure(.allFailed, failure) }
            if context.loop.now >= deadline { return false }
            await changed.wait(until: deadline)
        }
        return false
    }

    /// Waits until the gateways say something, or for this time.
    func change(within limit: Duration) async { await changed.wait(until: context.loop.now + limit) }

    func end() { watch.end() }
}
