/// Writes a value from its first byte to its last: the reverse of `ByteReader`.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []
    let endian: Endian
    /// The number of bits in use in the last byte; 0 when it is full.
    private var bitsTaken = 0

    init(endian: Endian = .little) { self.endian = endian }

    /// Appends the low `width` bits, up to 64.
    mutating func append(_ value: UInt64, bits width: Int) {
        for index in 0..<width {
            if bitsTaken == 0 { bytes.append(0) }
            let bit = UInt64(endian == .little ? index : width - 1 - index)
            let room = endian == .little ? bitsTaken : 7 - bitsTaken
            if value >> bit & 1 == 1 { bytes[bytes.count - 1] |= 1 << UInt8(room) }
            bitsTaken = (bitsTaken + 1) % 8
        }
    }

    /// Appends whole bytes, beginning with a new byte.
    mutating func append(_ more: some Sequence<UInt8>) {
        bitsTaken = 0
        bytes += more
    }
}
