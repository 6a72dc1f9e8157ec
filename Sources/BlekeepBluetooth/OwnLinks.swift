import DBus

/// The connections that a central made for its users.
///
/// The last user of such a connection ends it. A connection that existed before stays.
struct OwnLinks {
    private var users: [ObjectPath: Int] = [:]
    /// The devices that were released. BlueZ takes 2 s to disconnect them.
    private(set) var released: Set<ObjectPath> = []

    var paths: [ObjectPath] { users.keys.sorted() }

    func contains(_ path: ObjectPath) -> Bool { users[path] != nil }

    /// Adds a user of the connection to a device. `leave` must follow if this returns `true`.
    ///
    /// - Parameter isConnected: whether the device is connected already.
    /// - Returns: whether the connection belongs to the central.
    mutating func use(_ path: ObjectPath, isConnected: Bool) -> Bool {
        guard !isConnected || users[path] != nil else { return false }
        users[path, default: 0] += 1
        return true
    }

    /// Removes a user.
    ///
    /// - Returns: whether it was the last user, so that the connection must end.
    mutating func leave(_ path: ObjectPath) -> Bool {
        guard let count = users[path] else { return false }
        users[path] = count > 1 ? count - 1 : nil
        guard count == 1 else { return false }
        released.insert(path)
        return true
    }
}
