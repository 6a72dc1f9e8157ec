import Blekeep
import BlekeepOutputs

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
        if scalars.first == "-" { return "looks like an option; write a letter or a digit before the -" }
        if scalars.first?.properties.isWhitespace == true || scalars.last?.properties.isWhitespace == true {
            return "starts or ends with a space; remove it"
        }
        if scalars.count > limit { return "is longer than \(limit) characters; shorten it" }
        if BluetoothAddress(alias) != nil { return "looks like an address; write a name" }
        return nil
    }
}
