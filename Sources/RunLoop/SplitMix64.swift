/// A generator of random numbers. A seed always gives the same numbers.
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// - Parameter name: the same name has the same numbers, on each machine.
    package init(seed name: String) {
        state = name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns the first number of a seed.
    package static func number(seed: UInt64) -> UInt64 {
        var random = SplitMix64(seed: seed)
        return random.next()
    }
}
