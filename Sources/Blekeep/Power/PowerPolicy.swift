import RunLoop

/// Which mode holds: a worse one is entered at once, a better one after a minute in which nothing worse was heard.
package struct PowerPolicy: Sendable {
    package enum Event: Sendable, Hashable {
        case facts(PowerFacts)
        /// Another process owns UPower's name, or none does any more: what it says first may be nonsense.
        case upowerChanged
        /// The machine has slept: batteries show 0 % for a while.
        case resumed
        case time
    }

    package private(set) var status = PowerStatus.unknown
    private let choice: PowerChoice
    private var facts = PowerFacts()
    /// UPower's facts as they were last believed.
    private var believed: UPowerFacts?
    private var believesFrom = Uptime.start
    /// When each mode was last called for, by itself or by a worse one.
    private var lastCalled: [PowerMode: Uptime] = [:]
    private var judged = PowerStatus.unknown

    static let stability: Duration = .seconds(60)
    static let settling: Duration = .seconds(5)
    static let afterResume: Duration = .seconds(30)
    static let afterOwnerChange: Duration = .seconds(5)

    package init(_ choice: PowerChoice = .auto) {
        self.choice = choice
        status = Self.fixed(choice) ?? .unknown
    }

    /// - Returns: the new status, if the mode or the reason is another than before.
    package mutating func step(_ event: Event, at moment: Uptime) -> PowerStatus? {
        switch event {
        case .facts(let new): facts = new
        case .upowerChanged: believesFrom = max(believesFrom, moment + Self.afterOwnerChange)
        case .resumed: believesFrom = max(believesFrom, moment + Self.afterResume)
        case .time: break
        }
        // What was called for last was so until this moment.
        call(judged.mode, moment)
        if moment >= believesFrom { believed = facts.upower }
        var heeded = facts
        heeded.upower = believed
        judged = PowerStatus(judging: heeded)
        call(judged.mode, moment)
        let held = PowerMode.allCases.last { mode in
            // A change is told in several signals: what was called for only between them is no step to stop at.
            let time = mode == status.mode ? Self.stability : Self.stability - Self.settling
            return lastCalled[mode].map { moment - $0 < time } ?? false
        }
        var next = judged
        if let held, held > judged.mode {
            next.mode = held
            if status.mode == held { next.reason = status.reason }
        }
        return adopt(next)
    }

    /// When something may change by itself.
    package var nextWake: Uptime {
        var next = Uptime.never
        if believesFrom > .start, believed != facts.upower { next = believesFrom }
        if let last = lastCalled[status.mode], status.mode > judged.mode { next = min(next, last + Self.stability) }
        return next
    }

    private mutating func call(_ mode: PowerMode, _ moment: Uptime) {
        for lesser in PowerMode.allCases where lesser <= mode { lastCalled[lesser] = moment }
    }

    private mutating func adopt(_ next: PowerStatus) -> PowerStatus? {
        var next = next
        if let fixed = Self.fixed(choice) {
            next.mode = fixed.mode
            next.reason = fixed.reason
        }
        defer { status = next }
        return next == status ? nil : next
    }

    private static func fixed(_ choice: PowerChoice) -> PowerStatus? {
        switch choice {
        case .auto: nil
        case .normal: PowerStatus(mode: .normal, reason: "the configuration says so", supply: .unknown)
        case .low: PowerStatus(mode: .low, reason: "the configuration says so", supply: .unknown)
        }
    }
}
