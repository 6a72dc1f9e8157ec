/// The secret that a device encrypts its advertisements with: 128 bits. It never shows what it holds.
public struct AdvertisementKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    let octets: [UInt8]

    /// `nil` unless there are 16 octets.
    public init?(_ octets: [UInt8]) {
        guard octets.count == 16 else { return nil }
        self.octets = octets
    }

    /// Reads 32 hex digits. `nil` for anything else.
    public init?(hex text: some StringProtocol) {
        guard let octets = [UInt8](hex: text) else { return nil }
        self.init(octets)
    }

    public var description: String { "a key" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
