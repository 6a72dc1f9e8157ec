import DBus

/// A link on which a device is polled, as BlueZ shows it.
struct PollLink {
    let bus: any Bus
    let mirror: ObjectMirror
    let device: ObjectPath

    var isUp: Bool { mirror.tree[device, Device1.connected] == true }
    var isPaired: Bool { mirror.tree[device, Device1.paired] ?? false }

    /// What BlueZ itself has read of the battery, in percent.
    var battery: UInt8? { isUp ? mirror.tree[device, Battery1.percentage].flatMap { $0 <= 100 ? $0 : nil } : nil }
}
