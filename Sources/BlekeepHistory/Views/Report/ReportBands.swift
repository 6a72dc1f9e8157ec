import BlekeepRecords

/// When the poller ran, in which mode, and when it didn't: parts of a line from 0 to 1. Pure.
package struct ReportBands: Sendable, Hashable {
    package struct Band: Sendable, Hashable {
        /// `nil` for a gap.
        package var mode: PowerMode?
        package var start: Double
        package var length: Double
        /// For example `battery mode, 2h5m`.
        package var title: String
    }

    /// The charge of the machine's battery, from 0 to 100, at a place of the line.
    package struct Charge: Sendable, Hashable {
        package var place: Double
        package var percentage: Double
    }

    package let bands: [Band]
    package let charges: [Charge]

    package init(_ report: Report) {
        let whole = max(1, report.length / .seconds(1))
        func place(_ offset: Duration) -> Double { min(1, max(0, offset / .seconds(1) / whole)) }
        let spans = Self.joined(report.spans).map { span in
            Band(
                mode: span.mode, start: place(span.offset),
                length: place(span.offset + span.length) - place(span.offset),
                title: "\(span.mode.rawValue) mode, \(DurationText.rounded(span.length))")
        }
        let gaps = report.gaps.map { gap in
            Band(
                mode: nil, start: place(gap.offset),
                length: place(gap.offset + (gap.length ?? .zero)) - place(gap.offset),
                title: "\(gap.cause.words), \(gap.length.map(DurationText.rounded) ?? "for some time")")
        }
        bands = spans + gaps
        charges = report.spans.filter { $0.percentages != nil }.flatMap { span in
            [
                Charge(place: place(span.offset), percentage: span.start ?? 0),
                Charge(place: place(span.offset + span.length), percentage: span.end ?? 0),
            ]
        }
    }

    /// Joins spans of one mode that follow each other: the history has a row for every ten minutes.
    private static func joined(_ spans: [Report.Span]) -> [Report.Span] {
        spans.reduce(into: []) { joined, span in
            if let last = joined.last, last.mode == span.mode, last.offset + last.length == span.offset {
                joined[joined.count - 1].length += span.length
            } else {
                joined.append(span)
            }
        }
    }
}
