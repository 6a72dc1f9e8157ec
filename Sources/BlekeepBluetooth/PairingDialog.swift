/// Decides a pairing's questions from what a person gave beforehand. A pure value.
///
/// A secret is told once: a device that asks again has found it wrong, and does not get to guess. With a secret the
/// person expects a pairing that it protects: one without is refused, for it would be weaker than it looks.
package struct PairingDialog: Sendable {
    package enum Step: Sendable, Hashable {
        case reply(PairingAnswer)
        /// The person is to be asked.
        case ask
        /// The person is to be shown something; nothing is to be answered.
        case show
        /// No, and why.
        case refuse(PairingError.Reason)
    }

    private let secret: PairingSecret?
    private let isAttended: Bool
    private let mustAuthenticate: Bool
    /// Whether a passkey, a PIN code or a comparison was part of it.
    package private(set) var isAuthenticated = false
    /// Whether the device has asked for the secret: where it has not, the pairing is not protected by it.
    package private(set) var isSecretSpent = false

    /// - Parameters:
    ///   - secret: the passkey or PIN code; `nil` when there is none.
    ///   - isAttended: whether there is a person who can be asked.
    ///   - mustAuthenticate: whether a pairing without a passkey or a comparison is refused.
    package init(secret: PairingSecret?, isAttended: Bool, mustAuthenticate: Bool = false) {
        self.secret = secret
        self.isAttended = isAttended
        self.mustAuthenticate = mustAuthenticate
    }

    package mutating func step(_ request: PairingRequest) -> Step {
        switch request {
        case .authorize, .authorizeService: break
        case .enterPasskey, .enterPinCode, .confirm, .showPasskey, .showPinCode: isAuthenticated = true
        }
        return answer(request)
    }

    private mutating func answer(_ request: PairingRequest) -> Step {
        switch request {
        case .enterPasskey:
            guard let secret else { return isAttended ? .ask : .refuse(.needsPasskey) }
            guard let passkey = secret.passkey else { return .refuse(.notAPasskey) }
            return spend(.passkey(passkey))
        case .enterPinCode:
            guard let secret else { return isAttended ? .ask : .refuse(.needsPasskey) }
            return spend(.pinCode(secret.text))
        case .confirm(let number):
            if let secret { return secret.passkey == number ? spend(.accept) : .refuse(.otherNumber) }
            return isAttended ? .ask : .refuse(.needsUser)
        case .authorize where mustAuthenticate && secret == nil: return .refuse(.notAuthenticated)
        case .authorize: return secret == nil ? .reply(.accept) : .refuse(.wantsNoPasskey)
        case .authorizeService: return .reply(.accept)
        case .showPasskey, .showPinCode: return .show
        }
    }

    private mutating func spend(_ answer: PairingAnswer) -> Step {
        guard !isSecretSpent else { return .refuse(.wrongPasskey) }
        isSecretSpent = true
        return .reply(answer)
    }
}
