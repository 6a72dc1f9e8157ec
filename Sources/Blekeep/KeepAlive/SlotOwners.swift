/// The devices of an adapter that have a slot of their own: so many that no more than two of the others share each of the
/// remaining ones.
enum SlotOwners: Sendable, Hashable {
    case all
    case only(Set<DeviceID>)

    init(of devices: [LinkWorth], slots: Int) {
        let count = Self.count(of: devices.count, slots: slots)
        self = count >= devices.count ? .all : .only(count == 0 ? [] : Set(devices.sorted().prefix(count).map(\.id)))
    }

    /// How many there are.
    static func count(of devices: Int, slots: Int) -> Int {
        devices <= slots ? devices : max(0, 2 * slots - devices)
    }

    func contains(_ id: DeviceID) -> Bool {
        switch self {
        case .all: true
        case .only(let ids): ids.contains(id)
        }
    }
}
