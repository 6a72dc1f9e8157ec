import Blekeep
import BlekeepConfiguration
import BlekeepSimulation
import RunLoop

/// The configurations that the poller of a seed gets, one after the other. Pure.
struct ChangingConfiguration: Sendable {
    /// The seed's own, which all its lives end with.
    let first: PollConfiguration
    /// A device that comes and goes, and that takes the place of others.
    let guest: DeviceConfiguration?
    private(set) var current: PollConfiguration

    /// A change that a user makes.
    private enum Change: CaseIterable {
        case remove, removeTwo, bringBack, bringAllBack, interval, mode, characteristics, alias, order, limit, replace
        case inviteGuest
    }

    private static let fewest = 3

    init(_ first: PollConfiguration, guest: DeviceConfiguration?) {
        self.first = first
        self.guest = guest
        current = first
    }

    private var missing: [DeviceConfiguration] {
        first.devices.filter { device in !current.devices.contains { $0.address == device.address } }
    }

    /// Makes one random change.
    mutating func change(using random: inout SplitMix64) {
        switch Change.allCases.randomElement(using: &random) {
        case .remove: remove(1, using: &random)
        case .removeTwo: remove(2, using: &random)
        case .bringBack:
            if let device = missing.randomElement(using: &random) { bringBack(device.address, using: &random) }
        case .bringAllBack: for device in missing { bringBack(device.address, using: &random) }
        case .interval:
            let interval = first.interval * Int.random(in: 1...3, using: &random) / 2
            vary(using: &random) { device, _ in device.interval = max(interval, .seconds(15)) }
        case .mode:
            vary(using: &random) { device, random in
                // A recipe needs a connection.
                let all: [LinkMode] =
                    device.recipe == nil ? [.auto, .hold, .release, .heard, .passive] : [.auto, .hold, .release]
                device.mode = all.randomElement(using: &random) ?? .auto
            }
        case .characteristics:
            vary(using: &random) { device, random in
                if device.recipe != nil { return }
                let some: [UInt16] = [[], [0x2A6E], [0x2A6F, 0x2A19]].randomElement(using: &random) ?? []
                device.characteristics = some.map { CharacteristicConfiguration(characteristic: BluetoothUUID($0)) }
            }
        case .alias: vary(using: &random) { device, _ in device.alias = "\(device.alias ?? "")'" }
        case .order: current.devices.shuffle(using: &random)
        case .limit: current.maxLinks = Int.random(in: 3...12, using: &random)
        case .replace: replace(using: &random)
        case .inviteGuest: invite(using: &random)
        case nil: break
        }
    }

    private mutating func vary(
        using random: inout SplitMix64, _ change: (inout DeviceConfiguration, inout SplitMix64) -> Void
    ) {
        let places = current.devices.indices.filter { current.devices[$0].mode != .passive || !isListener($0) }
        if let place = places.randomElement(using: &random) { change(&current.devices[place], &random) }
    }

    /// Whether a device can't be connected: it was passive from the start.
    private func isListener(_ place: Int) -> Bool {
        first.devices.contains { $0.address == current.devices[place].address && $0.mode == .passive }
    }

    private mutating func remove(_ count: Int, using random: inout SplitMix64) {
        for _ in 0..<count where current.devices.count > Self.fewest {
            current.devices.remove(at: Int.random(in: current.devices.indices, using: &random))
        }
    }

    /// Removes a device, if enough others stay.
    mutating func remove(_ address: BluetoothAddress) {
        if current.devices.count > Self.fewest { current.devices.removeAll { $0.address == address } }
    }

    /// Adds a device that was removed, as it was in the beginning, somewhere in the list.
    mutating func bringBack(_ address: BluetoothAddress, using random: inout SplitMix64) {
        guard let device = missing.first(where: { $0.address == address }) else { return }
        // The guest may have its ID.
        current.devices.removeAll { $0.id == device.id }
        current.devices.insert(device, at: Int.random(in: 0...current.devices.count, using: &random))
    }

    /// Lets the guest take the place of a device, with its ID.
    private mutating func replace(using random: inout SplitMix64) {
        guard var guest, !current.devices.contains(where: { $0.address == guest.address }),
            let place = current.devices.indices.filter({ !isListener($0) && current.devices[$0].recipe == nil })
                .randomElement(using: &random)
        else { return }
        guest.ownID = current.devices[place].id
        current.devices[place] = guest
    }

    /// Adds the guest, or removes it.
    mutating func invite(using random: inout SplitMix64) {
        guard let guest else { return }
        if current.devices.contains(where: { $0.address == guest.address }) { return remove(guest.address) }
        current.devices.insert(guest, at: Int.random(in: 0...current.devices.count, using: &random))
    }

    /// Returns to the first devices, in another order.
    mutating func restore(using random: inout SplitMix64) {
        current = first
        current.devices.shuffle(using: &random)
    }
}
