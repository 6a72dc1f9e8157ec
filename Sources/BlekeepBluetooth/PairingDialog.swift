/// Decides how to answer the questions of a pairing. A pure value.
///
/// It sends a secret once: a device that asks again found it wrong. With a secret, it refuses a pairing without passkey,
/// which would be weaker than the user expects.
package struct PairingDialog: Sendable {
    package enum Step: Sendable, Hashable {
        case reply(PairingAnswer)
        case ask
        /// Show the request to the user.
        case show
        case refuse(PairingError.Reason)
    }

    private let secret: PairingSecret?
    private let hasUser: Bool
    private let mustAuthenticate: Bool
    /// Whether the pairing included a passkey, a PIN code or a comparison.
    package private(set) var isAuthenticated = false
    /// Whether the device asked for the secret. Otherwise the secret doesn't protect the pairing.
    package private(set) var isSecretUsed = false

    /// - Parameters:
    ///   - secret: the passkey or PIN code, if it is known beforehand.
    ///   - hasUser: whether a user can answer questions.
    ///   - mustAuthenticate: whether to refuse a pairing without a passkey, a PIN code or a comparison.
    package init(secret: PairingSecret?, hasUser: Bool, mustAuthenticate: Bool = false) {
        self.secret = secret
        self.hasUser = hasUser
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
            guard let secret else { return hasUser ? .ask : .refuse(.needsPasskey) }
            guard let passkey = secret.passkey else { return .refuse(.invalidPasskey) }
            return use(.passkey(passkey))
        case .enterPinCode:
            guard let secret else { return hasUser ? .ask : .refuse(.needsPasskey) }
            return use(.pinCode(secret.text))
        case .confirm(let number):
            if let secret { return secret.passkey == number ? use(.accept) : .refuse(.numberMismatch) }
            return hasUser ? .ask : .refuse(.needsUser)
        case .authorize where mustAuthenticate && secret == nil: return .refuse(.notAuthenticated)
        case .authorize: return secret == nil ? .reply(.accept) : .refuse(.passkeyNotNeeded)
        case .authorizeService: return .reply(.accept)
        case .showPasskey, .showPinCode: return .show
        }
    }

    private mutating func use(_ answer: PairingAnswer) -> Step {
        guard !isSecretUsed else { return .refuse(.wrongPasskey) }
        isSecretUsed = true
        return .reply(answer)
    }
}
