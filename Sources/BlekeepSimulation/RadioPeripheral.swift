import Blekeep
import RunLoop

/// A peripheral in the air: how it behaves just now, what was written to it, and the connection that it is in.
final class RadioPeripheral {
    let model: SimulatedPeripheral
    var conduct: Conduct
    var random: SplitMix64
    /// Whether it is in the away part of its nap.
    var isAway = false
    /// Whether it has keys for us.
    var hasBond = false
    weak var link: Link?
    private var written: [Int: [UInt8]] = [:]

    init(_ model: SimulatedPeripheral, seed: UInt64) {
        self.model = model
        conduct = model.conduct
        random = SplitMix64(seed: seed ^ model.address.bits)
    }

    var isInRange: Bool { conduct.isInRange && !isAway }
    var isAdvertising: Bool { isInRange && link == nil }

    /// The changing part of an advertisement now.
    func broadcast(at now: Uptime) -> SimulatedBroadcast { model.broadcast?(now.sinceStart) ?? SimulatedBroadcast() }

    /// The signal strength of one advertisement.
    func heardStrength() -> Int16 {
        let noise = Int16.random(in: -3...3, using: &random)
        return max(-127, min(20, model.rssi + noise))
    }

    /// What a characteristic holds: what was written last, or else what the model says.
    func value(of place: GattPlace, at moment: Duration) -> [UInt8] {
        written[place.handle] ?? place.characteristic.value(moment)
    }

    func write(_ value: [UInt8], to place: GattPlace) { written[place.handle] = value }
}
