/// Why a call has no reply that can be used.
package enum BusError: Error, Sendable, Hashable {
    /// The other side, or the bus daemon, answered with an error.
    case remote(name: String, message: String)
    /// No answer within the call's own deadline.
    case timedOut
    /// The connection to the bus is gone.
    case disconnected
    /// The object went away while the call was under way.
    case vanished
    /// The answer was not of the form that the interface promises, or larger than we take.
    case malformed(String)
    /// There is no connection to be had; the sentence says why.
    case unreachable(String)
}

extension BusError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .remote(let name, let message): message.isEmpty ? name : "\(name): \(message)"
        case .timedOut: "no answer in time"
        case .disconnected: "the connection to the message bus was lost"
        case .vanished: "the object went away"
        case .malformed(let what): "malformed answer: \(what)"
        case .unreachable(let why): why
        }
    }

    /// The D-Bus name of the error, also for those that never were on a bus.
    package var name: String {
        switch self {
        case .remote(let name, _): name
        case .timedOut: "org.freedesktop.DBus.Error.Timeout"
        case .disconnected, .unreachable: "org.freedesktop.DBus.Error.Disconnected"
        case .vanished: "org.freedesktop.DBus.Error.UnknownObject"
        case .malformed: "org.freedesktop.DBus.Error.InvalidSignature"
        }
    }
}
