/// Text from outside (a device, a file, a command line) made harmless, so that it can be shown.
///
/// Characters that move the cursor, hide or change the direction of writing are spelled out, as `\u{1B}`.
package struct Untrusted: CustomStringConvertible {
    /// The number of Unicode scalars that a user sees of text from a device.
    package static let limit = 64

    package let description: String

    /// Makes text harmless.
    ///
    /// - Parameter limit: the number of scalars to keep; `…` stands for the rest.
    package init(_ text: String, limit: Int = Self.limit) {
        if text.utf8.count <= limit, text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) {
            description = text
            return
        }
        var shown = String.UnicodeScalarView()
        var left = limit
        for scalar in text.unicodeScalars {
            guard left > 0 else {
                shown.append("…")
                break
            }
            left -= 1
            if scalar.isInvisible {
                shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
            } else {
                shown.append(scalar)
            }
        }
        description = String(shown)
    }

    /// Returns the whole text, made harmless.
    package static func whole(_ text: String) -> String { Self(text, limit: .max).description }
}

extension Unicode.Scalar {
    /// Whether the scalar controls, formats or separates text, is blank, or never is a character: C0, C1, DEL, bidi, zero
    /// width, fillers, U+FFFF and the like. YAML has none of the last ones.
    package var isInvisible: Bool {
        if value < 0x7F { return value < 0x20 }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return true
        default:
            if value & 0xFFFE == 0xFFFE || 0xFDD0...0xFDEF ~= value { return true }
            return [0x034F, 0x115F, 0x1160, 0x3164, 0xFFA0].contains(value)
        }
    }
}
