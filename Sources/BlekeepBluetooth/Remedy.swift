import DBus

/// What an error asks of us. `RemedyTable` says which error asks for which.
package enum Remedy: String, Sendable, Hashable, CaseIterable {
    /// Try again soon, and then less and less often.
    case retry
    /// Somebody ended our attempt, or wants the device, too: once more soon, then leave it alone for a while.
    case backOff
    /// An attempt that is not ours is under way: watch what becomes of it.
    case watch
    /// Nothing will help until something changes that we will be told of.
    case wait
    /// Our object is gone: look for the device again.
    case rediscover
    /// What we wanted is already so.
    case adopt
    /// The link is gone or cannot be trusted: end it and make a new one.
    case relink
    /// This one characteristic could not be had this time; the others can.
    case point
    /// This one characteristic can never be had as it is asked for.
    case unsupported
    /// The device no longer is what BlueZ remembers of it.
    case stale
    /// Only a person can help: this one characteristic needs pairing.
    case pairing
    /// Only a person can help: one side has lost the keys of the pairing.
    case rebond
    /// The wrong kind of radio was tried: ask for Low Energy.
    case bearer
    /// The radio holds as many links as it can.
    case slots
    /// Only a person can help: the system forbids it.
    case denied
    /// Only a person can help: the device, or the radio, is blocked.
    case blocked
    /// We ask for too much at a time.
    case shed
}

extension Remedy {
    /// - Parameter error: what a call to BlueZ was answered with.
    package init(_ error: BusError) {
        switch error {
        case .remote(let name, let message): self = RemedyTable.remedy(for: name, message)
        case .timedOut: self = .relink
        case .disconnected, .unreachable: self = .wait
        case .vanished: self = .rediscover
        case .malformed: self = .point
        }
    }

    /// Whether only a person can help.
    package var needsUser: Bool {
        switch self {
        case .pairing, .rebond, .denied, .blocked: true
        default: false
        }
    }
}
