import DBus

/// Why a device was not paired: a stable reason for programs, a sentence for people.
public struct PairingError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Reason: String, Sendable, CaseIterable {
        /// The device asks for a passkey or PIN code, and none was given.
        case needsPasskey
        /// What was given is no passkey of six digits.
        case notAPasskey
        /// The device did not take the passkey.
        case wrongPasskey
        /// The device shows another number than the one that was given.
        case otherNumber
        /// A passkey was given, but the device pairs without one.
        case wantsNoPasskey
        /// A person has to compare numbers, and there is none.
        case needsUser
        /// The device pairs without a passkey or a comparison, and the configuration asks for one.
        case notAuthenticated
        /// The device, or the person, said no.
        case rejected
        /// The two did not come together; BlueZ says no more.
        case failed
        case cancelled
        case timedOut
        /// The link was lost, or could not be made.
        case link
        /// This device, or another one by the same program, is just being paired.
        case underWay
        case blocked
        /// BlueZ has keys for it, which it does not take any more.
        case bondLost
        /// BlueZ went away or refused.
        case noBluez
    }

    public let reason: Reason
    public let description: String

    package init(_ reason: Reason, _ detail: String? = nil) {
        self.reason = reason
        description = Self.sentence(reason) + (detail.map { " (\($0))" } ?? "")
    }

    /// - Parameters:
    ///   - error: what Pair was answered with.
    ///   - refusal: what our own agent has said no for.
    init(_ error: BusError, refusal: Reason?, passkeyGiven: Bool) {
        if let refusal {
            self.init(refusal)
            return
        }
        switch error {
        case .timedOut: self.init(.timedOut)
        case .vanished: self.init(.link, "BlueZ removed the device")
        case .disconnected, .unreachable: self.init(.noBluez, "\(error)")
        case .malformed: self.init(.failed, "\(error)")
        case .remote(let name, let message):
            let reason = Self.reasons[name] ?? .failed
            self.init(
                reason == .failed && passkeyGiven && name == Self.authenticationFailed ? .wrongPasskey : reason,
                message.isEmpty ? String(name.split(separator: ".").last ?? "") : message)
        }
    }

    private static let authenticationFailed = "org.bluez.Error.AuthenticationFailed"

    private static let reasons: [String: Reason] = [
        authenticationFailed: .failed,
        "org.bluez.Error.AuthenticationRejected": .rejected,
        "org.bluez.Error.AuthenticationCanceled": .cancelled,
        "org.bluez.Error.AuthenticationTimeout": .timedOut,
        "org.bluez.Error.ConnectionAttemptFailed": .link,
        "org.bluez.Error.InProgress": .underWay,
        "org.bluez.Error.NotReady": .noBluez,
        "org.freedesktop.DBus.Error.UnknownObject": .link,
        "org.freedesktop.DBus.Error.UnknownMethod": .link,
        "org.freedesktop.DBus.Error.NoReply": .noBluez,
        "org.freedesktop.DBus.Error.ServiceUnknown": .noBluez,
        "org.freedesktop.DBus.Error.AccessDenied": .noBluez,
    ]

    private static func sentence(_ reason: Reason) -> String {
        switch reason {
        case .needsPasskey: "the device asks for a passkey, and none was given"
        case .notAPasskey: "the device asks for a passkey of six digits, and what was given is none"
        case .wrongPasskey: "the device did not take the passkey: look at what it shows now, and try again"
        case .otherNumber: "the device shows another number than the one that was given"
        case .wantsNoPasskey: "the device pairs without a passkey, but one was given; pair without it to accept that"
        case .needsUser: "the device wants a person to compare two numbers"
        case .notAuthenticated:
            "the device pairs without a passkey or a comparison, but its configuration says security: authenticated; "
                + "say encrypted there to accept that"
        case .rejected: "the pairing was rejected: bring the device into its pairing mode, and try again"
        case .failed: "the pairing failed: bring the device into its pairing mode, and try again"
        case .cancelled: "the pairing was cancelled"
        case .timedOut: "the pairing took too long: bring the device into its pairing mode, and try again"
        case .link: "the link to the device was lost: bring it nearer, and try again"
        case .underWay: "a pairing is under way already: wait until it has ended, and try again"
        case .blocked: "the device is blocked: unblock it in BlueZ first"
        case .bondLost: "BlueZ has keys for the device which it does not take any more: forget it, and pair it again"
        case .noBluez: "BlueZ went away or refused: try again"
        }
    }
}
