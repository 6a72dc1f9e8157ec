import Blekeep
import BlekeepSimulation
import DBus
import RunLoop

/// Watches everything that a keeper asks of BlueZ, and what BlueZ says; `WitnessStore` watches what is kept.
final class Witness: @unchecked Sendable {
    let loop: RunLoop
    private unowned let world: World
    /// What may hurt others.
    private(set) var repairs: RepairRules
    private(set) var violations: [Violation] = []
    /// Of everything seen, in order: the same seed gives the same.
    private(set) var trace: UInt64 = 0xCBF2_9CE4_8422_2325
    /// Whether the store takes nothing.
    var isFull = false
    lazy var kept = WitnessStore(self)

    private var connectedSince: [ObjectPath: Uptime] = [:]
    private var asked: Set<ObjectPath> = []
    /// Links of our devices that came up without us.
    private var foreign: Set<ObjectPath> = []
    private var discovering: Set<ObjectPath> = []
    private var reading: Set<BluetoothAddress> = []
    /// The links that we have asked to end and that have not, and since when.
    private var ending: [BluetoothAddress: Uptime] = [:]
    private var removed: [ObjectPath: Uptime] = [:]
    private weak var bus: (any Bus)?
    /// Whether the keeper has no snapshot yet on its connection: it can't know what is gone.
    private var isBlind = false
    private var bluez: BusName?
    private var ownerGone: Uptime?
    private var attempts = Attempts()
    private var log = LogRate()
    /// The attempts that have not come to a link yet.
    private var open: Set<ObjectPath> = []
    private var unresolved: [ObjectPath: Uptime] = [:]
    private var vainReads = VainReads()
    private var fullRadio = FullRadio()
    /// When the machine last slept, or bluetoothd last hung or was not there: then more is done, and given up, than usual.
    private var disturbance = Uptime.start
    /// Whether it does so at this moment.
    var isRestless: () -> Bool = { false }
    /// Whether the machine is about to sleep, or the keeper to end: then everything is let go.
    var isLettingGo: () -> Bool = { false }
    /// Called with every call to BlueZ.
    var onCall: ((MethodCall) -> Void)?

    init(_ loop: RunLoop, _ world: World, allowing steps: Set<RecoveryStep>) {
        self.loop = loop
        self.world = world
        repairs = RepairRules(steps)
    }

    func violate(_ invariant: Invariant, _ what: String) {
        // One of a kind tells enough; thousands would only take time.
        guard violations.count < 100 else { return }
        violations.append(Violation(invariant: invariant, moment: loop.now.sinceStart, what: what))
    }

    /// Mixes what happened, and when, into the trace (FNV-1a).
    func note(_ octets: Span<UInt8>) {
        var mixed = (trace ^ UInt64(bitPattern: loop.now.nanoseconds)) &* 0x100_0000_01B3
        for place in octets.indices { mixed = (mixed ^ UInt64(octets[place])) &* 0x100_0000_01B3 }
        trace = mixed
    }

    func note(_ text: String) { note(text.utf8Span.span) }

    // MARK: Calls

    func began(_ call: MethodCall) {
        if call.destination == SystemdManager.service { repaired(.restart) }
        guard call.destination == Bluez.service else { return }
        note(call.path.text)
        note(call.member.text)
        onCall?(call)
        checkGeneration(call)
        switch (call.interface, call.member) {
        case (Device1.name, Device1.connect.name), (BearerLE1.name, BearerLE1.connect.name):
            if let device = BluetoothAddress(device: call.path) { checkEnding(call, of: device) }
            beganConnect(call.path)
        case (Device1.name, Device1.disconnect.name): disconnects(call.path)
        case (GattCharacteristic1.name, GattCharacteristic1.readValue.name):
            guard let device = BluetoothAddress(device: call.path) else { break }
            if !reading.insert(device).inserted { violate(.oneRead, "a second read on \(device)") }
            if let what = vainReads.began(device, at: loop.now) { violate(.sparse, what) }
            checkEnding(call, of: device)
        case (Adapter1.name, Adapter1.startDiscovery.name):
            if let path = attempts.underWay(through: call.path) {
                violate(.noOverlap, "discovery begins while \(path) connects")
            }
            discovering.insert(call.path)
        case (Adapter1.name, Adapter1.removeDevice.name):
            repaired(.remove(call.arguments.first.flatMap { ObjectPath($0) } ?? call.path))
        case (PropertiesInterface.name, PropertiesInterface.set.name): repaired(.setting(call))
        default: break
        }
    }

    private func repaired(_ act: RepairRules.Act) {
        // A moment is allowed: a link may come up while the call is on its way.
        let foreign = world.connected(for: .seconds(1)).filter { !asked.contains($0) }
        let isPaired = if case .remove(let path) = act { world.isPaired(path) } else { false }
        let flaw = repairs.take(act, at: loop.now, links: foreign, isPaired: isPaired, isHung: world.isHung)
        if let flaw { violate(.doNoHarm, flaw) }
    }

    /// A moment is allowed: what is on its way crosses what is coming.
    private func checkGeneration(_ call: MethodCall) {
        if !isBlind, let gone = removed[call.path], loop.now - gone > .seconds(1) {
            violate(.noStale, "\(call.member) on \(call.path), which went \(loop.now - gone) ago")
        }
        if let ownerGone, loop.now - ownerGone > .seconds(1) {
            violate(.noStale, "\(call.member) on \(call.path), while there is no bluetoothd")
        }
    }

    func ended(_ call: MethodCall, begun: Uptime, _ result: Result<[Value], BusError>) {
        if loop.now - begun > call.within + .seconds(1), loop.timeAsleep == .zero {
            violate(.bounded, "\(call.member) on \(call.path) took \(loop.now - begun)")
        }
        switch (call.interface, call.member) {
        case (Device1.name, Device1.connect.name), (BearerLE1.name, BearerLE1.connect.name):
            attempts.answered(call.path, begun: begun, at: loop.now)
        case (GattCharacteristic1.name, GattCharacteristic1.readValue.name):
            guard let device = BluetoothAddress(device: call.path) else { return }
            reading.remove(device)
            if case .success = result { vainReads.succeeded(device) } else { vainReads.failed(device, at: loop.now) }
            if case .success(let values) = result, let octets = values.first.flatMap({ [UInt8]($0) }) {
                kept.sent(octets, by: device, isRead: true)
                attempts.wellRead(call.path)
            }
        case (Adapter1.name, Adapter1.startDiscovery.name):
            if case .failure = result { discovering.remove(call.path) }
        case (Adapter1.name, Adapter1.stopDiscovery.name): discovering.remove(call.path)
        case (ObjectManager.name, _): if case .success = result { isBlind = false }
        default: break
        }
    }

    /// The keeper waits for half a second at least, whatever it knows of the link.
    private func checkEnding(_ call: MethodCall, of device: BluetoothAddress) {
        if let since = ending[device], loop.now - since < .milliseconds(400) {
            violate(.patient, "\(call.member) on \(call.path), whose link is being ended")
        }
    }

    private func beganConnect(_ path: ObjectPath) {
        let real = world.reality(of: path)
        guard let adapter = path.parent, real.exists else { return }
        if let other = attempts.underWay(through: adapter) {
            violate(.noOverlap, "\(path) connects while \(other) does")
        }
        if discovering.contains(adapter) { violate(.noOverlap, "\(path) connects during discovery") }
        if let since = connectedSince[path], loop.now - since > .seconds(1), real.isConnected {
            violate(.noSpoof, "\(path) is connected and is to be connected again")
        }
        let isFull = world.isFull { $0.isAt(orBelow: adapter) && (!asked.contains($0) || foreign.contains($0)) }
        if let what = fullRadio.asked(adapter, isFull: isFull, at: loop.now) { violate(.sparse, what) }
        asked.insert(path)
        open.insert(path)
        // What is asked of a radio that has just gone off is refused.
        if let what = attempts.began(path, through: real.isOn ? adapter : nil, at: loop.now) { violate(.sparse, what) }
    }

    private func disconnects(_ path: ObjectPath) {
        // Of a bluetoothd that has just died no link is left to end.
        if !asked.contains(path), ownerGone == nil { violate(.doNoHarm, "somebody else's link to \(path) is ended") }
        if foreign.contains(path), let since = connectedSince[path], loop.now - since > .seconds(1) {
            violate(.doNoHarm, "a link to \(path) that somebody else made is ended")
        }
        if let device = BluetoothAddress(device: path), reading.contains(device), !isLettingGo() {
            violate(.patient, "the link to \(path) is ended in the middle of a read")
        }
        if attempts.isMistaken(path, at: loop.now) {
            violate(.noStale, "an attempt to connect \(path) is given up as an older one was answered")
        }
        if let begun = attempts.begun(path), loop.now - begun < .milliseconds(900),
            loop.now - disturbance > .seconds(3), !isRestless(), !world.isHung, repairs.allowed.isEmpty
        {
            violate(.patient, "an attempt to connect \(path) is given up after \(loop.now - begun)")
        }
        attempts.over(path)
        if connectedSince[path] != nil, let device = BluetoothAddress(device: path) { ending[device] = loop.now }
    }

    // MARK: Waits

    /// The machine sleeps, or bluetoothd hangs or is not there.
    func disturbed() {
        disturbance = loop.now
        vainReads.excuseAll()
    }

    /// An attempt is given up that comes to nothing, and a link of ours whose services are not there in time.
    func checkWaits() {
        for what in attempts.endless(since: disturbance, at: loop.now) { violate(.bounded, what) }
        for (path, since) in unresolved.sorted(by: { $0.key < $1.key })
        where loop.now - max(since, disturbance) > .seconds(60) {
            guard asked.contains(path), !foreign.contains(path),
                BluetoothAddress(device: path).map({ ending[$0] == nil }) ?? false
            else { continue }
            unresolved[path] = nil
            violate(.bounded, "the services of \(path) are waited for since \(since)")
        }
    }

    // MARK: Signals

    func saw(_ event: ServiceEvent) {
        switch event {
        case .owner(let owner):
            if owner != bluez { forget() }
            bluez = owner
            ownerGone = owner == nil ? loop.now : nil
        case .signal(let signal) where signal.member == PropertiesInterface.propertiesChanged.name: saw(signal)
        case .signal(let signal) where signal.member == ObjectManager.interfacesRemoved.name:
            guard signal.arguments.count == 2, let path = ObjectPath(signal.arguments[0]),
                case .array(_, let interfaces) = signal.arguments[1], interfaces != [Battery1.name.text.value]
            else { return }
            removed[path] = loop.now
            if interfaces.contains(Device1.name.text.value) || interfaces.contains(Adapter1.name.text.value) {
                down(path)
            }
        case .signal(let signal) where signal.member == ObjectManager.interfacesAdded.name:
            guard let path = signal.arguments.first.flatMap({ ObjectPath($0) }) else { return }
            removed[path] = nil
            if !vainReads.isEmpty, let device = BluetoothAddress(device: path) { vainReads.excuse(device) }
        case .signal: break
        }
    }

    private func saw(_ signal: Signal) {
        guard signal.arguments.count == 3, case .dictionary(_, _, let changed) = signal.arguments[1] else { return }
        for property in changed {
            guard case .string(let name) = property.key, case .variant(let content) = property.value else { continue }
            switch (name, content) {
            case ("Connected", .boolean(true)): up(signal.path)
            case ("Connected", .boolean(false)): down(signal.path)
            case ("ServicesResolved", .boolean(true)): unresolved[signal.path] = nil
            case ("ServicesResolved", .boolean(false)) where connectedSince[signal.path] != nil:
                unresolved[signal.path] = loop.now
            case ("RSSI", _): if let device = BluetoothAddress(device: signal.path) { vainReads.excuse(device) }
            case ("Powered", .boolean(false)):
                // Nothing goes on in a radio that is off, whether its calls are answered or not.
                discovering.remove(signal.path)
                attempts.over(through: signal.path)
                fullRadio.forget()
            case ("Value", .bytes(let octets)):
                if let device = BluetoothAddress(device: signal.path) { kept.sent(octets, by: device, isRead: false) }
            default: break
            }
        }
    }

    private func up(_ path: ObjectPath) {
        if let device = BluetoothAddress(device: path) { ending[device] = nil }
        // An attempt of ours that ended badly may still come to a link.
        let isLate =
            open.remove(path) != nil && attempts.last(path).map { loop.now - $0 < .seconds(30) } ?? false
        unresolved[path] = loop.now
        if connectedSince[path] == nil, attempts.begun(path) == nil, !isLate { foreign.insert(path) }
        connectedSince[path] = loop.now
        attempts.over(path)
    }

    private func down(_ path: ObjectPath) {
        if let device = BluetoothAddress(device: path) { ending[device] = nil }
        connectedSince[path] = nil
        foreign.remove(path)
        attempts.over(path)
        unresolved[path] = nil
        discovering.remove(path)
    }

    /// Reports to the keeper that replies were lost.
    func press(_ pressure: ReplyPressure) { bus?.onPressure?(pressure) }

    /// The keeper has a new connection: what belonged to the old one has ended.
    func connected(to bus: any Bus) {
        self.bus = bus
        isBlind = true
        discovering = []
        reading = []
    }

    /// BlueZ is another one: nothing from before counts.
    func forget() {
        attempts.allOver()
        connectedSince = [:]
        asked = []
        open = []
        unresolved = [:]
        foreign = []
        discovering = []
        reading = []
        ending = [:]
        removed = [:]
        ownerGone = nil
        fullRadio.forget()
    }

    /// A line that a person would see.
    func logged() {
        if let what = log.logged(at: loop.now) { violate(.quiet, what) }
    }
}
