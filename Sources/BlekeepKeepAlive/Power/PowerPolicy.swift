import RunLoop

/// Decides the power mode: changes to a more restrictive mode at once, and to a less restrictive one after a minute.
package struct PowerPolicy: Sendable {
    package enum Event: Sendable, Hashable {
        case facts(PowerFacts)
        /// UPower started or stopped. Its first values may be wrong.
        case upowerChanged
        /// The machine woke. Batteries show 0 % for a while.
        case resumed
        case time
    }

    package private(set) var status = PowerStatus.unknown
    var choice: PowerChoice
    private var facts = PowerFacts()
    /// The last trusted values of UPower.
    private var trusted: UPowerFacts?
    private var trustsFrom = Uptime.start
    /// When each mode, or a more restrictive one, was last needed.
    private var lastNeeded: [PowerMode: Uptime] = [:]
    /// The status from the facts alone.
    private var current = PowerStatus.unknown

    static let stability: Duration = .seconds(60)
    static let settling: Duration = .seconds(5)
    static let afterResume: Duration = .seconds(30)
    static let afterOwnerChange: Duration = .seconds(5)

    package init(_ choice: PowerChoice = .auto) {
        self.choice = choice
        status = Self.fixed(choice) ?? .unknown
    }

    /// - Returns: the new status, if it changed.
    package mutating func step(_ event: Event, at now: Uptime) -> PowerStatus? {
        switch event {
        case .facts(let new): facts = new
        case .upowerChanged: trustsFrom = max(trustsFrom, now + Self.afterOwnerChange)
        case .resumed: trustsFrom = max(trustsFrom, now + Self.afterResume)
        case .time: break
        }
        // The last mode was needed until now.
        need(current.mode, at: now)
        if now >= trustsFrom { trusted = facts.upower }
        var used = facts
        used.upower = trusted
        current = PowerStatus(judging: used)
        need(current.mode, at: now)
        let held = PowerMode.allCases.last { mode in
            // Services report a change with several signals. A mode that appears only between two of these
            // signals ends sooner.
            let time = mode == status.mode ? Self.stability : Self.stability - Self.settling
            return lastNeeded[mode].map { now - $0 < time } ?? false
        }
        var next = current
        if let held, held > current.mode {
            next.mode = held
            if status.mode == held { next.reason = status.reason }
        }
        return adopt(next)
    }

    /// The time when the status may change without an event.
    package var nextWake: Uptime {
        var next = Uptime.never
        if trustsFrom > .start, trusted != facts.upower { next = trustsFrom }
        if let last = lastNeeded[status.mode], status.mode > current.mode { next = min(next, last + Self.stability) }
        return next
    }

    private mutating func need(_ mode: PowerMode, at now: Uptime) {
        for lesser in PowerMode.allCases where lesser <= mode { lastNeeded[lesser] = now }
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
        case .normal: PowerStatus(mode: .normal, reason: "set in the configuration", supply: .unknown)
        case .low: PowerStatus(mode: .low, reason: "set in the configuration", supply: .unknown)
        }
    }
}
