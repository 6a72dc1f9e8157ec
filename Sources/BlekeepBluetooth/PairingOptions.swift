/// How to pair.
public struct PairingOptions: Sendable {
    /// A passkey or PIN code that a person gave beforehand.
    public var secret: PairingSecret?
    /// `nil`: what suits the secret.
    public var capability: PairingCapability?
    /// Whether the device may then connect by itself.
    public var trusts = true
    /// Whether only a pairing with a passkey, a PIN code or a comparison will do.
    public var mustAuthenticate = false
    /// How long the pairing may take, the person's part included; 130 s at most.
    public var limit: Duration = Self.longest

    public static let longest: Duration = .seconds(130)

    public init(
        secret: PairingSecret? = nil, capability: PairingCapability? = nil, trusts: Bool = true,
        limit: Duration = Self.longest
    ) {
        self.secret = secret
        self.capability = capability
        self.trusts = trusts
        self.limit = min(limit, Self.longest)
    }
}
