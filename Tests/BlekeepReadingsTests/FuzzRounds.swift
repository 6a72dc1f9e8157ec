import Glibc
import RunLoop

extension SplitMix64 {
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}

/// The number of inputs for a decoder: the default, or `BLEKEEP_FUZZ`.
func fuzzRounds(_ usual: Int) -> Int {
    getenv("BLEKEEP_FUZZ").flatMap { Int(String(cString: $0)) } ?? usual
}
