/// The 128-bit key that a device encrypts its advertisements with. Printing or dumping it doesn't show its bytes.
public struct AdvertisementKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    /// Creates a key from 16 bytes, or from the 12 bytes of MiBeacon's versions 2 and 3; `nil` for any other number of
    /// bytes.
    public init?(_ bytes: [UInt8]) {
        switch bytes.count {
        case 16: self.bytes = bytes
        case 12: self.bytes = bytes.prefix(6) + MiBeacon.middleOfOldKeys + bytes.suffix(6)
        default: return nil
        }
    }

    /// Reads 32 hexadecimal digits, or 24 for MiBeacon's versions 2 and 3; `nil` for other text.
    public init?(hex text: some StringProtocol) {
        guard let bytes = [UInt8](hex: text) else { return nil }
        self.init(bytes)
    }

    /// The words `a key`, never the bytes.
    public var description: String { "a key" }
    /// An empty mirror, so that `dump` doesn't show the bytes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
