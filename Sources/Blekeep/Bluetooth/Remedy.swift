import DBus

/// What an error asks of us.
package enum Remedy: String, Sendable, Hashable {
    /// Try again soon, and then less and less often.
    case retry
    /// Wait longer before trying again: somebody else has the device, or it wants to be left alone.
    case backOff
    /// Nothing will help until something changes that we will be told of.
    case wait
    /// Our object is gone: look for the device again.
    case rediscover
    /// What we wanted is already so.
    case adopt
    /// The link is gone or cannot be trusted: end it and make a new one.
    case relink
    /// This one characteristic cannot be had; the others can.
    case point
    /// Only a person can help: this one characteristic needs pairing.
    case pairing
}

extension Remedy {
    /// - Parameter error: what a call to BlueZ was answered with. Names alone decide where the text is the bus
    ///   daemon's own; anything unknown is transient.
    init(_ error: BusError) {
        switch error {
        case .remote(let name, let message): self = Self.remote(name, message)
        case .timedOut: self = .relink
        case .disconnected, .unreachable: self = .wait
        case .vanished: self = .rediscover
        case .malformed: self = .point
        }
    }

    private static func remote(_ name: String, _ message: String) -> Remedy {
        if let byMessage = texts[name]?.first(where: { message.hasPrefix($0.prefix) }) { return byMessage.remedy }
        return names[name] ?? .retry
    }

    private static let texts: [String: [(prefix: String, remedy: Remedy)]] = [
        "org.bluez.Error.Failed": [
            ("Not connected", .relink),
            ("Operation failed with ATT error: 0x0e", .relink),
            ("Operation failed with ATT error: 0x01", .point),
            ("Operation failed with ATT error: 0x02", .point),
            ("Operation failed with ATT error: 0x03", .point),
            ("Operation failed with ATT error: 0x05", .pairing),
            ("Operation failed with ATT error: 0x0c", .pairing),
            ("Operation failed with ATT error: 0x0f", .pairing),
            ("Operation failed with ATT error", .point),
            ("Operation failed", .relink),
            ("Failed to send read request", .relink),
            ("Failed to initiate write", .relink),
            ("Failed to subscribe", .relink),
            ("No ATT transport", .relink),
            ("No discovery started", .adopt),
            ("Not Powered", .wait),
            ("Powering down", .wait),
            ("Operation already in progress", .backOff),
            ("br-connection-canceled", .backOff),
        ],
        "org.bluez.Error.NotPermitted": [
            ("Not paired", .pairing)
        ],
    ]

    private static let names: [String: Remedy] = [
        "org.bluez.Error.AlreadyConnected": .adopt,
        "org.bluez.Error.AlreadyExists": .adopt,
        "org.bluez.Error.NotConnected": .relink,
        "org.bluez.Error.DoesNotExist": .rediscover,
        "org.bluez.Error.InProgress": .backOff,
        "org.bluez.Error.NotReady": .wait,
        "org.bluez.Error.NotPermitted": .point,
        "org.bluez.Error.NotSupported": .point,
        "org.bluez.Error.InvalidArguments": .point,
        "org.bluez.Error.NotAuthorized": .pairing,
        "org.bluez.Error.AuthenticationFailed": .pairing,
        "org.bluez.Error.AuthenticationRejected": .pairing,
        "org.freedesktop.DBus.Error.UnknownObject": .rediscover,
        "org.freedesktop.DBus.Error.UnknownMethod": .rediscover,
        "org.freedesktop.DBus.Error.UnknownInterface": .rediscover,
        "org.freedesktop.DBus.Error.NoReply": .wait,
        "org.freedesktop.DBus.Error.ServiceUnknown": .wait,
        "org.freedesktop.DBus.Error.NameHasNoOwner": .wait,
        "org.freedesktop.DBus.Error.Disconnected": .wait,
        "org.freedesktop.DBus.Error.AccessDenied": .wait,
    ]
}
