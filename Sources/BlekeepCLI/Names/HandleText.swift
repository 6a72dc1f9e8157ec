import Blekeep

/// Handles of attributes as text.
enum HandleText {
    /// Returns `0x` and four hex digits.
    static func text(_ handle: Int) -> String { "0x" + String(hex: UInt(max(0, handle)), width: 4) }
}
