/// Reads a value from its first byte to its last. Numbers may start and end inside a byte.
///
/// In little endian, the first bit is the least significant bit of the first byte; in big endian, the most significant
/// bit.
struct ByteReader {
    private let bytes: [UInt8]
    private let endian: Endian
    private var position = 0

    init(_ bytes: [UInt8], endian: Endian = .little) { (self.bytes, self.endian) = (bytes, endian) }

    var isAtEnd: Bool { bitsLeft == 0 }

    private var bitsLeft: Int { bytes.count * 8 - position }

    /// The index of the first byte that wasn't read at all.
    private var nextByte: Int { (position + 7) / 8 }

    /// Reads the next `width` bits as a number: at most 56, or 64 from the start of a byte.
    mutating func unsigned(bits width: Int) throws(DecodeError) -> UInt64 {
        guard width <= bitsLeft else { throw .short }
        let end = position + width
        var bits: UInt64 = 0
        switch endian {
        case .little:
            var index = (end + 7) / 8
            while index > position / 8 {
                index -= 1
                bits = bits << 8 | UInt64(bytes[index])
            }
            bits >>= UInt64(position % 8)
        case .big:
            for index in position / 8..<(end + 7) / 8 { bits = bits << 8 | UInt64(bytes[index]) }
            bits >>= UInt64((8 - end % 8) % 8)
        }
        position = end
        return width < 64 ? bits & (1 << UInt64(width) - 1) : bits
    }

    /// Reads the next `width` bits in two's complement.
    mutating func signed(bits width: Int) throws(DecodeError) -> Int64 { try unsigned(bits: width).signed(bits: width) }

    /// Reads the next `width` bits, of which the most significant one is the sign of the others.
    mutating func signMagnitude(bits width: Int) throws(DecodeError) -> Int64 {
        let bits = try unsigned(bits: width)
        let magnitude = Int64(bits & (1 << UInt64(width - 1) - 1))
        return bits >> UInt64(width - 1) & 1 == 1 ? -magnitude : magnitude
    }

    /// Reads bits inside of the next whole byte, and skips its other bits.
    ///
    /// - Parameters:
    ///   - width: 1 to 8.
    ///   - bit: the lowest bit, 0 to 7.
    mutating func bits(_ width: Int, from bit: Int) throws(DecodeError) -> UInt64 {
        guard nextByte < bytes.count else { throw .short }
        let byte = UInt64(bytes[nextByte])
        position = (nextByte + 1) * 8
        return byte >> UInt64(bit) & (1 << UInt64(width) - 1)
    }

    /// Continues at another byte. Returns whether the value has so many bytes.
    mutating func move(toByte byte: Int) -> Bool {
        guard 0...bytes.count ~= byte else { return false }
        position = byte * 8
        return true
    }

    /// Reads the next `count` whole bytes; without a count, all that are left.
    mutating func bytes(_ count: Int? = nil) throws(DecodeError) -> ArraySlice<UInt8> {
        let rest = bytes[nextByte...]
        guard count ?? 0 <= rest.count else { throw .short }
        let taken = rest.prefix(count ?? rest.count)
        position = taken.endIndex * 8
        return taken
    }

    /// Reads the bytes up to the next NUL, and the NUL.
    mutating func bytesBeforeNUL() throws(DecodeError) -> ArraySlice<UInt8> {
        let rest = bytes[nextByte...]
        guard let end = rest.firstIndex(of: 0) else { throw .short }
        position = (end + 1) * 8
        return rest[..<end]
    }

    /// - Throws: `long` if bytes are left.
    func finish() throws(DecodeError) {
        guard isAtEnd else { throw .long }
    }
}

extension UInt64 {
    /// Returns the low `width` bits, 1...64, in two's complement.
    func signed(bits width: Int) -> Int64 { Int64(bitPattern: self << UInt64(64 - width)) >> Int64(64 - width) }
}

/// The byte order of numbers.
public enum Endian: String, Sendable, CaseIterable {
    /// The least significant byte comes first, as in all assigned layouts.
    case little
    /// The most significant byte comes first.
    case big
}
