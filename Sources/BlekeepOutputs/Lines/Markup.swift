/// HTML, SVG or XML in which no text can become markup.
///
/// Only literals of the source code are markup. What they interpolate is escaped, in text as in attributes, unless it is
/// `Markup` itself. Attributes must be in double quotes.
/// ```swift
/// let name = "<b>"
/// let heading: Markup = "<h1 title=\"\(name)\">\(name)</h1>"      // <h1 title="&lt;b&gt;">&lt;b&gt;</h1>
/// ```
package struct Markup: Sendable, Hashable {
    package private(set) var bytes: [UInt8] = []

    package var text: String { String(decoding: bytes, as: UTF8.self) }
    package var isEmpty: Bool { bytes.isEmpty }

    package init() {}

    /// Joins parts, with a literal between them.
    package init(joining parts: some Sequence<Markup>, _ separator: StaticString) {
        for part in parts {
            if !isEmpty { append(separator) }
            self += part
        }
    }

    /// The most scalars of a text that are kept. Devices choose some of them.
    package static let longestText = 1000

    package static func + (left: Markup, right: Markup) -> Markup {
        var sum = left
        sum += right
        return sum
    }

    package static func += (left: inout Markup, right: Markup) { left.bytes += right.bytes }

    fileprivate mutating func append(_ literal: StaticString) {
        literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    fileprivate mutating func append(escaping text: String) {
        for scalar in Untrusted(text, limit: Self.longestText).description.unicodeScalars {
            switch scalar {
            case "&": append("&amp;")
            case "<": append("&lt;")
            case ">": append("&gt;")
            case "\"": append("&quot;")
            case "'": append("&#39;")
            // XML has no place for these two.
            case "\u{FFFE}", "\u{FFFF}": append("\u{FFFD}")
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }
}

extension Markup: ExpressibleByStringInterpolation {
    package init(stringLiteral literal: StaticString) { append(literal) }

    package init(stringInterpolation: StringInterpolation) { self = stringInterpolation.markup }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var markup = Markup()

        package init(literalCapacity: Int, interpolationCount: Int) {
            markup.bytes.reserveCapacity(literalCapacity + interpolationCount * 8)
        }

        package mutating func appendLiteral(_ literal: StaticString) { markup.append(literal) }

        package mutating func appendInterpolation(_ text: String) { markup.append(escaping: text) }

        package mutating func appendInterpolation(_ text: Untrusted) { markup.append(escaping: text.description) }

        package mutating func appendInterpolation(_ number: some BinaryInteger) {
            markup.append(escaping: String(number))
        }

        package mutating func appendInterpolation(_ markup: Markup?) {
            if let markup { self.markup += markup }
        }

        package mutating func appendInterpolation(_ parts: [Markup]) {
            for part in parts { markup += part }
        }
    }
}
