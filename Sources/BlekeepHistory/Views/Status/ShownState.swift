import BlekeepRecords

/// The state of a device as users see it, in the order of lists.
package enum ShownState: String, Sendable, CaseIterable {
    /// A rule fires for a device that blekeep reads.
    case alarm
    case needsUser = "needs_user"
    case lost, trying, new, paused
    /// Another gateway reads the device.
    case standby
    /// blekeep isn't polling, so that only an earlier state is known.
    case stale
    case good

    /// The state in the device's last record.
    package init(_ device: DeviceStatus) {
        self =
            switch device.state {
            case _ where device.pause != nil: .paused
            case _ where device.isStandingBy: .standby
            case .new: .new
            case .good: .good
            case .trying: .trying
            case .lost: .lost
            case .needsUser: .needsUser
            }
    }
}

extension ShownState {
    /// Whether blekeep doesn't read the device, because a user or another gateway wants it so.
    package var isAtRest: Bool { self == .paused || self == .standby }
}

extension StatusReport {
    /// The state of a device. Without a poller, only those stay that say nothing about the device itself.
    package func state(of device: DeviceStatus) -> ShownState {
        let state = ShownState(device)
        if [.good, .trying, .new].contains(state), !alarms(of: device.id).isEmpty { return .alarm }
        return isPolling || state == .new || state.isAtRest ? state : .stale
    }

    /// The state of a device with the state before it, such as `stale, was lost`.
    package func stateText(of device: DeviceStatus) -> String {
        let (now, before) = (state(of: device), ShownState(device))
        return now == before || now == .alarm ? now.words : "\(now.words), was \(before.words)"
    }

    package func since(_ device: DeviceStatus) -> Int64 {
        switch state(of: device) {
        case .stale: seen
        case .alarm: alarms(of: device.id).compactMap(\.since).min() ?? device.since
        default: device.since
        }
    }
}
