/// The options of a pairing.
public struct PairingOptions: Sendable {
    /// The passkey or PIN code; `nil` to ask the user, if the device needs one.
    public var secret: PairingSecret?
    /// The capability to report to the device; `nil` for the one that suits the secret.
    public var capability: PairingCapability?
    /// Whether the device may then connect by itself. BlueZ: `Device1.Trusted`.
    public var trusts = true
    /// Whether to refuse a pairing without a passkey, a PIN code or a comparison.
    public var mustAuthenticate = false
    /// How long the pairing may take, with the user's answers; at most ``longest``.
    public var limit: Duration = Self.longest

    /// The longest time for a pairing: 130 s.
    public static let longest: Duration = .seconds(130)

    /// Creates options; without arguments for a device that needs no secret, or with the user's help.
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
