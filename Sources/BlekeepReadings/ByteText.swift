extension [UInt8] {
    package mutating func append(text: String) { append(contentsOf: text.utf8) }

    /// A number in decimal digits, with zeros before it up to a width.
    package mutating func append(decimal number: UInt, width: Int = 1) {
        var rest = number
        var digits = 0
        let start = count
        repeat {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
            digits += 1
        } while rest > 0 || digits < width
        self[start...].reverse()
    }

    package mutating func append(integer: Int64) {
        if integer < 0 { append(UInt8(ascii: "-")) }
        append(decimal: UInt(integer.magnitude))
    }
}
