import BlekeepOutputs

/// The marks of which pictures are made: SVG elements for any browser, well-formed whatever names hold.
enum SVGMarks {
    typealias Place = (x: Double, y: Double)

    /// Where a label is anchored.
    enum Anchor: String {
        case start, middle, end
    }

    /// A document on a white ground.
    static func document(width: Double, height: Double, title: String, _ parts: [String]) -> String {
        let all =
            [
                """
                <svg xmlns="http://www.w3.org/2000/svg" width="\(number(width))" height="\(number(height))" \
                viewBox="0 0 \(number(width)) \(number(height))" font-family="sans-serif" font-size="12">
                """,
                "<title>\(escaped(title))</title>",
                box(0, 0, width, height, "#ffffff"),
            ] + parts + ["</svg>"]
        return all.joined(separator: "\n") + "\n"
    }

    static func box(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ color: String, title: String? = nil
    ) -> String {
        let place = "x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(height))\""
        guard let title else { return "<rect \(place) fill=\"\(color)\"/>" }
        return "<rect \(place) fill=\"\(color)\"><title>\(escaped(title))</title></rect>"
    }

    static func label(_ x: Double, _ y: Double, _ text: String, size: Int, anchor: Anchor = .start) -> String {
        let anchored = anchor == .start ? "" : " text-anchor=\"\(anchor.rawValue)\""
        let place = "x=\"\(number(x))\" y=\"\(number(y))\""
        return "<text \(place) font-size=\"\(size)\"\(anchored)>\(escaped(text))</text>"
    }

    /// - Parameter isDashed: to tell lines of one color apart.
    static func line(_ places: [Place], _ color: String, width: Double, isDashed: Bool = false) -> String {
        let dashes = isDashed ? " stroke-dasharray=\"4 3\"" : ""
        return "<polyline points=\"\(points(places))\" fill=\"none\" stroke=\"\(color)\" "
            + "stroke-width=\"\(number(width))\"\(dashes)/>"
    }

    /// A faint area.
    static func area(_ places: [Place], _ color: String) -> String {
        "<polygon points=\"\(points(places))\" fill=\"\(color)\" fill-opacity=\"0.25\"/>"
    }

    private static func points(_ places: [Place]) -> String {
        places.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
    }

    /// With two digits at most; no exponent, which a browser may not take.
    static func number(_ number: Double) -> String {
        let hundredths = Int((max(-1e6, min(1e6, number)) * 100).rounded())
        let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        let digits = rest == 0 ? "" : rest % 10 == 0 ? ".\(rest / 10)" : rest < 10 ? ".0\(rest)" : ".\(rest)"
        return (hundredths < 0 ? "-" : "") + "\(whole)\(digits)"
    }

    /// A picture has no room for a longer text.
    static let longestText = 160

    /// Fit for text and attributes of XML.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in Untrusted(text, limit: longestText).description.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // XML has no place for these two.
            case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
