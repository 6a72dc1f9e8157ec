extension Verdict {
    /// The verdict after a success.
    ///
    /// - Parameter missing: why another value could not be read.
    func succeeding(_ missing: ReadingFailure?) -> Self {
        guard case .good(let before) = self else { return .good(Verdict.Success(ticks: 1, missing: missing)) }
        return .good(Verdict.Success(ticks: before.ticks.next, missing: missing))
    }

    /// The verdict after a failed attempt. Of needs you and lost, only a success is the end.
    func failing(_ attempt: Attempt, _ failure: ReadingFailure) -> Self {
        let trouble = Verdict.Trouble(
            attempts: (self.trouble?.attempts ?? 0).next, phase: attempt.phase, failure: failure,
            remedy: attempt.remedy)
        if attempt.needsUser { return .needsUser(trouble) }
        switch self {
        case .needsUser: return .needsUser(trouble)
        case .lost: return .lost(trouble)
        case .new, .good, .trying:
            let isLost = trouble.attempts > Health.quickTries || attempt.pause ?? .zero >= Health.longPause
            return isLost ? .lost(trouble) : .trying(trouble)
        }
    }

    /// The last failed attempt once more; `nil`: this is another failure.
    func repeated(_ failure: ReadingFailure) -> Attempt? {
        guard let trouble, trouble.failure.code == failure.code else { return nil }
        return Attempt(phase: trouble.phase, failure: failure, remedy: trouble.remedy ?? .retry)
    }

    /// The verdict of this run together with that of the run before it.
    func resuming(_ earlier: Self) -> Self {
        switch (self, earlier) {
        case (.new, _): earlier
        case (.good(let success), .good(let before)):
            .good(Verdict.Success(ticks: success.ticks.adding(before.ticks), missing: success.missing))
        case (.trying(let trouble), .trying(let before)): .trying(trouble.after(before))
        case (.lost(let trouble), .lost(let before)): .lost(trouble.after(before))
        case (.needsUser(let trouble), .needsUser(let before)): .needsUser(trouble.after(before))
        case (.good, _), (.trying, _), (.lost, _), (.needsUser, _): self
        }
    }
}

extension Verdict.Trouble {
    fileprivate func after(_ before: Self) -> Self {
        var trouble = self
        trouble.attempts = attempts.adding(before.attempts)
        return trouble
    }
}
