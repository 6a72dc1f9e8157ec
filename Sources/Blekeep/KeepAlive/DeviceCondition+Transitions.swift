extension DeviceCondition {
    /// Returns the condition after a success.
    ///
    /// - Parameter missing: the failure of another value.
    func succeeding(_ missing: ReadingFailure?) -> Self {
        guard case .good(let before) = self else { return .good(DeviceCondition.Success(ticks: 1, missing: missing)) }
        return .good(DeviceCondition.Success(ticks: before.ticks.next, missing: missing))
    }

    /// Returns the condition after a failed attempt. Only a success ends `needsUser` and `lost`.
    func failing(_ attempt: Attempt, _ failure: ReadingFailure) -> Self {
        let trouble = DeviceCondition.Trouble(
            attempts: (self.trouble?.attempts ?? 0).next, phase: attempt.phase, failure: failure,
            remedy: attempt.remedy)
        if attempt.needsUser { return .needsUser(trouble) }
        switch self {
        case .needsUser: return .needsUser(trouble)
        case .lost: return .lost(trouble)
        case .new, .good, .trying:
            let isLost = LostDeviceRule.isLost(after: trouble.attempts, pause: attempt.pause)
            return isLost ? .lost(trouble) : .trying(trouble)
        }
    }

    /// Returns the last failed attempt again; `nil` for a different failure.
    func repeated(_ failure: ReadingFailure) -> Attempt? {
        guard let trouble, trouble.failure.code == failure.code else { return nil }
        return Attempt(phase: trouble.phase, failure: failure, remedy: trouble.remedy ?? .retry)
    }

    /// Returns the condition of this run, continued from the last run.
    func resuming(_ earlier: Self) -> Self {
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
