import Blekeep
import BlekeepSimulation
import DBus
import RunLoop

/// Observes all calls of a poller to BlueZ, and all signals of BlueZ. `WitnessStore` observes the stored readings.
final class Witness: @unchecked Sendable {
    let loop: RunLoop
    private unowned let world: World
    private var rules: WitnessRules
    private(set) var violations: [Violation] = []
    private(set) var digest = Digest()
    /// Whether the store fails.
    var isFull = false
    lazy var kept = WitnessStore(self)
    var disturbance = Disturbance()
    private weak var bus: WitnessBus?
    private var bluez: BusName?
    /// Called with every event, for a person who looks for the cause of a violation.
    var onEvent: ((Duration, String) -> Void)?
    /// Called with every call to BlueZ.
    var onCall: ((MethodCall) -> Void)?
    /// The rules of new configurations; `nil` when the configuration stays.
    private(set) var configured: ConfigurationRules?

    init(_ loop: RunLoop, _ world: World, allowing steps: Set<RecoveryStep>) {
        self.loop = loop
        self.world = world
        rules = WitnessRules(allowing: steps)
    }

    /// When the poller learned last who owns BlueZ's name: a connection to the bus began then, or bluetoothd did.
    private(set) var ownerAt = Uptime.start
    /// When the poller was killed, and when its next run began.
    private(set) var deaths: [(begin: Uptime, end: Uptime)] = []

    /// The number of repairs.
    var repairs: Int { rules.repairs.acts }

    func violate(_ invariant: Invariant, _ what: String) {
        // Few violations of a kind are enough; thousands would take time.
        guard violations.count < 100 else { return }
        onEvent?(loop.now.sinceStart, "violation: \(invariant.rawValue): \(what)")
        violations.append(Violation(invariant: invariant, moment: loop.now.sinceStart, what: what))
    }

    private func violate(_ invariant: Invariant, _ flaws: [String]) { for what in flaws { violate(invariant, what) } }

    private func violate(_ invariant: Invariant, _ flaw: String?) { if let flaw { violate(invariant, flaw) } }

    /// Adds an event and its time to the digest.
    func note(_ bytes: Span<UInt8>, in part: Digest.Part) { digest.note(bytes, in: part, at: loop.now) }

    func note(_ text: String, in part: Digest.Part) {
        onEvent?(loop.now.sinceStart, "\(part): \(text)")
        digest.note(text, in: part, at: loop.now)
    }

    // MARK: Configurations

    /// The poller got a configuration, in the middle of its run or at its start.
    func configured(_ configuration: PollConfiguration) {
        onEvent?(
            loop.now.sinceStart,
            "configured: " + configuration.devices.map { "\($0.name) \($0.mode.rawValue)" }.joined(separator: ", "))
        var new = configured ?? ConfigurationRules(slots: world.scenario.adapters.map(\.maxConnections).reduce(0, +))
        for device in new.apply(configuration, at: loop.now, isReading: rules.reads.isReading) {
            rules.reconfigured(device)
        }
        configured = new
    }

    /// Takes a stored reading.
    func stored(_ reading: Reading) {
        violate(.reconfigured, configured?.flaw(of: reading))
        // The device gives something, by itself or through BlueZ.
        if case .value = reading.outcome { rules.vainReads.succeeded(reading.address) }
    }

    // MARK: Calls

    func began(_ call: MethodCall) {
        note("\(call.destination) \(call.path.text) \(call.member.text)", in: .calls)
        if call.destination == SystemdManager.service { repaired(.restart) }
        guard call.destination == Bluez.service else { return }
        onCall?(call)
        violate(.noStale, rules.gone.flaws(of: call.member, on: call.path, at: loop.now))
        switch (call.interface, call.member) {
        case (Device1.name, Device1.connect.name), (BearerLE1.name, BearerLE1.connect.name):
            violate(.patient, rules.endings.flaw(of: call.member, on: call.path, at: loop.now))
            meant(call)
            beganConnect(call.path)
        case (Device1.name, Device1.disconnect.name): disconnects(call.path)
        case (GattCharacteristic1.name, GattCharacteristic1.readValue.name):
            guard let device = BluetoothAddress(device: call.path) else { break }
            meant(call)
            violate(.oneRead, rules.reads.begins(device))
            violate(.sparse, rules.vainReads.began(device, at: loop.now))
            violate(.patient, rules.endings.flaw(of: call.member, on: call.path, at: loop.now))
        case (Adapter1.name, Adapter1.startDiscovery.name):
            let connecting = rules.attempts.inProgress(through: call.path)
            violate(.noOverlap, rules.discoveries.begins(on: call.path, connecting: connecting))
        case (Adapter1.name, Adapter1.removeDevice.name):
            repaired(.remove(call.arguments.first.flatMap { ObjectPath($0) } ?? call.path))
        case (PropertiesInterface.name, PropertiesInterface.set.name): repaired(.setting(call))
        default: break
        }
    }

    /// Checks that the call's device is configured for it.
    private func meant(_ call: MethodCall) {
        guard let configured, let device = BluetoothAddress(device: call.path) else { return }
        violate(.reconfigured, configured.flaw(of: call.member.text, on: device, at: loop.now))
    }

    private func repaired(_ act: RepairRules.Act) {
        // Allow a short time, because a connection may come up while the call is in transit.
        let foreign = world.connected(for: .seconds(1)).filter { !rules.links.isAsked($0) }
        let isPaired = if case .remove(let path) = act { world.isPaired(path) } else { false }
        let flaw = rules.repairs.take(act, at: loop.now, links: foreign, isPaired: isPaired, isHung: world.isHung)
        violate(.doNoHarm, flaw)
    }

    func ended(_ call: MethodCall, begun: Uptime, _ result: Result<[Value], BusError>) {
        if case .failure(let error) = result {
            onEvent?(loop.now.sinceStart, "error: \(call.path.text) \(call.member.text): \(error)")
        }
        if loop.now - begun > call.within + .seconds(1), loop.timeAsleep == .zero {
            violate(.bounded, "\(call.member) on \(call.path) took \(loop.now - begun)")
        }
        switch (call.interface, call.member) {
        case (Device1.name, Device1.connect.name), (BearerLE1.name, BearerLE1.connect.name):
            rules.attempts.answered(call.path, begun: begun, at: loop.now)
            if case .failure(let error) = result {
                if LinkOwners.isRefusal(error) { rules.links.refused(call.path, begun: begun) }
                if error.description.contains("connection-limit") { configured?.refusedAsFull(at: loop.now) }
            }
        case (GattCharacteristic1.name, GattCharacteristic1.readValue.name):
            guard let device = BluetoothAddress(device: call.path) else { return }
            rules.reads.over(device)
            let isOrphan = configured?.readEnded(device) ?? false
            guard case .success(let values) = result else { return rules.vainReads.failed(device, at: loop.now) }
            rules.vainReads.succeeded(device)
            if let bytes = values.first.flatMap({ [UInt8]($0) }) {
                kept.sent(bytes, by: device, isRead: !isOrphan)
                rules.attempts.wellRead(call.path)
            }
        case (Adapter1.name, Adapter1.startDiscovery.name):
            if case .failure = result { rules.discoveries.over(on: call.path) }
        case (Adapter1.name, Adapter1.stopDiscovery.name): rules.discoveries.over(on: call.path)
        case (ObjectManager.name, _):
            if case .success(let values) = result { rules.sawSnapshot(values, at: loop.now) }
        default: break
        }
    }

    private func beganConnect(_ path: ObjectPath) {
        let real = world.reality(of: path)
        guard let adapter = path.parent, real.exists else { return }
        if let device = BluetoothAddress(device: path), let flaw = kept.unclaimed(device) { violate(.claim, flaw) }
        let other = rules.attempts.inProgress(through: adapter)
        violate(.noOverlap, rules.discoveries.flaws(connecting: path, through: adapter, beside: other))
        let isFull = world.isFull { $0.isAt(orBelow: adapter) && !rules.links.isOurs($0) }
        violate(.noSpoof, rules.links.connects(path, isReallyUp: real.isConnected, at: loop.now))
        violate(.sparse, rules.fullRadio.attempt(adapter, isFull: isFull, at: loop.now))
        // An adapter that was just turned off refuses calls.
        violate(.sparse, rules.attempts.began(path, through: real.isOn ? adapter : nil, at: loop.now))
    }

    private func disconnects(_ path: ObjectPath) {
        let isThere = rules.gone.isServiceThere
        violate(.doNoHarm, rules.links.disconnects(path, isServiceThere: isThere, at: loop.now))
        let isFresh = BluetoothAddress(device: path).flatMap { configured?.isFresh($0, at: loop.now) } ?? false
        if let device = BluetoothAddress(device: path), rules.reads.isReading(device), !isFresh,
            !disturbance.isLettingGo()
        {
            violate(.patient, "the link to \(path) is ended in the middle of a read")
        }
        if let configured, let device = BluetoothAddress(device: path), rules.links.isOurs(path),
            disturbance.isOver(at: loop.now)
        {
            let foreign = world.connected(for: .zero).count { !rules.links.isOurs($0) }
            violate(.reconfigured, configured.disconnects(device, beside: foreign, at: loop.now))
        }
        if rules.attempts.isMistaken(path, at: loop.now) {
            violate(.noStale, "an attempt to connect \(path) is given up as an older one was answered")
        }
        if disturbance.isOver(at: loop.now), !isFresh, !world.isHung, rules.repairs.allowed.isEmpty {
            violate(.patient, rules.attempts.haste(path, at: loop.now))
        }
        rules.attempts.over(path)
        if rules.links.isUp(path) { rules.endings.began(path, at: loop.now) }
    }

    // MARK: Waits

    /// Notes a sleep, or a hanging or missing bluetoothd.
    func disturbed() {
        disturbance.happened(at: loop.now)
        rules.vainReads.excuseAll()
    }

    /// Checks that the poller gives up attempts and connections without services in time.
    func checkWaits() {
        violate(.bounded, rules.attempts.endless(since: disturbance.last, at: loop.now))
        let (links, endings) = (rules.links, rules.endings)
        if let configured {
            let own = links.up.filter { links.isSurelyOurs($0) && !world.isZombie($0) }
                .compactMap { BluetoothAddress(device: $0) }
            violate(.reconfigured, configured.leftovers(among: own, since: disturbance.last, at: loop.now))
        }
        violate(
            .bounded,
            rules.services.endless(since: disturbance.last, at: loop.now) { path in
                links.isOurs(path) && BluetoothAddress(device: path).map { !endings.isEnding($0) } ?? false
            })
    }

    // MARK: Signals

    func saw(_ event: ServiceEvent) {
        switch event {
        case .owner(let owner):
            ownerAt = loop.now
            onEvent?(loop.now.sinceStart, "bluez: owner \(owner?.text ?? "none")")
            if owner != bluez { rules.forget(isGone: owner == nil) }
            bluez = owner
            rules.gone.service(isThere: owner != nil, at: loop.now)
        case .signal(let signal):
            for (path, news) in BluezNews.read(signal) where isPossible(news, of: path) {
                if news != .heard { onEvent?(loop.now.sinceStart, "bluez: \(path.text) \(news)") }
                rules.take(news, of: path, at: loop.now)
                if case .value(let bytes) = news, let device = BluetoothAddress(device: path) {
                    kept.sent(bytes, by: device, isRead: false)
                }
            }
        }
    }

    /// Whether news can be true. The witness hears what the poller hears, and isn't fooled when the poller is.
    private func isPossible(_ news: BluezNews, of path: ObjectPath) -> Bool {
        switch news {
        case .connected(false): !world.connected(for: .milliseconds(1)).contains(path)
        case .removed(isLost: true): !world.reality(of: path).exists
        default: true
        }
    }

    // MARK: The poller

    /// Reports to the poller that replies were lost.
    func press(_ pressure: ReplyPressure) { bus?.onPressure?(pressure) }

    /// The poller was killed.
    func killed() {
        bus?.kill()
        deaths.append((loop.now, .never))
        disturbed()
    }

    /// Another run of the poller begins. It inherits only connections of its devices, and ends the others.
    func newRun(with configuration: PollConfiguration) {
        let claimed = kept.claimed.intersection(configuration.devices.map(\.address))
        let strays = kept.claimed.subtracting(claimed)
        rules.newRun(
            claiming: claimed, strays: strays, connected: Set(world.connected(for: .zero)), at: loop.now)
        configured?.newRun()
        if let last = deaths.indices.last { deaths[last].end = min(deaths[last].end, loop.now) }
        kept.excuse()
    }

    /// Takes a new connection of the poller.
    func connected(to bus: WitnessBus) {
        self.bus = bus
        rules.connected()
    }

    /// Takes a line of the log.
    func logged(_ line: String) {
        onEvent?(loop.now.sinceStart, "log: \(line)")
        violate(.quiet, rules.log.logged(at: loop.now))
    }
}
