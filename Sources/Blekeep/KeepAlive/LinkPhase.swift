import DBus
import RunLoop

/// What is in progress with a device's connection, and what is valid only then.
enum LinkPhase: Sendable, Hashable {
    /// Nothing is in progress. Where the device is connected, another program has connected it.
    case released
    /// The device is connected by blekeep, and nothing is in progress.
    case held
    case connecting(Connecting)
    /// Waiting for another program's attempt to connect the device.
    case watching(until: Uptime)
    /// Waiting until BlueZ knows the services.
    case resolving(until: Uptime, isOurs: Bool)
    /// A poll of the device at this path is in progress.
    case polling(ObjectPath, isOurs: Bool)
    /// Until the device is disconnected, or as long as that may take. A connection that comes of a cancelled attempt
    /// isn't ours.
    case disconnecting(until: Uptime, isOurs: Bool)

    /// blekeep's own attempt to connect the device.
    struct Connecting: Sendable, Hashable {
        var until: Uptime
        /// Whether it began before a tick was due, for a connection to hold.
        let isAhead: Bool
        /// Whether BlueZ has accepted it. The device has yet to show as connected.
        var isAnswered = false
    }

    /// Whether nothing is in progress.
    @inline(__always) var isIdle: Bool {
        switch self {
        case .released, .held: true
        case .connecting, .watching, .resolving, .polling, .disconnecting: false
        }
    }

    @inline(__always) var isConnecting: Bool { if case .connecting = self { true } else { false } }
    @inline(__always) var isPolling: Bool { if case .polling = self { true } else { false } }
    @inline(__always) var isDisconnecting: Bool { if case .disconnecting = self { true } else { false } }

    /// Whether blekeep has made the connection, or is making it: only then may blekeep end it.
    var isOurs: Bool {
        switch self {
        case .released, .watching: false
        case .held, .connecting: true
        case .resolving(_, let isOurs), .polling(_, let isOurs), .disconnecting(_, let isOurs): isOurs
        }
    }

    /// When what is in progress has taken too long; `nil` where nothing is, or where it ends by itself.
    @inline(__always) var deadline: Uptime? {
        switch self {
        case .released, .held, .polling: nil
        case .connecting(let attempt): attempt.until
        case .watching(let until), .resolving(let until, _), .disconnecting(let until, _): until
        }
    }

    /// Whether the phase fits what BlueZ says of the device. That always holds between two steps of the keeper.
    func fits(isConnected: Bool) -> Bool {
        switch self {
        case .held, .resolving: isConnected
        case .connecting, .watching: !isConnected
        case .released, .polling, .disconnecting: true
        }
    }
}
