import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// The state of a device as pages show it: a word, a color, and a shape of its own.
extension ShownState {
    private var shape: Markup {
        switch self {
        case .good: "<circle cx=\"8\" cy=\"8\" r=\"6\"/>"
        case .trying: "<path d=\"M8 1.5 15 14H1z\"/>"
        case .lost: "<path d=\"M4 1.5 8 5.5l4-4L14.5 4l-4 4 4 4-2.5 2.5-4-4-4 4L1.5 12l4-4-4-4z\"/>"
        case .needsUser: "<path d=\"M8 .5 15.5 8 8 15.5.5 8z\"/>"
        case .alarm: "<path d=\"M8 .5A5 5 0 0 0 3 5.5V10l-2 3h14l-2-3V5.5A5 5 0 0 0 8 .5zM6 14h4a2 2 0 0 1-4 0z\"/>"
        case .new: "<circle cx=\"8\" cy=\"8\" r=\"5\" class=\"hollow\"/>"
        case .paused: "<path d=\"M3 2h4v12H3zM9 2h4v12H9z\"/>"
        case .standby: "<circle cx=\"8\" cy=\"8\" r=\"2.5\"/>"
        case .stale: "<path d=\"M2 6h12v4H2z\"/>"
        }
    }

    /// The shape, which says nothing that the word doesn't.
    var mark: Markup {
        "<svg class=\"mark\" viewBox=\"0 0 16 16\" width=\"16\" height=\"16\" aria-hidden=\"true\">\(shape)</svg>"
    }

    func badge(_ text: Markup) -> Markup { "<span class=\"state \(rawValue)\">\(mark) \(text)</span>" }
}
