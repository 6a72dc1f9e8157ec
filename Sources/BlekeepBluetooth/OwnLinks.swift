import DBus

/// The connections that a central made for its users. The last user of such a connection ends it; a connection that was
/// there before stays.
struct OwnLinks {
    private var users: [ObjectPath: Int] = [:]
    /// The devices whose connections were ended here: BlueZ takes 2 s for that.
    private(set) var released: Set<ObjectPath> = []

    var paths: [ObjectPath] { users.keys.sorted() }

    func contains(_ path: ObjectPath) -> Bool { users[path] != nil }

    /// Takes in a user of the connection to a device. `leave` must follow if this returns `true`.
    ///
    /// - Parameter isConnected: whether the device is connected already.
    /// - Returns: whether the connection is the central's own, to be made now or made for another user.
    mutating func use(_ path: ObjectPath, isConnected: Bool) -> Bool {
        guard !isConnected || users[path] != nil else { return false }
        users[path, default: 0] += 1
        return true
    }

    /// - Returns: whether this was the last user, so that the connection is to be ended.
    mutating func leave(_ path: ObjectPath) -> Bool {
        guard let count = users[path] else { return false }
        users[path] = count > 1 ? count - 1 : nil
        guard count == 1 else { return false }
        released.insert(path)
        return true
    }
}
