import DBus
internal import DequeModule

/// The devices that blekeep heard recently, up to 512. Many phones, or a program that invents addresses, can't fill the
/// memory.
struct RecentDevices: Sendable {
    static let maxDevices = 512

    private var queue = Deque<ObjectPath>()
    private var known: Set<ObjectPath> = []

    /// Adds a device.
    ///
    /// - Parameter isKept: whether a device is in use and must stay.
    /// - Returns: the devices to forget.
    mutating func add(_ path: ObjectPath, isKept: (ObjectPath) -> Bool) -> [ObjectPath] {
        guard known.insert(path).inserted else { return [] }
        queue.append(path)
        var leaving: [ObjectPath] = []
        var looks = queue.count
        while queue.count > Self.maxDevices, looks > 0, let oldest = queue.popFirst() {
            looks -= 1
            if isKept(oldest) {
                queue.append(oldest)
            } else {
                known.remove(oldest)
                leaving.append(oldest)
            }
        }
        return leaving
    }
}
