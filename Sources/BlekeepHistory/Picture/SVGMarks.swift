import BlekeepOutputs

/// The marks of which pictures are made: SVG elements for any browser.
package enum SVGMarks {
    package typealias Place = (x: Double, y: Double)

    /// Where a label is anchored.
    package enum Anchor: String {
        case start, middle, end
    }

    /// What colors a mark.
    package enum Ink: ExpressibleByStringLiteral {
        case color(String)
        /// A class of the stylesheet of the page that contains the picture.
        case style(String)

        package init(stringLiteral color: String) { self = .color(color) }

        fileprivate var fill: Markup {
            switch self {
            case .color(let color): "fill=\"\(color)\""
            case .style(let style): "class=\"\(style)\""
            }
        }
    }

    /// A document on a white ground.
    static func document(width: Double, height: Double, title: String, _ parts: [Markup]) -> String {
        let head: Markup = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(number(width))" height="\(number(height))" \
            viewBox="0 0 \(number(width)) \(number(height))" font-family="sans-serif" font-size="12">
            """
        let all =
            [head, "<title>\(shortened(title))</title>", box(x: 0, y: 0, width: width, height: height, ink: "#ffffff")]
            + parts
        return all.map(\.text).joined(separator: "\n") + "\n</svg>\n"
    }

    package static func box(
        x: Double, y: Double, width: Double, height: Double, ink: Ink, title: String? = nil
    ) -> Markup {
        let place: Markup =
            "x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(height))\""
        guard let title else { return "<rect \(place) \(ink.fill)/>" }
        return "<rect \(place) \(ink.fill)><title>\(shortened(title))</title></rect>"
    }

    package static func label(
        x: Double, y: Double, _ text: String, size: Int, anchor: Anchor = .start
    ) -> Markup {
        let anchored: Markup = anchor == .start ? "" : " text-anchor=\"\(anchor.rawValue)\""
        return """
            <text x="\(number(x))" y="\(number(y))" font-size="\(size)"\(anchored)>\(shortened(text))</text>
            """
    }

    /// - Parameter isDashed: to tell lines of one color apart.
    package static func line(_ places: [Place], ink: Ink, width: Double, isDashed: Bool = false) -> Markup {
        let dashes: Markup = isDashed ? " stroke-dasharray=\"4 3\"" : ""
        let stroke: Markup =
            switch ink {
            case .color(let color):
                "fill=\"none\" stroke=\"\(color)\" stroke-width=\"\(number(width))\"\(dashes)"
            case .style(let style): "class=\"\(style)\"\(dashes)"
            }
        return "<polyline points=\"\(points(places))\" \(stroke)/>"
    }

    /// A faint area.
    package static func area(_ places: [Place], ink: Ink) -> Markup {
        let faint: Markup = if case .color = ink { " fill-opacity=\"0.25\"" } else { "" }
        return "<polygon points=\"\(points(places))\" \(ink.fill)\(faint)/>"
    }

    /// Lines through places, rounded to whole numbers, as short as they can be. A place alone is a dot.
    package static func path(_ runs: [[Place]]) -> Markup {
        Markup(
            joining: runs.lazy.filter { !$0.isEmpty }.map { run -> Markup in
                var (x, y) = (whole(run[0].x), whole(run[0].y))
                let start: Markup = "M\(x) \(y)"
                guard run.count > 1 else { return start + "h1" }
                let steps = run.dropFirst().map { place -> Markup in
                    let (right, down) = (whole(place.x) - x, whole(place.y) - y)
                    (x, y) = (x + right, y + down)
                    return "\(right) \(down)"
                }
                return start + "l" + Markup(joining: steps, " ")
            }, "")
    }

    private static func whole(_ number: Double) -> Int { Int(max(-1e6, min(1e6, number)).rounded()) }

    private static func points(_ places: [Place]) -> Markup {
        Markup(joining: places.lazy.map { "\(number($0.x)),\(number($0.y))" }, " ")
    }

    /// With two digits at most; no exponent, which a browser may not take.
    package static func number(_ number: Double) -> String {
        let hundredths = Int((max(-1e6, min(1e6, number)) * 100).rounded())
        let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        let digits = rest == 0 ? "" : rest % 10 == 0 ? ".\(rest / 10)" : rest < 10 ? ".0\(rest)" : ".\(rest)"
        return (hundredths < 0 ? "-" : "") + "\(whole)\(digits)"
    }

    /// A picture has no room for a longer text.
    static let longestText = 160

    private static func shortened(_ text: String) -> Untrusted { Untrusted(text, limit: longestText) }
}
