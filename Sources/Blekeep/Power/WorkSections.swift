import RunLoop

/// The sections of work that are open, in the order in which they began.
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

    /// Whether none is left that may still do its work.
    var areExpired: Bool { sections.allSatisfy(\.isExpired) }

    /// When the next one uses up its budget.
    var nextEnd: Uptime { sections.lazy.filter { !$0.isExpired }.map(\.end).min() ?? .never }

    mutating func begin(_ id: SleepState.SectionID, _ name: String, until end: Uptime) {
        sections.append(Section(id: id, name: name, end: end))
    }

    mutating func end(_ id: SleepState.SectionID) { sections.removeAll { $0.id == id } }

    /// Expires the sections whose budget is used up.
    ///
    /// - Returns: those, in the order in which they began.
    mutating func expireOverdue(at now: Uptime) -> [Section] {
        var overdue: [Section] = []
        for index in sections.indices where !sections[index].isExpired && now >= sections[index].end {
            sections[index].isExpired = true
            overdue.append(sections[index])
        }
        return overdue
    }

    /// Expires all sections.
    ///
    /// - Returns: those that were not expired before, the latest first.
    mutating func expireAll() -> [SleepState.SectionID] {
        let left = sections.reversed().filter { !$0.isExpired }.map(\.id)
        for index in sections.indices { sections[index].isExpired = true }
        return left
    }
}
