import DBus

/// A failed pairing: a stable reason for programs, and a sentence for users.
public struct PairingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failed pairing.
    public enum Reason: String, Sendable, CaseIterable {
        /// The device asks for a passkey or PIN code, and none was given.
        case needsPasskey = "needs_passkey"
        /// The secret isn't a passkey of six digits.
        case invalidPasskey = "invalid_passkey"
        /// The device refused the passkey.
        case wrongPasskey = "wrong_passkey"
        /// The device shows a different number than the given passkey.
        case numberMismatch = "number_mismatch"
        /// A passkey was given, but the device pairs without one.
        case passkeyNotNeeded = "passkey_not_needed"
        /// A user must compare two numbers, and none can answer.
        case needsUser = "needs_user"
        /// The device pairs without a passkey or a comparison, but `mustAuthenticate` is set.
        case notAuthenticated = "not_authenticated"
        /// The device or the user refused.
        case rejected
        /// BlueZ reports a failure without a reason.
        case failed
        /// The pairing was cancelled.
        case cancelled
        /// The pairing took too long.
        case timedOut = "timed_out"
        /// The connection failed, or ended.
        case link
        /// This program pairs a device already, or another program pairs this device.
        case inProgress = "in_progress"
        /// The device is blocked in BlueZ.
        case blocked
        /// BlueZ has keys for the device, but the device refuses them.
        case bondLost = "bond_lost"
        /// BlueZ stopped or refused.
        case noBluez = "no_bluez"
    }

    /// The kind of the failure, for programs.
    public let reason: Reason
    /// A sentence for users, with what to do.
    public let description: String

    package init(_ reason: Reason, _ detail: String? = nil) {
        self.init(reason: reason, Self.sentence(reason) + (detail.map { " (\($0))" } ?? ""))
    }

    private init(reason: Reason, _ description: String) { (self.reason, self.description) = (reason, description) }

    /// Converts the error of `Pair`.
    ///
    /// - Parameters:
    ///   - error: BlueZ's error.
    ///   - refusal: the reason for which blekeep's own agent refused.
    ///   - passkeyGiven: whether the device got a passkey.
    init(_ error: BusError, refusal: Reason?, passkeyGiven: Bool) {
        if let refusal {
            self.init(reason: refusal, Self.sentence(ofUser: refusal))
            return
        }
        switch error {
        case .timedOut: self.init(.timedOut)
        case .vanished: self.init(.link, "BlueZ removed the device")
        case .disconnected, .unreachable, .forbidden: self.init(.noBluez, "\(error)")
        case .malformed: self.init(.failed, "\(error)")
        case .remote(let name, _):
            guard Remedy(error) != .denied else {
                self.init(reason: .noBluez, BluetoothError.denied.description)
                return
            }
            let reason = Self.reasons[name] ?? .failed
            self.init(
                reason == .failed && passkeyGiven && name == Self.authenticationFailed ? .wrongPasskey : reason,
                error.description)
        }
    }

    private static let authenticationFailed = "org.bluez.Error.AuthenticationFailed"

    private static let reasons: [String: Reason] = [
        authenticationFailed: .failed,
        "org.bluez.Error.AuthenticationRejected": .rejected,
        "org.bluez.Error.AuthenticationCanceled": .cancelled,
        "org.bluez.Error.AuthenticationTimeout": .timedOut,
        "org.bluez.Error.ConnectionAttemptFailed": .link,
        "org.bluez.Error.InProgress": .inProgress,
        "org.bluez.Error.NotReady": .noBluez,
        "org.freedesktop.DBus.Error.UnknownObject": .link,
        "org.freedesktop.DBus.Error.UnknownMethod": .link,
        "org.freedesktop.DBus.Error.NoReply": .noBluez,
        "org.freedesktop.DBus.Error.ServiceUnknown": .noBluez,
        "org.freedesktop.DBus.Error.AccessDenied": .noBluez,
    ]

    /// Returns the sentence for a refusal that didn't come from the device.
    private static func sentence(ofUser refusal: Reason) -> String {
        refusal == .rejected
            ? "the user refused, so the device isn't paired: try again, and answer yes" : sentence(refusal)
    }

    private static func sentence(_ reason: Reason) -> String {
        switch reason {
        case .needsPasskey: "the device asks for a passkey, and none was given"
        case .invalidPasskey:
            "the device asks for a passkey of six digits, such as 012345, and the given one isn't that: try again"
        case .wrongPasskey: "the device refused the passkey: read the one that it shows now, and try again"
        case .numberMismatch: "the device shows a different number than the given passkey"
        case .passkeyNotNeeded: "the device pairs without a passkey, but one was given; pair without it to accept that"
        case .needsUser: "the device asks a user to compare two numbers"
        case .notAuthenticated:
            "the device pairs without a passkey or a comparison, but its configuration says security: authenticated; "
                + "to accept that, change it to encrypted"
        case .rejected: "the pairing was rejected: bring the device into its pairing mode, and try again"
        case .failed: "the pairing failed: bring the device into its pairing mode, and try again"
        case .cancelled: "the pairing was cancelled"
        case .timedOut: "the pairing took too long: bring the device into its pairing mode, and try again"
        case .link: "the connection to the device ended: bring it nearer, and try again"
        case .inProgress: "another pairing is in progress: wait until it ends, and try again"
        case .blocked: "the device is blocked: unblock it in BlueZ first"
        case .bondLost: "the device refuses BlueZ's keys for it: forget it, and pair it again"
        case .noBluez: "BlueZ stopped or refused: try again"
        }
    }
}
