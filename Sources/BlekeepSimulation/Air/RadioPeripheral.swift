import BlekeepRecords
import RunLoop

/// The state of a peripheral: its behavior, its written values, and its connection.
package final class RadioPeripheral {
    package let model: SimulatedPeripheral
    var behavior: PeripheralBehavior
    var random: SplitMix64
    /// Whether it is away, in its nap.
    var isAway = false
    /// Its name, which may change.
    var name: String
    /// The offset of its handles after new firmware.
    var handleShift = 0
    /// Whether its time has begun.
    var hasBegun = false
    /// The adapters whose keys it has.
    private var bonds: Set<ObjectIdentifier> = []
    /// The number of scan requests that it answered so far: one for each advertisement that an active scan heard.
    package private(set) var scanRequests = 0
    /// The number of connections so far.
    private(set) var connections = 0
    weak var link: PeripheralLink? { didSet { if link != nil { connections += 1 } } }
    private var written: [Int: [UInt8]] = [:]
    /// The number of written values that it answered.
    private var requests = 0

    init(_ model: SimulatedPeripheral, seed: UInt64) {
        self.model = model
        behavior = model.behavior
        name = model.name
        random = SplitMix64(seed: seed ^ model.address.bits)
    }

    /// Its services as UUID texts, advertised and actual.
    var advertised: [String] { model.advertised.map(\.full) }
    var services: [String] {
        Set([BluetoothUUID(0x1800), BluetoothUUID(0x1801)] + model.services.map(\.uuid)).sorted().map(\.full)
    }

    /// It advertised for so long while an adapter scanned actively.
    func answeredScan(for length: Duration) { scanRequests += max(1, Int(length / model.advertisingInterval)) }

    package var isConnected: Bool { link != nil }
    /// Whether machines near it can hear it.
    var isInRange: Bool { behavior.isInRange && !isAway }

    /// The current address for unpaired machines.
    func address(at now: Uptime) -> BluetoothAddress {
        guard let privacy = model.privacy else { return model.address }
        let turn = UInt64(max(0, now.sinceStart.components.seconds / max(1, privacy.components.seconds)))
        var random = SplitMix64(seed: model.address.bits &+ turn &* 0x9E37_79B9)
        // The two highest bits are the kind of the address.
        let bits = (0..<6).reduce(UInt64(0)) { bits, place in
            let byte = random.next() & 0xFF
            return bits << 8 | (place == 0 ? byte & 0x3F | 0x40 : byte)
        }
        return BluetoothAddress(bits: bits)
    }

    func broadcast(at now: Uptime) -> SimulatedBroadcast { model.data(at: now.sinceStart) }

    /// The name in its advertisement now; `nil` when that comes without.
    var advertisedName: String? { behavior.hidesName ? nil : name }

    // MARK: Keys

    func hasBond(with radio: Radio) -> Bool { bonds.contains(ObjectIdentifier(radio)) }

    func bond(with radio: Radio) { bonds.insert(ObjectIdentifier(radio)) }

    func loseBonds() { bonds = [] }

    // MARK: Values

    /// Returns a characteristic's value: the last written one, or the model's.
    func value(of place: GattPlace, at moment: Duration) -> [UInt8] {
        if !written.isEmpty, let value = written[place.handle] { return value }
        return place.characteristic.value(moment)
    }

    func write(_ value: [UInt8], to place: GattPlace) { written[place.handle] = value }

    /// Returns its answers to a written value, as they arrive; `nil` when it just holds values.
    func answers(to value: [UInt8], at characteristic: BluetoothUUID) -> [SimulatedAnswer]? {
        guard let answers = model.answers else { return nil }
        var usual = answers(value, characteristic)
        guard !usual.isEmpty else { return [] }
        requests += 1
        guard let answering = behavior.answering, requests.isMultiple(of: answering.every) else { return usual }
        switch answering.fault {
        case .lost: return []
        case .twice: return usual + usual.map { $0.delayed(by: .milliseconds(200)) }
        case .late(let delay): return usual.map { $0.delayed(by: delay) }
        case .damaged:
            if let last = usual.indices.last, !usual[last].bytes.isEmpty { usual[last].bytes[0] ^= 0x10 }
            return usual
        }
    }
}
