import DBus

/// What blekeep does about an error of BlueZ. `RemedyTable` has the remedy of each error.
package enum Remedy: String, Sendable, Hashable, CaseIterable {
    /// Try again soon, and then with growing pauses.
    case retry
    /// Another program ended the attempt, or uses the device. Try once more soon, and then pause for longer.
    case backOff = "back_off"
    /// Another program's attempt is in progress. Wait for its result.
    case watch
    /// Wait until a signal reports a change, because nothing else helps.
    case wait
    /// The device's object is gone. Search for the device again.
    case rediscover
    /// The requested state is already there. Continue.
    case adopt
    /// The connection ended or is unreliable. Disconnect and connect again.
    case relink
    /// This characteristic failed this time. Continue with the others.
    case point
    /// This characteristic never supports the request.
    case unsupported
    /// The device's services no longer match BlueZ's cache.
    case stale
    /// The characteristic needs pairing. Only the user can help.
    case pairing
    /// One side lost the keys of the pairing. Only the user can help.
    case rebond
    /// BlueZ tried classic Bluetooth. Ask for Low Energy.
    case bearer
    /// The adapter has no free slot for a connection.
    case slots
    /// The system forbids the request. Only the user can help.
    case denied
    /// The device or the adapter is blocked. Only the user can help.
    case blocked
    /// Too many requests at a time. Send fewer.
    case shed
}

extension Remedy {
    /// - Parameter error: the error of a call to BlueZ.
    package init(_ error: BusError) {
        switch error {
        case .remote(let name, let message): self = RemedyTable.remedy(for: name, message)
        case .timedOut: self = .relink
        case .disconnected, .unreachable, .forbidden: self = .wait
        case .vanished: self = .rediscover
        case .malformed: self = .point
        }
    }

    /// Whether only the user can help.
    package var needsUser: Bool {
        switch self {
        case .pairing, .rebond, .denied, .blocked: true
        default: false
        }
    }
}
