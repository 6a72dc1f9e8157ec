/// The 128-bit key that a BTHome device encrypts its advertisements with. Printing or dumping it doesn't show its bytes.
public struct AdvertisementKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    /// Creates a key from 16 bytes; `nil` for any other number of bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Reads 32 hexadecimal digits; `nil` for other text.
    public init?(hex text: some StringProtocol) {
        guard let bytes = [UInt8](hex: text) else { return nil }
        self.init(bytes)
    }

    /// The words `a key`, never the bytes.
    public var description: String { "a key" }
    /// An empty mirror, so that `dump` doesn't show the bytes.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
