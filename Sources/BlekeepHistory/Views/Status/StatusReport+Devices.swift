import BlekeepOutputs
import BlekeepRecords

/// The devices as users see them.
extension StatusReport {
    /// Advice about an adapter that has too little time for all its devices.
    package var shortage: String? { poller.adapters.lazy.compactMap(\.shortage).first }

    /// What prevents polling of all devices: the bus, bluetoothd, or the state of each adapter.
    package var outage: ReadingFailure? {
        if let outage = poller.outage { return outage }
        let adapters = poller.adapters
        guard let first = adapters.first, adapters.allSatisfy({ !$0.isOn || $0.trouble?.code == .noDiscovery }) else {
            return nil
        }
        let isOff = adapters.contains { !$0.isOn }
        return ReadingFailure(isOff ? .adapterOff : .noDiscovery, "\(first.name) is \(isOff ? "off" : "on")")
    }

    package var powerText: String { poller.power?.description ?? "not known yet" }

    /// The devices: first those for which a rule fires, then those that need the user.
    package var rankedDevices: [DeviceStatus] {
        let firing = Set(isPolling ? rules.filter(\.isFiring).map(\.device) : [])
        func rank(_ device: DeviceStatus) -> Int {
            firing.contains(device.id) ? 0 : ShownState.allCases.firstIndex(of: ShownState(device)) ?? 0
        }
        return devices.sorted { left, right in
            rank(left) != rank(right)
                ? rank(left) < rank(right) : NaturalOrder.precedes(left.name, right.name)
        }
    }

    /// Returns the time between ticks and the reason for it, such as `1m: low battery`.
    package func intervalText(of device: DeviceStatus) -> String {
        let reason =
            switch device.intervalReason {
            case _ where device.pause != nil: "by a user\(device.pause.map(end) ?? "")"
            case .configured: ""
            case .power: Untrusted(poller.power?.reason ?? "", limit: 100).description
            case .unchanged: "no new values recently"
            case .paused: "by a user"
            case .standby: "another gateway reads it"
            }
        let interval =
            device.interval.map(DurationText.text)
            ?? (reason.isEmpty ? "" : device.isStandingBy ? "none" : "paused")
        return reason.isEmpty ? interval : "\(interval): \(reason)"
    }

    /// When a device's memory was asked last, and what was missing then; `nil` for a device without the key `log`.
    package func fillingText(of device: DeviceID) -> String? {
        guard let filling = fillings[device] else { return nil }
        guard let filling else { return "not yet" }
        let age = span(filling.time)
        let missing = filling.stored == 0 ? "nothing" : filling.stored == 1 ? "1 value" : "\(filling.stored) values"
        let rest = filling.isWhole ? "" : "; the rest comes later"
        return
            "\(age) ago with \(missing) of the \(AttemptMessages.span(from: filling.since, to: filling.time)) before\(rest)"
    }

    private func end(of pause: UserPause) -> String {
        guard case .until(let end) = pause else { return "" }
        return end > now ? ", for \(AttemptMessages.span(from: now, to: end)) more" : ", until now"
    }
}
