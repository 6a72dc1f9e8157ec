import BlekeepOutputs

/// The marks of which the pictures of a page are made: SVG elements whose colors are in the page's style sheet.
package enum SVGMarks {
    package typealias Place = (x: Double, y: Double)

    package static func box(
        x: Double, y: Double, width: Double, height: Double, style: String, title: String? = nil
    ) -> Markup {
        let place: Markup =
            "x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(height))\""
        guard let title else { return "<rect \(place) class=\"\(style)\"/>" }
        // A picture has no room for a longer text.
        return "<rect \(place) class=\"\(style)\"><title>\(Untrusted(title, limit: 160))</title></rect>"
    }

    package static func line(_ places: [Place], style: String) -> Markup {
        "<polyline points=\"\(points(places))\" class=\"\(style)\"/>"
    }

    package static func area(_ places: [Place], style: String) -> Markup {
        "<polygon points=\"\(points(places))\" class=\"\(style)\"/>"
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
}
