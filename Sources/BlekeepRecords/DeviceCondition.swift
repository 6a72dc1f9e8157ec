/// The condition of a device, from its recent attempts.
package enum DeviceCondition: Sendable, Hashable {
    /// blekeep hasn't tried anything.
    case new
    /// The last tick brought values.
    case good(Success)
    /// An attempt failed, and the next one comes soon.
    case trying(Trouble)
    /// Attempts failed repeatedly.
    case lost(Trouble)
    /// Only the user can help.
    case needsUser(Trouble)

    package struct Success: Sendable, Hashable {
        /// Consecutive ticks with values.
        package var ticks: Int64
        /// The failure of another value in the last tick; `nil` when everything was read.
        package var missing: ReadingFailure?
    }

    package struct Trouble: Sendable, Hashable {
        /// Consecutive failed attempts.
        package var attempts: Int64
        package var phase: Attempt.Phase
        package var failure: ReadingFailure
        /// `nil` when blekeep waits for the next tick.
        package var remedy: Remedy?

        package init(attempts: Int64, phase: Attempt.Phase, failure: ReadingFailure, remedy: Remedy? = nil) {
            (self.attempts, self.phase, self.failure, self.remedy) = (attempts, phase, failure, remedy)
        }
    }

    /// The failed attempts; `nil` in the conditions without one.
    package var trouble: DeviceCondition.Trouble? {
        switch self {
        case .new, .good: nil
        case .trying(let trouble), .lost(let trouble), .needsUser(let trouble): trouble
        }
    }

    /// The last failure, also of a value in a good tick; `nil` when everything was read.
    package var failure: ReadingFailure? {
        if case .good(let success) = self { success.missing } else { trouble?.failure }
    }

    /// Consecutive ticks with values.
    package var goodInARow: Int64 { if case .good(let success) = self { success.ticks } else { 0 } }

    /// Consecutive failed attempts.
    package var failedInARow: Int64 { trouble?.attempts ?? 0 }

    /// The condition without its details.
    package enum State: String, Sendable, CaseIterable {
        case new, good, trying, lost
        case needsUser = "needs_user"
    }

    package var state: State {
        switch self {
        case .new: .new
        case .good: .good
        case .trying: .trying
        case .lost: .lost
        case .needsUser: .needsUser
        }
    }
}

extension DeviceCondition {
    /// The condition with a state; `.new` if it lacks the failure that the state has.
    ///
    /// - Parameters:
    ///   - count: the consecutive ticks with values in `good`, and the consecutive failed attempts otherwise.
    ///   - failure: in `good` that of a value.
    package init(
        _ state: State, inARow count: Int64 = 1, phase: Attempt.Phase = .read, failure: ReadingFailure? = nil,
        remedy: Remedy? = nil
    ) {
        let trouble = failure.map { Trouble(attempts: count, phase: phase, failure: $0, remedy: remedy) }
        self =
            switch state {
            case .new: .new
            case .good: .good(Success(ticks: count, missing: failure))
            case .trying: trouble.map { .trying($0) } ?? .new
            case .lost: trouble.map { .lost($0) } ?? .new
            case .needsUser: trouble.map { .needsUser($0) } ?? .new
            }
    }

    /// Returns the condition after a success.
    ///
    /// - Parameter missing: the failure of another value.
    package func succeeding(_ missing: ReadingFailure?) -> Self {
        guard case .good(let before) = self else { return .good(DeviceCondition.Success(ticks: 1, missing: missing)) }
        return .good(DeviceCondition.Success(ticks: before.ticks.next, missing: missing))
    }

    /// The number of consecutive failed attempts that don't make a device count as lost.
    private static let toleratedAttempts: Int64 = 3
    /// A pause of this length before the next attempt makes the device count as lost at once.
    private static let longPause: Duration = .seconds(60)

    /// Returns the condition after a failed attempt. Only a success ends `needsUser` and `lost`.
    package func failing(_ attempt: Attempt, failure: ReadingFailure) -> Self {
        let trouble = DeviceCondition.Trouble(
            attempts: (self.trouble?.attempts ?? 0).next, phase: attempt.phase, failure: failure,
            remedy: attempt.remedy)
        if attempt.needsUser { return .needsUser(trouble) }
        switch self {
        case .needsUser: return .needsUser(trouble)
        case .lost: return .lost(trouble)
        case .new, .good, .trying:
            let isLost = trouble.attempts > Self.toleratedAttempts || attempt.pause ?? .zero >= Self.longPause
            return isLost ? .lost(trouble) : .trying(trouble)
        }
    }

    /// Returns the condition after a tick without values that isn't the device's fault. A failure before it stays.
    package func skipping(because cause: ReadingFailure) -> Self {
        switch self {
        case .new: .trying(Trouble(attempts: 0, phase: .read, failure: cause))
        case .good(let success): .good(Success(ticks: success.ticks, missing: cause))
        case .trying, .lost, .needsUser: self
        }
    }

    /// Returns the last failed attempt again; `nil` for a different failure.
    package func repeated(_ failure: ReadingFailure) -> Attempt? {
        guard let trouble, trouble.failure.code == failure.code else { return nil }
        return Attempt(phase: trouble.phase, failure: failure, remedy: trouble.remedy ?? .retry)
    }

    /// Returns the condition of this run, continued from the last run.
    package func resuming(_ earlier: Self) -> Self {
        switch (self, earlier) {
        case (.new, _): earlier
        case (.good(let success), .good(let before)):
            .good(DeviceCondition.Success(ticks: success.ticks.adding(before.ticks), missing: success.missing))
        case (.trying(let trouble), .trying(let before)): .trying(trouble.after(before))
        case (.lost(let trouble), .lost(let before)): .lost(trouble.after(before))
        case (.needsUser(let trouble), .needsUser(let before)): .needsUser(trouble.after(before))
        case (.good, _), (.trying, _), (.lost, _), (.needsUser, _): self
        }
    }
}

extension DeviceCondition.Trouble {
    fileprivate func after(_ before: Self) -> Self {
        var trouble = self
        trouble.attempts = attempts.adding(before.attempts)
        return trouble
    }
}
