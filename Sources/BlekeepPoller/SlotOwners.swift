/// The devices of an adapter with a dedicated slot. At most two of the other devices share each remaining slot.
enum SlotOwners: Sendable, Hashable {
    case all
    case only(Set<DeviceIndex>)

    init(of devices: [LinkWorth], slots: Int) {
        let count = Self.count(of: devices.count, slots: slots)
        self = count >= devices.count ? .all : .only(count == 0 ? [] : Set(devices.sorted().prefix(count).map(\.id)))
    }

    /// Returns the number of devices with a dedicated slot.
    static func count(of devices: Int, slots: Int) -> Int {
        devices <= slots ? devices : max(0, 2 * slots - devices)
    }

    func contains(_ id: DeviceIndex) -> Bool {
        switch self {
        case .all: true
        case .only(let ids): ids.contains(id)
        }
    }
}
