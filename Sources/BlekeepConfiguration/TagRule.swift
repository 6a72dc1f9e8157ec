/// The rule for a device's tags, which become part of command lines, and labels in other systems.
package enum TagRule {
    static let limit = 32
    /// The most tags of a device.
    static let most = 16

    /// Returns the mistake in a tag and its correction, as the end of a sentence; `nil` for a valid tag.
    package static func flaw(in tag: String) -> String? {
        let scalars = tag.unicodeScalars
        if scalars.isEmpty { return "is empty; write a word" }
        if scalars.count > limit { return "is longer than \(limit) characters; shorten it" }
        guard
            scalars.allSatisfy({
                $0.properties.isAlphabetic || ("0"..."9").contains($0) || "_-.".contains(Character($0))
            })
        else { return "can have letters, digits, `_`, `-` and `.`; leave out the rest" }
        return scalars.first == "-" ? "starts with a -; write a letter or a digit before it" : nil
    }
}
