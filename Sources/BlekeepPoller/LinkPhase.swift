import DBus
import RunLoop

/// The phase of blekeep's work with a device's connection.
enum LinkPhase: Sendable, Hashable {
    /// No work, and no connection of blekeep's. Another program may have connected the device.
    case released
    /// blekeep's connection is open, without work.
    case held
    case connecting(Connecting)
    /// Waiting for another program's attempt to connect the device.
    case watching(until: Uptime)
    /// Waiting until BlueZ knows the services.
    case resolving(until: Uptime, isOwn: Bool)
    /// A poll of the device at this path is in progress.
    case polling(ObjectPath, isOwn: Bool)
    /// Waiting until the device is disconnected. A cancelled attempt isn't blekeep's own.
    case disconnecting(until: Uptime, isOwn: Bool)

    /// blekeep's own attempt to connect the device.
    struct Connecting: Sendable, Hashable {
        var until: Uptime
        /// Whether it began before a tick was due, to hold the connection.
        let isAhead: Bool
        /// Whether BlueZ accepted it. The device isn't connected yet.
        var isAnswered = false
    }

    /// Whether no work is in progress.
    @inline(__always) var isIdle: Bool {
        switch self {
        case .released, .held: true
        case .connecting, .watching, .resolving, .polling, .disconnecting: false
        }
    }

    @inline(__always) var isConnecting: Bool { if case .connecting = self { true } else { false } }
    @inline(__always) var isPolling: Bool { if case .polling = self { true } else { false } }
    @inline(__always) var isDisconnecting: Bool { if case .disconnecting = self { true } else { false } }

    /// Whether blekeep made the connection, or is making it. blekeep ends only its own connections.
    var isOwn: Bool {
        switch self {
        case .released, .watching: false
        case .held, .connecting: true
        case .resolving(_, let isOwn), .polling(_, let isOwn), .disconnecting(_, let isOwn): isOwn
        }
    }

    /// The deadline of the phase; `nil` without one.
    @inline(__always) var deadline: Uptime? {
        switch self {
        case .released, .held, .polling: nil
        case .connecting(let attempt): attempt.until
        case .watching(let until), .resolving(let until, _), .disconnecting(let until, _): until
        }
    }

    /// Whether the phase matches the device's state in BlueZ. That always holds between two steps of the keeper.
    func fits(isConnected: Bool) -> Bool {
        switch self {
        case .held, .resolving: isConnected
        case .connecting, .watching: !isConnected
        case .released, .polling, .disconnecting: true
        }
    }
}
