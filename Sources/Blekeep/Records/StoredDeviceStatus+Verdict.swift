extension StoredDeviceStatus {
    /// Takes what the device is judged to be since `time`, if that is another state.
    mutating func record(_ verdict: Verdict, at time: Int64) {
        let state = State(verdict)
        if self.state != state { since = time }
        self.state = state
        let trouble = verdict.trouble
        failures = trouble?.attempts ?? 0
        remedy = trouble?.remedy.map { .known($0) }
        guard case .good(let success) = verdict else {
            goods = 0
            failure = trouble?.failure
            return
        }
        goods = success.ticks
        failure = success.missing
        lastGood = time
    }
}

extension StoredDeviceStatus.State {
    init(_ verdict: Verdict) {
        self =
            switch verdict {
            case .new: .new
            case .good: .good
            case .trying: .trying
            case .lost: .lost
            case .needsUser: .needsYou
            }
    }
}

extension Verdict {
    /// What an earlier run judged a device to be; `.new` where the ledger lacks the reason.
    ///
    /// - Parameter last: the device's last entry.
    init(_ standing: StoredDeviceStatus, _ last: LedgerEntry?) {
        if standing.state == .good {
            self = .good(Verdict.Success(ticks: standing.goods, missing: standing.failure))
            return
        }
        guard standing.state != .new, let failure = standing.failure else {
            self = .new
            return
        }
        let phase = last.flatMap { $0.failure?.code == failure.code ? $0.phase.known : nil }
        let trouble = Verdict.Trouble(
            attempts: standing.failures, phase: phase ?? .read, failure: failure, remedy: standing.remedy?.known)
        self =
            switch standing.state {
            case .lost: .lost(trouble)
            case .needsYou: .needsUser(trouble)
            case .new, .good, .trying: .trying(trouble)
            }
    }
}
