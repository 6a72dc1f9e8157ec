/// The kinds of ASCII characters.
extension UInt8 {
    package var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
    package var isSmallLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }
    // Upper and lower case differ by one bit.
    package var isLetter: Bool { (self | 0x20).isSmallLetter }
}

extension StringProtocol {
    /// Whether it is 1 to `max` of `a-z`, `0-9`, `_` and `others`.
    package func isWord(max: Int, others: String = "") -> Bool {
        1...max ~= utf8.count
            && utf8.allSatisfy {
                $0.isSmallLetter || $0.isDigit || $0 == UInt8(ascii: "_") || others.utf8.contains($0)
            }
    }
}
