/// Takes a value apart from its first octet on; numbers may start and end inside an octet.
///
/// Little endian, the first bit is the least significant one of the first octet; big endian, the most significant one.
struct OctetReader {
    private let octets: [UInt8]
    private let endian: Endian
    private var position = 0

    init(_ octets: [UInt8], endian: Endian = .little) {
        self.octets = octets
        self.endian = endian
    }

    /// Whether all octets were taken, the last one to its last bit.
    var isAtEnd: Bool { bitsLeft == 0 }

    private var bitsLeft: Int { octets.count * 8 - position }

    /// The first octet of which nothing was taken.
    private var nextOctet: Int { (position + 7) / 8 }

    /// The next `width` bits as a number. `width` is at most 56, or 64 on an octet's edge.
    mutating func unsigned(bits width: Int) throws(DecodeError) -> UInt64 {
        guard width <= bitsLeft else { throw .short }
        let end = position + width
        var bits: UInt64 = 0
        switch endian {
        case .little:
            var index = (end + 7) / 8
            while index > position / 8 {
                index -= 1
                bits = bits << 8 | UInt64(octets[index])
            }
            bits >>= UInt64(position % 8)
        case .big:
            for index in position / 8..<(end + 7) / 8 { bits = bits << 8 | UInt64(octets[index]) }
            bits >>= UInt64((8 - end % 8) % 8)
        }
        position = end
        return width < 64 ? bits & (1 << UInt64(width) - 1) : bits
    }

    /// The next `width` bits in two's complement.
    mutating func signed(bits width: Int) throws(DecodeError) -> Int64 {
        try unsigned(bits: width).signed(bits: width)
    }

    /// The next `count` whole octets; without a count, all that are left.
    mutating func octets(_ count: Int? = nil) throws(DecodeError) -> ArraySlice<UInt8> {
        let rest = octets[nextOctet...]
        guard count ?? 0 <= rest.count else { throw .short }
        let taken = rest.prefix(count ?? rest.count)
        position = taken.endIndex * 8
        return taken
    }

    /// The octets before the next NUL, which is taken too.
    mutating func octetsBeforeNUL() throws(DecodeError) -> ArraySlice<UInt8> {
        let rest = octets[nextOctet...]
        guard let end = rest.firstIndex(of: 0) else { throw .short }
        position = (end + 1) * 8
        return rest[..<end]
    }

    /// - Throws: `long` if octets are left.
    func finish() throws(DecodeError) {
        guard isAtEnd else { throw .long }
    }
}

extension UInt64 {
    /// The low `width` bits (1...64) read as two's complement.
    func signed(bits width: Int) -> Int64 {
        Int64(bitPattern: self << UInt64(64 - width)) >> Int64(64 - width)
    }
}

/// Which end of a number comes first.
public enum Endian: String, Sendable, CaseIterable {
    case little
    case big
}
