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
            return "holds a \(sign), which has another meaning in topics; leave it out"
        }
        if scalars.first?.properties.isWhitespace == true || scalars.last?.properties.isWhitespace == true {
            return "starts or ends with a space; remove it"
        }
        if scalars.count > limit { return "is longer than \(limit) characters; shorten it" }
        if BluetoothAddress(alias) != nil { return "looks like an address; write a name" }
        return nil
    }
}
