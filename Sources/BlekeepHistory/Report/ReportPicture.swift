import Blekeep
import BlekeepOutputs
import RunLoop

/// A report as a small picture: an SVG document for any browser.
package struct ReportPicture: Sendable {
    private let report: Report
    private let title: String

    private static let width = 720.0
    private static let left = 16.0
    private static let right = 704.0
    private static let rowHeight = 20.0
    /// More devices than these would make no picture.
    static let mostDevices = 40

    package init(_ report: Report, title: String) {
        self.report = report
        self.title = title
    }

    /// The document, well-formed whatever devices are called.
    package var text: String {
        let devices = report.devices.prefix(Self.mostDevices)
        let height = 190 + Double(devices.count) * Self.rowHeight
        let parts =
            [
                """
                <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.number(Self.width))" height="\(Self.number(height))" \
                viewBox="0 0 \(Self.number(Self.width)) \(Self.number(height))" font-family="sans-serif" font-size="12">
                """,
                "<title>\(Self.escaped(title))</title>",
                Self.box(0, 0, Self.width, height, "#ffffff"),
                Self.label(Self.left, 22, title, size: 14),
            ] + timeline(top: 34) + battery(top: 74, height: 70) + bars(Array(devices), top: 176) + ["</svg>"]
        return parts.joined(separator: "\n") + "\n"
    }

    // MARK: Parts

    /// When the keeper ran, in which mode, and when it did not.
    private func timeline(top: Double) -> [String] {
        var parts = report.spans.map { span in
            Self.box(
                x(span.offset), top, max(0.5, x(span.offset + span.length) - x(span.offset)), 18,
                Self.color(span.mode), title: "\(span.mode.rawValue) mode, \(DurationText.rounded(span.length))")
        }
        parts += report.gaps.map { gap in
            let length = gap.length ?? .zero
            return Self.box(
                x(gap.offset), top, max(1, x(gap.offset + length) - x(gap.offset)), 18, "#444444",
                title: "\(gap.cause.rawValue), \(gap.length.map(DurationText.rounded) ?? "for some time")")
        }
        var place = Self.left
        let keys = PowerMode.allCases.filter { report.time(in: $0) > .zero }.map { ($0.rawValue, Self.color($0)) }
        for (word, color) in keys + (report.gaps.isEmpty ? [] : [("gap", "#444444")]) {
            parts.append(Self.box(place, top + 24, 8, 8, color))
            parts.append(Self.label(place + 12, top + 32, word, size: 10))
            place += 70
        }
        return parts
    }

    /// What the machine's battery held.
    private func battery(top: Double, height: Double) -> [String] {
        func y(_ percentage: Double) -> Double { top + height * (1 - percentage / 100) }
        let charged = report.spans.filter { $0.percentages != nil }
        guard let last = charged.last else { return [Self.label(Self.left, top + 16, "no battery", size: 10)] }
        let points = charged.flatMap { span in
            [(x(span.offset), y(span.start ?? 0)), (x(span.offset + span.length), y(span.end ?? 0))]
        }
        let line = points.map { "\(Self.number($0.0)),\(Self.number($0.1))" }.joined(separator: " ")
        return [
            Self.box(Self.left, top, Self.right - Self.left, height, "#f4f4f4"),
            "<polyline points=\"\(line)\" fill=\"none\" stroke=\"#1f6fb2\" stroke-width=\"1.5\"/>",
            Self.label(Self.left, top + height + 14, "battery \(Self.number((last.end ?? 0).rounded())) %", size: 10),
        ]
    }

    /// How much was read of each device.
    private func bars(_ devices: [DeviceActivity], top: Double) -> [String] {
        let most = Double(max(1, devices.map(\.values).max() ?? 1))
        return devices.enumerated().flatMap { index, device in
            let y = top + Double(index) * Self.rowHeight
            let width = (Self.right - 320) * Double(max(0, device.values)) / most
            return [
                Self.label(Self.left, y + 11, device.device, size: 12), Self.box(240, y + 2, width, 10, "#2e8b57"),
                Self.label(246 + width, y + 11, "\(device.values)", size: 10),
            ]
        }
    }

    private func x(_ offset: Duration) -> Double {
        let whole = max(1, report.length / .seconds(1))
        return Self.left + (Self.right - Self.left) * min(1, max(0, offset / .seconds(1) / whole))
    }

    private static func color(_ mode: PowerMode) -> String {
        switch mode {
        case .normal: "#2e8b57"
        case .battery: "#e0b000"
        case .low: "#e07000"
        case .critical: "#c03030"
        }
    }

    // MARK: Marks

    private static func box(
        _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ color: String, title: String? = nil
    ) -> String {
        let place = "x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(height))\""
        guard let title else { return "<rect \(place) fill=\"\(color)\"/>" }
        return "<rect \(place) fill=\"\(color)\"><title>\(escaped(title))</title></rect>"
    }

    private static func label(_ x: Double, _ y: Double, _ text: String, size: Int) -> String {
        "<text x=\"\(number(x))\" y=\"\(number(y))\" font-size=\"\(size)\">\(escaped(text))</text>"
    }

    /// With two digits at most; no exponent, which a browser may not take.
    private static func number(_ number: Double) -> String {
        let hundredths = Int((max(-1e6, min(1e6, number)) * 100).rounded())
        let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        let digits = rest == 0 ? "" : rest % 10 == 0 ? ".\(rest / 10)" : rest < 10 ? ".0\(rest)" : ".\(rest)"
        return (hundredths < 0 ? "-" : "") + "\(whole)\(digits)"
    }

    /// Fit for text and attributes of XML.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in Untrusted(text).description.unicodeScalars {
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
