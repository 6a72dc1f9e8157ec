import RunLoop

/// A hash of all events and their times, in order (FNV-1a). A seed always gives the same hash.
struct Trace: Sendable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func note(_ bytes: Span<UInt8>, at now: Uptime) {
        var mixed = (value ^ UInt64(bitPattern: now.nanoseconds)) &* 0x100_0000_01B3
        for place in bytes.indices { mixed = (mixed ^ UInt64(bytes[place])) &* 0x100_0000_01B3 }
        value = mixed
    }
}
