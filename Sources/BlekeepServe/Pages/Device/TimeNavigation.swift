import BlekeepOutputs
import BlekeepRecords

/// The choice of a time for plots, as links and a form: all that the script of plots does with a pointer.
struct TimeNavigation {
    let view: PageView
    /// What the plots show, in milliseconds since 1970.
    let span: ClosedRange<Int64>
    let path: String
    /// Further parameters of the page's address.
    var others: [(String, String)] = []
    let clock: PageClock

    var html: Markup {
        """
        <nav class="ranges" aria-label="Time"><ul>\(PageRange.allCases.map(range))</ul>\
        <ul>\(moves)</ul><ul>\(views)</ul></nav>
        <form class="span" action="\(path)">\(others.map(hidden))\(view.isTable ? hidden(("view", PageView.table)) : nil)
        <label>From <input type="datetime-local" name="from" required="" value="\(local(span.lowerBound))"/></label>
        <label>to <input type="datetime-local" name="to" value="\(view.time.isLive ? "" : local(span.upperBound))"/></label>
        <button>Show</button> <span class="zone">\(clock.zone)</span></form>
        """
    }

    private func hidden(_ pair: (String, String)) -> Markup {
        "<input type=\"hidden\" name=\"\(pair.0)\" value=\"\(pair.1)\"/>"
    }

    /// `2026-11-26T20:00`, as browsers want it.
    private func local(_ time: Int64) -> String {
        UTCTime(milliseconds: time, offset: clock.offset).dateAndMinute.replacing(" ", with: "T")
    }

    private func link(_ name: Markup, _ view: PageView, isCurrent: Bool = false) -> Markup {
        let mark: Markup? = isCurrent ? " aria-current=\"page\"" : nil
        return "<li><a href=\"\(String(path: path, others + view.pairs))\"\(mark)>\(name)</a></li>"
    }

    private func range(_ range: PageRange) -> Markup {
        link("\(range.name)", PageView(time: .last(range), isTable: view.isTable), isCurrent: view.time == .last(range))
    }

    private var views: [Markup] {
        [
            link("Plots", PageView(time: view.time), isCurrent: !view.isTable),
            link("Table", PageView(time: view.time, isTable: true), isCurrent: view.isTable),
        ]
    }

    private var moves: [Markup] {
        let length = span.upperBound - span.lowerBound
        let half = length / 2
        func moved(_ from: Int64, _ to: Int64) -> PageView {
            PageView(time: .between((span.lowerBound + from)...(span.upperBound + to)), isTable: view.isTable)
        }
        let later = view.time.isLive ? nil : link("Later", moved(half, half))
        let near = length > 120_000 ? link("Closer", moved(length / 4, -length / 4)) : nil
        let far = length < 3 * PageRange.year.milliseconds ? link("Wider", moved(-half, half)) : nil
        return [link("Earlier", moved(-half, -half)), later, near, far].compactMap(\.self)
    }
}
