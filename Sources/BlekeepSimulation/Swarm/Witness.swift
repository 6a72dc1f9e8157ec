import Blekeep
import DBus
import RunLoop

/// A promise of the keeper that must hold at every step.
package enum Invariant: String, Sendable, CaseIterable {
    /// At most one Connect under way on an adapter, and none while we discover.
    case noOverlap = "S1 no-overlap"
    /// At most one read under way on a link.
    case oneRead = "S2 one-read"
    /// Every call ends by its deadline.
    case bounded = "S3 bounded"
    /// A value was really sent by that characteristic, a moment ago.
    case truth = "S5 truth"
    /// Sequence numbers rise, and time does.
    case order = "S7 order"
    /// Nothing is ended that is not ours, and nothing destroyed.
    case doNoHarm = "S8 do-no-harm"
    /// What somebody else than BlueZ says changes nothing: what is connected is not connected again.
    case noSpoof = "S9 no-spoof"
    /// After everything is well again, every device is read again.
    case recover = "L1 recover"
}

package struct Violation: Sendable, Hashable, CustomStringConvertible {
    package var invariant: Invariant
    package var moment: Duration
    package var what: String

    package var description: String { "\(invariant.rawValue) at \(moment): \(what)" }
}

/// Watches everything that a keeper asks of BlueZ and everything that it keeps.
final class Witness: Store, @unchecked Sendable {
    private let loop: RunLoop
    /// Whether BlueZ has the device, and whether it has a link.
    private let reality: (ObjectPath) -> (exists: Bool, isConnected: Bool)
    private(set) var violations: [Violation] = []
    /// Of everything seen, in order: the same seed gives the same.
    private(set) var trace: UInt64 = 0xCBF2_9CE4_8422_2325
    /// When each device was last read well.
    private(set) var lastGood: [BluetoothAddress: Duration] = [:]
    private(set) var readings: Int64 = 0

    private var connecting: [ObjectPath: ObjectPath] = [:]
    private var connectedSince: [ObjectPath: Uptime] = [:]
    private var asked: Set<ObjectPath> = []
    private var discovering: Set<ObjectPath> = []
    private var reading: Set<BluetoothAddress> = []
    /// What each device has sent of late, whichever of its characteristics sent it.
    private var sent: [BluetoothAddress: [(moment: Uptime, octets: [UInt8])]] = [:]
    private var lastTime: Int64 = 0

    init(_ loop: RunLoop, reality: @escaping (ObjectPath) -> (exists: Bool, isConnected: Bool)) {
        self.loop = loop
        self.reality = reality
    }

    func violate(_ invariant: Invariant, _ what: String) {
        violations.append(Violation(invariant: invariant, moment: loop.now.sinceStart, what: what))
    }

    // MARK: Calls

    func began(_ call: MethodCall) {
        note(call.path.text.utf8)
        note(call.member.text.utf8)
        switch (call.interface, call.member) {
        case (Device1.name, Device1.connect.name): beganConnect(call.path)
        case (Device1.name, Device1.disconnect.name): disconnects(call.path)
        case (GattCharacteristic1.name, GattCharacteristic1.readValue.name):
            if let device = BluetoothAddress(device: call.path), !reading.insert(device).inserted {
                violate(.oneRead, "a second read on \(device)")
            }
        case (Adapter1.name, Adapter1.startDiscovery.name):
            if let path = connecting.first(where: { $0.value == call.path })?.key {
                violate(.noOverlap, "discovery begins while \(path) connects")
            }
            discovering.insert(call.path)
        case (Adapter1.name, Adapter1.removeDevice.name), (PropertiesInterface.name, PropertiesInterface.set.name):
            violate(.doNoHarm, "\(call.member) on \(call.path)")
        default: break
        }
    }

    func ended(_ call: MethodCall, begun: Uptime, _ result: Result<[Value], BusError>) {
        if loop.now - begun > call.within + .seconds(1) {
            violate(.bounded, "\(call.member) on \(call.path) took \(loop.now - begun)")
        }
        switch (call.interface, call.member) {
        case (Device1.name, Device1.connect.name): connecting[call.path] = nil
        case (GattCharacteristic1.name, GattCharacteristic1.readValue.name):
            if let device = BluetoothAddress(device: call.path) { reading.remove(device) }
            if case .success(let values) = result, let octets = values.first.flatMap({ [UInt8]($0) }) {
                remember(octets, of: call.path)
            }
        case (Adapter1.name, Adapter1.startDiscovery.name):
            if case .failure = result { discovering.remove(call.path) }
        case (Adapter1.name, Adapter1.stopDiscovery.name): discovering.remove(call.path)
        default: break
        }
    }

    private func beganConnect(_ path: ObjectPath) {
        let real = reality(path)
        guard let adapter = path.parent, real.exists else { return }
        if let other = connecting.first(where: { $0.value == adapter })?.key {
            violate(.noOverlap, "\(path) connects while \(other) does")
        }
        if discovering.contains(adapter) { violate(.noOverlap, "\(path) connects during discovery") }
        if let since = connectedSince[path], loop.now - since > .seconds(1), real.isConnected {
            violate(.noSpoof, "\(path) is connected and is to be connected again")
        }
        connecting[path] = adapter
        asked.insert(path)
    }

    private func disconnects(_ path: ObjectPath) {
        if !asked.contains(path) { violate(.doNoHarm, "somebody else's link to \(path) is ended") }
        connecting[path] = nil
    }

    // MARK: Signals

    func saw(_ event: ServiceEvent) {
        switch event {
        case .owner: forget()
        case .signal(let signal) where signal.member == PropertiesInterface.propertiesChanged.name: saw(signal)
        case .signal(let signal) where signal.member == ObjectManager.interfacesRemoved.name:
            if let path = signal.arguments.first.flatMap({ ObjectPath($0) }) { down(path) }
        case .signal: break
        }
    }

    private func saw(_ signal: Signal) {
        guard signal.arguments.count == 3, let changed = Properties(signal.arguments[1]) else { return }
        switch changed["Connected"].flatMap({ Bool($0.content) }) {
        case true?:
            connectedSince[signal.path] = loop.now
            connecting[signal.path] = nil
        case false?: down(signal.path)
        case nil: break
        }
        if changed["Powered"].flatMap({ Bool($0.content) }) == false { discovering.remove(signal.path) }
        if let octets = changed["Value"].flatMap({ [UInt8]($0.content) }) { remember(octets, of: signal.path) }
    }

    private func down(_ path: ObjectPath) {
        connectedSince[path] = nil
        connecting[path] = nil
        discovering.remove(path)
    }

    /// BlueZ is another one, or the bus: nothing from before counts.
    func forget() {
        connecting = [:]
        connectedSince = [:]
        asked = []
        discovering = []
        reading = []
    }

    private func remember(_ octets: [UInt8], of path: ObjectPath) {
        guard let address = BluetoothAddress(device: path) else { return }
        sent[address, default: []].append((loop.now, octets))
        if (sent[address]?.count ?? 0) > 64 { sent[address]?.removeFirst(32) }
    }

    // MARK: Readings

    func append(_ new: [Reading], durable: Bool) throws -> [StoredReading] {
        new.map { reading in
            readings += 1
            check(reading)
            return StoredReading(sequence: readings, reading: reading)
        }
    }

    private func check(_ reading: Reading) {
        note(reading.device.utf8)
        switch reading.outcome {
        case .value(_, let raw): note(raw)
        case .failure(let failure, _): note(failure.code.utf8)
        }
        if reading.time < lastTime { violate(.order, "\(reading.device) went back in time") }
        lastTime = reading.time
        guard case .value(_, let raw) = reading.outcome else { return }
        lastGood[reading.address] = loop.now.sinceStart
        let isTrue = sent[reading.address]?.contains { $0.octets == raw && loop.now - $0.moment < .seconds(40) }
        if isTrue != true { violate(.truth, "\(reading.device) never sent \(raw)") }
    }

    /// Mixes what happened, and when, into the trace (FNV-1a).
    private func note(_ text: some Sequence<UInt8>) {
        trace = (trace ^ UInt64(bitPattern: loop.now.nanoseconds)) &* 0x100_0000_01B3
        for octet in text { trace = (trace ^ UInt64(octet)) &* 0x100_0000_01B3 }
    }
}
