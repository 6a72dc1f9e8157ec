import BlekeepOutputs
import BlekeepRecords

/// The rule for a device's alias, which becomes part of topics, file names and command lines.
package enum AliasRule {
    static let limit = 64

    /// Returns the mistake in an alias and its correction, as the end of a sentence; `nil` for a valid alias.
    package static func flaw(in alias: String) -> String? {
        let scalars = alias.unicodeScalars
        if scalars.isEmpty { return "is empty; write a name, or remove the line" }
        if scalars.contains(where: \.isInvisible) { return "has invisible characters; remove them" }
        if let sign = scalars.first(where: { ["/", "+", "#"].contains($0) }) {
            let meaning = sign == "/" ? "separates the parts of MQTT topics" : "is a wildcard in MQTT topics"
            return "holds a \(sign), which \(meaning); leave it out"
        }
        if alias == DeviceGroup.all { return "means all devices; write another name" }
        if DeviceGroup(alias) != nil { return "looks like a group of devices; write another beginning" }
        if scalars.first == "-" { return "looks like an option; write a letter or a digit before the -" }
        if scalars.first?.properties.isWhitespace == true || scalars.last?.properties.isWhitespace == true {
            return "starts or ends with a space; remove it"
        }
        if scalars.count > limit { return "is longer than \(limit) characters; shorten it" }
        if BluetoothAddress(alias) != nil { return "looks like an address; write a name" }
        return nil
    }

    /// Returns an alias that is made from a device's own name, without what an alias may not have. A number tells it from
    /// those that are taken.
    ///
    /// - Returns: `nil` when nothing is left of the name.
    package static func alias(from name: String, isTaken: (String) -> Bool) -> String? {
        let scalars = name.unicodeScalars.filter { !$0.isInvisible }.map { scalar in
            ["/", "+", "#"].contains(scalar) ? "-" : scalar
        }
        // With room for the number.
        let words = String(String.UnicodeScalarView(scalars.drop { $0 == "-" || $0 == " " }.prefix(limit - 4)))
        let base = words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard flaw(in: base) == nil else { return nil }
        guard isTaken(base) else { return base }
        return (2...999).lazy.map { "\(base)-\($0)" }.first { !isTaken($0) }
    }
}

/// The rule for a device's tags, which become part of command lines, and labels in other systems.
package enum TagRule {
    static let limit = 32
    /// The most tags of a device.
    static let maxTags = 16

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

package struct CharacteristicNames: Sendable {
    /// Returns the characteristic with an official name, in any accepted spelling.
    var find: @Sendable (String) -> BluetoothUUID?
    /// Returns the official name that is most similar to a misspelled one.
    var closest: @Sendable (String) -> String?

    package static let assigned = CharacteristicNames(
        find: { AssignedNumbers.characteristic(named: $0) }, closest: { AssignedNumbers.closestCharacteristic(to: $0) })
}
