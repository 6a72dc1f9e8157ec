import BlekeepHistory
import BlekeepOutputs

/// Which devices the overview shows, in which order, and how.
struct OverviewView: Sendable, Equatable {
    enum Order: String, Sendable, CaseIterable {
        case state, name, age, battery, signal

        var name: String {
            switch self {
            case .state: "state"
            case .name: "name"
            case .age: "oldest value"
            case .battery: "lowest battery"
            case .signal: "weakest signal"
            }
        }
    }

    /// A part of a device's name, address or tag; empty for all.
    var text = ""
    var tag: String?
    var state: ShownState?
    var order = Order.state
    var isTable = false

    static let parameters: [Parameter] = [
        Parameter("q", "Only devices with this in their name, address or tag.", schema: Parameter.text),
        Parameter("tag", schema: Parameter.text),
        Parameter("state", schema: .schema(oneOf: [""] + ShownState.allCases.map(\.rawValue))),
        Parameter("sort", schema: .schema(oneOf: [""] + Order.allCases.map(\.rawValue))), .view,
    ]

    init() {}

    /// - Parameter values: those of the parameters. Forms send empty ones.
    init(_ values: [String: String]) throws(Problem) {
        let values = values.filter { !$0.value.isEmpty }
        text = values["q"] ?? ""
        tag = values["tag"]
        state = try ShownState.chosen(values["state"], of: "state")
        order = try Order.chosen(values["sort"], of: "sort") ?? .state
        isTable = try PageRequest.isTable(values["view"])
    }

    /// The address of the overview, without what is usual.
    func address(_ path: String = "/") -> String {
        var pairs: [(String, String)] = []
        if !text.isEmpty { pairs.append(("q", text)) }
        if let tag { pairs.append(("tag", tag)) }
        if let state { pairs.append(("state", state.rawValue)) }
        if order != .state { pairs.append(("sort", order.rawValue)) }
        if isTable { pairs.append(("view", PageView.table)) }
        return String(path: path, pairs)
    }

    func with(_ change: (inout OverviewView) -> Void) -> OverviewView {
        var view = self
        change(&view)
        return view
    }
}
