extension StoredDeviceStatus {
    /// Takes the device's condition at `time`.
    package mutating func record(_ condition: DeviceCondition, at time: Int64) {
        let state = State(condition)
        if self.state != state { since = time }
        self.state = state
        let trouble = condition.trouble
        failures = trouble?.attempts ?? 0
        remedy = trouble?.remedy.map { .known($0) }
        guard case .good(let success) = condition else {
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
    package init(_ condition: DeviceCondition) {
        self =
            switch condition {
            case .new: .new
            case .good: .good
            case .trying: .trying
            case .lost: .lost
            case .needsUser: .needsYou
            }
    }
}

extension DeviceCondition {
    /// Returns the condition in an earlier run; `.new` when the ledger lacks the failure.
    ///
    /// - Parameter last: the device's last entry.
    package init(_ status: StoredDeviceStatus, _ last: LedgerEntry?) {
        if status.state == .good {
            self = .good(DeviceCondition.Success(ticks: status.goods, missing: status.failure))
            return
        }
        guard status.state != .new, let failure = status.failure else {
            self = .new
            return
        }
        let phase = last.flatMap { $0.failure?.code == failure.code ? $0.phase.known : nil }
        let trouble = DeviceCondition.Trouble(
            attempts: status.failures, phase: phase ?? .read, failure: failure, remedy: status.remedy?.known)
        self =
            switch status.state {
            case .lost: .lost(trouble)
            case .needsYou: .needsUser(trouble)
            case .new, .good, .trying: .trying(trouble)
            }
    }
}
