import DBus
internal import DequeModule

/// The devices that were heard of late, so many at most: a street full of phones, or somebody who makes addresses up,
/// must not fill the memory.
struct RecentDevices: Sendable {
    static let most = 512

    private var queue = Deque<ObjectPath>()
    private var known: Set<ObjectPath> = []

    /// Takes in one more.
    ///
    /// - Parameter isKept: whether a device is in use and stays.
    /// - Returns: who has to leave.
    mutating func add(_ path: ObjectPath, isKept: (ObjectPath) -> Bool) -> [ObjectPath] {
        guard known.insert(path).inserted else { return [] }
        queue.append(path)
        var leaving: [ObjectPath] = []
        var looks = queue.count
        while queue.count > Self.most, looks > 0, let oldest = queue.popFirst() {
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
