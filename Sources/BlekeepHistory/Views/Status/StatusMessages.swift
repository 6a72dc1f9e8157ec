import BlekeepOutputs
import BlekeepRecords

/// The sentences about a device's status.
package enum StatusMessages {
    package static func sentence(_ status: DeviceStatus, now: Int64) -> String {
        switch status.pause {
        case .untilResumed?: return "paused by a user; 'blekeep resume' ends the pause"
        case .until(let end)?:
            return "paused by a user for \(AttemptMessages.span(from: min(now, end), to: end)) more; "
                + "'blekeep resume' ends the pause"
        case nil: break
        }
        if status.isStandingBy {
            return "another gateway reads it; this one \(status.link == .listening ? "hears" : "doesn't hear") it"
        }
        let span = AttemptMessages.span(from: status.since, to: now)
        let (good, failed) = (status.condition.goodInARow, status.condition.failedInARow)
        let goods = "\(good) good \(good == 1 ? "tick" : "ticks") in a row"
        let failures = "\(failed) failed \(failed == 1 ? "attempt" : "attempts")"
        switch status.state {
        case .new where status.link.isOurs && status.link.isConnected: return "new: connected, but not read yet"
        case .new where status.link == .connecting: return "new: blekeep is connecting"
        case .new: return "new: no attempts yet"
        case .good: return "good for \(span), \(goods)"
        case .trying: return "trying for \(span), \(failures)"
        case .lost: return "lost for \(span), \(failures)"
        case .needsUser: return "needs you, for \(span)"
        }
    }

    /// Returns the next step for a device that isn't well; `nil` for one that is.
    ///
    /// - Parameter when: the time of the next step; `nil` for now.
    package static func prospect(_ status: DeviceStatus, when: String?) -> String? {
        if status.pause != nil || status.isStandingBy { return nil }
        if status.state == .good || status.state == .new && status.link.isIdle { return nil }
        switch status.link {
        case .foreign:
            return "Another program has a connection to the device. blekeep reads over it \(when ?? "now")."
        case .connecting:
            return "blekeep is connecting\(when.map { "; if that fails, next attempt \($0)" } ?? "")."
        case .resolving, .reading, .held, .closing:
            if status.state == .needsUser { break }
            return "The device is connected. Next read \(when ?? "now"), or blekeep reconnects."
        case .released, .listening, .searching: break
        }
        return "Next attempt \(when ?? "as soon as its turn comes")."
    }
}

extension GatewayStatus.Adapter {
    /// What the user can do when the adapter has too little time for all its devices.
    package var shortage: String? {
        guard case .tooManyDevices(let shortage)? = trouble else { return nil }
        return Advice.sentence(shortage, of: name)
    }
}
