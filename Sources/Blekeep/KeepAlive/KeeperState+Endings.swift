import DBus
import RunLoop

/// How attempts, links and runs end.
extension KeeperState {
    mutating func fail(
        _ id: DeviceID, in phase: Attempt.Phase, _ failure: ReadingFailure, _ remedy: Remedy, _ now: Uptime
    ) {
        devices[id].lastFailure = failure
        let isQuick = devices[id].backoff.isQuick && remedy != .wait
        let pause = max(devices[id].backoff.fail(), remedy == .backOff ? Timing.contended : .zero)
        devices[id].notBefore = now + pause
        effects.append(.attempt(id, Attempt(phase: phase, failure: failure, remedy: remedy, pause: pause)))
        if isQuick { return }
        lost(id, failure)
        giveUpTick(id, now)
    }

    mutating func lost(_ id: DeviceID, _ failure: ReadingFailure) {
        if !devices[id].isLost { note(.warning, id, "\(failure.message); trying on") }
        devices[id].isLost = true
    }

    /// Ends our own link, or lets somebody else's be.
    mutating func disconnect(_ id: DeviceID, _ now: Uptime) {
        guard let facts = devices[id].facts, devices[id].owns else {
            devices[id].activity = .none
            return
        }
        devices[id].activity = .disconnecting(until: now + Timing.disconnect)
        effects.append(.disconnect(id, facts.path))
    }

    /// Ends an attempt that may still be under way in BlueZ.
    mutating func cancel(_ id: DeviceID, _ now: Uptime) {
        let path = devices[id].facts?.path
        abandonLink(id)
        guard let path else { return }
        devices[id].activity = .disconnecting(until: now + .milliseconds(500))
        effects.append(.disconnect(id, path))
    }

    mutating func releaseAll(_ now: Uptime) {
        for id in devices.indices {
            switch devices[id].activity {
            case .disconnecting: continue
            case .connecting: cancel(id, now)
            default: if devices[id].isConnected { disconnect(id, now) }
            }
        }
        for path in adapters.keys.sorted() {
            if case .on = adapters[path]?.discovery {
                adapters[path]?.discovery = .stopping
                effects.append(.stopDiscovery(path))
            }
        }
        if !isSettled {
            isSettled = true
            effects.append(.settle)
            if isSleeping { effects.append(.flushed) }
        }
    }

    mutating func note(_ level: Notice.Level, _ id: DeviceID?, _ text: String) {
        effects.append(.notice(Notice(level: level, device: id, text: text)))
    }
}
