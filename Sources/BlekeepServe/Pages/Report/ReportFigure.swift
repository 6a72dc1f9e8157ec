import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// The power modes and gaps of a report as bands, and the charge of the machine's battery below.
struct ReportFigure {
    let report: Report
    let clock: PageClock

    private static let height = 96.0

    var html: Markup {
        let line = ReportBands(report)
        return "\(bands(line))\(keys)\(battery(line))"
    }

    private func bands(_ line: ReportBands) -> Markup {
        let boxes = line.bands.map { band in
            SVGMarks.box(
                x: band.start * 1000, y: 0, width: max(1.5, band.length * 1000), height: 24,
                style: "mode \(band.mode?.rawValue ?? "gap")", title: band.title)
        }
        return """
            <div class="graph bands" role="img" aria-label="\(words(line))"><svg class="scale" aria-hidden="true"></svg>\
            <svg class="area" aria-hidden="true"><svg class="lines" viewBox="0 0 1000 24" preserveAspectRatio="none" \
            width="100%" height="24">\(boxes)</svg>\(ends)</svg></div>
            """
    }

    /// The hours. Where the clock was set, only the ends have a time: between them, the kernel's clock measures.
    private var ends: [Markup] {
        let length = report.length.wholeMilliseconds
        if report.from < report.to, (report.to - report.from - length).magnitude < 60_000 {
            return TimeAxis(report.from...report.to, offset: clock.offset).ticks(most: 8).enumerated().map {
                index, tick in
                let place = SVGMarks.number(max(0, min(1, tick.position)) * 100) + "%"
                let form: Markup = tick.text.contains(":") ? "tick" : "midnight"
                let minor: Markup? = index % 2 == 0 ? nil : " class=\"minor\""
                return """
                    <line class="tick" x1="\(place)" x2="\(place)" y1="24" y2="29"/>\
                    <text\(minor) x="\(place)" y="43" text-anchor="middle" data-as="\(form)" \
                    data-time="\(UTCTime(milliseconds: tick.time).iso)">\(tick.text)</text>
                    """
            }
        }
        return [(report.from, "0%", "start"), (report.to, "100%", "end")].map { time, x, anchor in
            """
            <text x="\(x)" y="42" text-anchor="\(anchor)" data-as="moment" \
            data-time="\(UTCTime(milliseconds: time).iso)">\(clock.local(time))</text>
            """
        }
    }

    /// What the bands show, for a screen reader.
    private func words(_ line: ReportBands) -> String {
        let shown = line.bands.sorted { $0.start < $1.start }.prefix(20).map(\.title)
        return shown.joined(separator: "; ") + (line.bands.count > shown.count ? "; and more" : "")
    }

    private var keys: Markup {
        let modes = PowerMode.allCases.filter { report.time(in: $0) > .zero }.map(\.rawValue)
        let all = (modes + (report.gaps.isEmpty ? [] : ["gap"])).map { mode -> Markup in
            """
            <li><svg class="mode-key" viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" class="mode \(mode)"/></svg>\
            \(mode)</li>
            """
        }
        return "<ul class=\"keys\" aria-label=\"Power modes\">\(all)</ul>"
    }

    private func battery(_ line: ReportBands) -> Markup {
        guard let first = line.charges.first, let last = line.charges.last else {
            return "<p class=\"nothing\">This machine has no battery.</p>"
        }
        let points = line.charges.map { (x: $0.place * 1000, y: Self.height * (1 - $0.percentage / 100)) }
        let range = "\(ReportFacts.text(first.percentage)) % to \(ReportFacts.text(last.percentage)) %"
        let grid = [0.0, 50, 100].map { percentage in
            let y = Self.height * (1 - percentage / 100)
            return SVGMarks.line([(0, y), (1000, y)], style: "grid")
        }
        let labels = [0, 50, 100].map { percentage -> Markup in
            let y = SVGMarks.number(Self.height * (1 - Double(percentage) / 100) + 4)
            return "<text x=\"100%\" y=\"\(y)\" text-anchor=\"end\">\(percentage) %</text>"
        }
        return """
            <h3>Battery of this machine</h3>
            <div class="graph short" role="img" aria-label="From \(range)"><svg class="scale" aria-hidden="true">\(labels)</svg>\
            <svg class="area" aria-hidden="true"><svg class="lines" viewBox="0 0 1000 96" preserveAspectRatio="none" \
            width="100%" height="96">\(grid)\(SVGMarks.line(points, style: "line"))</svg></svg></div>
            """
    }
}
