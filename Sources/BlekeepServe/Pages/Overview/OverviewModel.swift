import BlekeepHistory
import BlekeepRecords

/// What the overview shows now.
struct OverviewModel: Sendable {
    /// What the history says; a sentence when it says nothing.
    enum State: Sendable {
        case status(StatusReport)
        case empty(String)
    }

    var state: State
    var clock: PageClock
    var newest = NewestValues([])
    var trends = Trends()
    var tags = DeviceTags()

    /// Whether what it shows isn't known any more.
    var isStale: Bool { if case .status(let report) = state { !report.isPolling } else { true } }
}
