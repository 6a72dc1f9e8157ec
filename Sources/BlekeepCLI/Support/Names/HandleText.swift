import Blekeep

/// Handles of attributes for people.
enum HandleText {
    /// Four digits after `0x`.
    static func text(_ handle: Int) -> String { "0x" + String(hex: UInt(max(0, handle)), width: 4) }
}
