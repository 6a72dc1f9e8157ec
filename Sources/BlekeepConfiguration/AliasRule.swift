import Blekeep
import BlekeepOutputs

/// What a device may be called: its alias becomes part of topics, file names and command lines.
package enum AliasRule {
    static let limit = 64

    /// What is wrong with an alias, and what to do, to follow the alias in a sentence; `nil` for a good one.
    package static func flaw(in alias: String) -> String? {
        let scalars = alias.unicodeScalars
        if scalars.isEmpty { return "is empty; say a name, or remove the line" }
        if scalars.contains(where: \.isInvisible) { return "holds characters that cannot be seen; remove them" }
        if let sign = scalars.first(where: { ["/", "+", "#"].contains($0) }) {
            return "holds a \(sign), which stands for something else in topics; leave it out"
        }
        if scalars.first?.properties.isWhitespace == true || scalars.last?.properties.isWhitespace == true {
            return "starts or ends with a space; remove it"
        }
        if scalars.count > limit { return "is longer than \(limit) characters; shorten it" }
        if BluetoothAddress(alias) != nil { return "looks like an address; say a name" }
        return nil
    }
}
