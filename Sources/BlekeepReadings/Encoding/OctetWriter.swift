/// Puts a value together from its first octet on: the reverse of `OctetReader`.
struct OctetWriter {
    private(set) var octets: [UInt8] = []
    let endian: Endian
    /// Bits of the last octet that are taken; 0 when it is full.
    private var bitsTaken = 0

    init(endian: Endian = .little) {
        self.endian = endian
    }

    /// The low `width` bits (up to 64).
    mutating func append(_ value: UInt64, bits width: Int) {
        for place in 0..<width {
            if bitsTaken == 0 { octets.append(0) }
            let bit = UInt64(endian == .little ? place : width - 1 - place)
            let room = endian == .little ? bitsTaken : 7 - bitsTaken
            if value >> bit & 1 == 1 { octets[octets.count - 1] |= 1 << UInt8(room) }
            bitsTaken = (bitsTaken + 1) % 8
        }
    }

    /// Whole octets, from the next one on.
    mutating func append(_ more: some Sequence<UInt8>) {
        bitsTaken = 0
        octets += more
    }
}
