/// The reason why a call has no usable reply.
package enum BusError: Error, Sendable, Hashable {
    /// The called program, or the bus daemon, replied with an error.
    case remote(name: String, message: String)
    /// No reply before the call's deadline.
    case timedOut
    /// The connection to the bus was lost.
    case disconnected
    /// The object was removed during the call.
    case vanished
    /// The reply has another type than the interface specifies, or is too large.
    case malformed(String)
    /// Connecting failed, for the reason in the sentence.
    case unreachable(String)
    /// Connecting is forbidden to this user, with a sentence.
    case forbidden(String)
}

extension BusError {
    /// The most bytes of what a program says of an error. It may be stored with each reading, logged, shown and sent.
    package static let maxText = 1000

    /// Returns the beginning of what a program says, which may be a whole message of the bus.
    static func text(_ words: String) -> String {
        guard words.utf8.count > maxText else { return words }
        return String(words.unicodeScalars[..<words.utf8.index(words.startIndex, offsetBy: maxText - 3)]) + "…"
    }
}

extension BusError: CustomStringConvertible {
    /// What happened, for users. The bus daemon's own words are only in `detail`.
    package var description: String {
        switch self {
        case .remote(let name, let message): Self.words(name, message)
        case .timedOut: "no answer in time"
        case .disconnected: "the connection to the message bus was lost"
        case .vanished: "the object went away"
        case .malformed(let what): "malformed answer: \(what)"
        case .unreachable(let why), .forbidden(let why): why
        }
    }

    /// The D-Bus name of the error, also of errors that never were on a bus.
    package var name: String {
        switch self {
        case .remote(let name, _): name
        case .timedOut: "org.freedesktop.DBus.Error.Timeout"
        case .disconnected, .unreachable: "org.freedesktop.DBus.Error.Disconnected"
        case .vanished: "org.freedesktop.DBus.Error.UnknownObject"
        case .malformed: "org.freedesktop.DBus.Error.InvalidSignature"
        case .forbidden: "org.freedesktop.DBus.Error.AccessDenied"
        }
    }

    /// The error as the bus has it, for people who know D-Bus.
    package var detail: String {
        guard case .remote(let name, let message) = self else { return description }
        return message.isEmpty ? name : "\(name): \(message)"
    }

    private static let standard = "org.freedesktop.DBus.Error."

    /// A program's own words, or a sentence about an error that any program, or the bus daemon, may reply with.
    private static func words(_ name: String, _ message: String) -> String {
        let last = name.split(separator: ".").last.map(String.init) ?? name
        guard name.hasPrefix(standard) else { return message.isEmpty ? last : message }
        return switch name.dropFirst(standard.count) {
        case "AccessDenied", "AuthFailed", "InteractiveAuthorizationRequired": "this user has no permission"
        case "ServiceUnknown", "NameHasNoOwner": "the program isn't running"
        case "NoReply", "Timeout", "TimedOut": BusError.timedOut.description
        case "Disconnected", "NoServer": BusError.disconnected.description
        case "UnknownObject": BusError.vanished.description
        case "UnknownMethod", "UnknownInterface", "UnknownProperty", "NotSupported":
            "the program doesn't know this call"
        case "InvalidArgs", "InvalidSignature": "the program refused the arguments"
        case "LimitsExceeded": "too many calls at a time"
        case "NoMemory": "there is not enough memory"
        case let cause where cause.hasPrefix("Spawn."): "the message bus can't start the program"
        default: "the message bus reported \(last)"
        }
    }
}
