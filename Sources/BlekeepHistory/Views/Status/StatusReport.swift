import BlekeepRecords

/// The status of the poller and its devices at a given time, from the records in the history.
package struct StatusReport: Sendable {
    package let poller: GatewayStatus
    package private(set) var devices: [DeviceStatus]
    package var sinks: [SinkStatus] = []
    /// The rules with each device.
    package var rules: [RuleStatus] = []
    /// The polling process; `nil` when blekeep isn't polling.
    package let pid: Int32?
    package let now: Int64
    /// The machine's clocks; `nil` to ignore how long the poller is silent.
    package var clocks: ClockReading?
    /// Whether the process is stopped by a signal.
    package var isStopped = false
    /// Whether the disk with the history is full.
    package var isDiskFull = false
    /// The size of the history's log in bytes, while a program keeps it from shrinking; `nil` otherwise.
    package var heldLog: Int64?
    /// Files that blekeep put aside beside the history.
    package var copies: [HistoryCopy] = []
    /// The gateway's name; `nil` where nobody asks for it.
    package var gateway: String?
    /// The names of the devices that the configuration disables.
    package var disabled: [String] = []
    /// The names of the devices that other gateways read, by the gateway.
    package var elsewhere: [String: [String]] = [:]
    /// The devices with the key `log`: what came of asking their memory; `nil` for one that never answered.
    package var fillings: [DeviceID: LastFilling?] = [:]
    /// For those who show values.
    package var newest = NewestValues([]) {
        didSet {
            // A device may have sent them by itself, since its last tick.
            for index in devices.indices {
                guard let time = newest.devices[devices[index].id]?.time else { continue }
                devices[index].lastValue = max(devices[index].lastValue ?? time, time)
            }
        }
    }

    /// Whether the process should have written since its last write.
    package var isSilent: Bool {
        guard pid != nil else { return false }
        // The process started, but hasn't written yet.
        if poller.ended != nil { return true }
        guard let life = poller.life, let clocks else { return false }
        return life.isOverdue(at: clocks)
    }

    /// Whether blekeep is polling. Otherwise, the states of devices, adapters and sinks are those of its last write.
    package var isPolling: Bool { pid != nil && !isSilent }

    /// The time since which the states are stale; `nil` while blekeep is polling.
    package var staleSince: Int64? { isPolling ? nil : seen }

    /// The time of the last write.
    package var seen: Int64 { devices.map(\.lastEnd).reduce(poller.seen, max) }

    package func name(of device: DeviceID) -> String {
        devices.first { $0.id == device }?.name ?? device.description
    }

    package func span(_ time: Int64) -> String { AttemptMessages.span(from: min(time, now), to: now) }

    /// Why blekeep doesn't poll a device; `nil` for a device that it polls.
    package func exclusion(of device: DeviceID, configured: [DeviceConfiguration]) -> PollExclusion? {
        if let known = configured.first(where: { $0.id == device }) { return known.exclusion }
        return devices.contains { $0.id == device } ? nil : .unconfigured
    }
}

extension StatusReport {
    /// Returns the report about these devices only. What isn't about a device stays.
    package func only(_ ids: [DeviceID], of configured: [DeviceConfiguration]) -> StatusReport {
        let wanted = Set(ids)
        let names = Set(configured.filter { wanted.contains($0.id) }.map(\.name))
        var report = self
        report.devices = devices.filter { wanted.contains($0.id) }
        report.rules = rules.filter { wanted.contains($0.device) }
        report.fillings = fillings.filter { wanted.contains($0.key) }
        report.disabled = disabled.filter(names.contains)
        report.elsewhere = elsewhere.mapValues { $0.filter(names.contains) }.filter { !$0.value.isEmpty }
        return report
    }
}

/// What isn't well: the worst that holds.
package enum StatusTrouble: String, Sendable, CaseIterable {
    /// `poll` isn't running, or writes too rarely.
    case notPolling = "not_polling"
    case noBluez = "no_bluez"
    case noAdapter = "no_adapter"
    case someFail = "some_fail"
    case allFail = "all_fail"
    /// All devices fail, and only the user can help.
    case allNeedUser = "all_need_user"
    /// All devices are well, and a rule fires.
    case ruleFires = "rule_fires"
    /// All devices are well, and a sink fails.
    case someSinksFail = "some_sinks_fail"
}

extension StatusReport {
    /// What isn't well; `nil` when all is.
    package var trouble: StatusTrouble? {
        guard isPolling else { return .notPolling }
        if poller.outage != nil { return .noBluez }
        if !poller.adapters.contains(where: \.isOn) { return .noAdapter }
        let polled = devices.filter { $0.pause == nil && !$0.isStandingBy }
        let unwell = polled.filter { $0.state != .good }
        if unwell.isEmpty, rules.contains(where: \.isFiring) { return .ruleFires }
        if unwell.isEmpty { return sinks.contains { $0.failure != nil } ? .someSinksFail : nil }
        guard unwell.count == polled.count else { return .someFail }
        return unwell.allSatisfy { $0.state == .needsUser } ? .allNeedUser : .allFail
    }
}
