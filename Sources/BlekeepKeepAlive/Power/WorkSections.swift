import RunLoop

/// The open sections of work, in the order of their beginning.
struct WorkSections: Sendable {
    struct Section: Sendable {
        let id: SleepState.SectionID
        let name: String
        /// When its budget is used up.
        let end: Uptime
        fileprivate(set) var isExpired = false
    }

    private var sections: [Section] = []

    var isEmpty: Bool { sections.isEmpty }

    var names: [String] { sections.map(\.name) }

    /// Whether all sections are expired.
    var areExpired: Bool { sections.allSatisfy(\.isExpired) }

    /// When the next section uses up its budget.
    var nextEnd: Uptime { sections.lazy.filter { !$0.isExpired }.map(\.end).min() ?? .never }

    mutating func begin(_ id: SleepState.SectionID, name: String, until end: Uptime) {
        sections.append(Section(id: id, name: name, end: end))
    }

    mutating func end(_ id: SleepState.SectionID) { sections.removeAll { $0.id == id } }

    /// Expires the sections that used up their budget, and returns them in the order of their beginning.
    mutating func expireOverdue(at now: Uptime) -> [Section] {
        var overdue: [Section] = []
        for index in sections.indices where !sections[index].isExpired && now >= sections[index].end {
            sections[index].isExpired = true
            overdue.append(sections[index])
        }
        return overdue
    }

    /// Expires all sections, and returns those that weren't expired before, the newest first.
    mutating func expireAll() -> [SleepState.SectionID] {
        let left = sections.reversed().filter { !$0.isExpired }.map(\.id)
        for index in sections.indices { sections[index].isExpired = true }
        return left
    }
}
