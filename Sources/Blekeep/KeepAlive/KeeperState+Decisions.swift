import DBus
import RunLoop

/// What is to be done, from the keeper's state.
extension KeeperState {
    mutating func decide(_ now: Uptime) {
        let isAwakeForTicks = devices.contains { $0.isDue(at: now) }
        for id in devices.indices {
            expire(id, now)
            if let due = devices[id].takeDue(at: now, inCompany: isAwakeForTicks) {
                if devices[id].tick != nil { giveUpTick(id, now) }
                devices[id].begin(due)
                isSettled = false
                // A pause that lasts beyond this tick: nothing will come of it.
                if devices[id].notBefore >= devices[id].nextTick { giveUpTick(id, now) }
            }
        }
        if now >= activation {
            effects.append(.activate)
            activation = now + activationPause
            activationPause = min(activationPause * 2, Timing.longestActivationPause)
        }
        if outage == nil {
            for id in devices.indices { useLink(id, now) }
            for path in adapters.keys.sorted() { useRadio(path, now) }
        }
        let isUnderWay = devices.contains { $0.tick != nil && outage == nil && now >= $0.notBefore }
        if !isSettled, !isUnderWay {
            isSettled = true
            effects.append(.settle)
        }
    }

    /// Ends what has taken too long.
    mutating func expire(_ id: DeviceID, _ now: Uptime) {
        switch devices[id].activity {
        case .connecting(let until) where now >= until:
            cancel(id, now)
            fail(
                id, in: .connect, ReadingFailure(code: "connect", message: "the connection was not made in time"),
                .retry, now)
        case .resolving(let until) where now >= until:
            disconnect(id, now)
            fail(
                id, in: .resolve, ReadingFailure(code: "services", message: "the services were not resolved in 30 s"),
                .retry, now)
        case .disconnecting(let until) where now >= until: abandonLink(id)
        default: break
        }
        if devices[id].tick != nil, devices[id].activity != .polling, now >= giveUp(devices[id]) {
            giveUpTick(id, now)
        }
    }

    /// When a tick that could not be worked on so far is given up; a finite run waits a little for what may come.
    func giveUp(_ device: DeviceState) -> Uptime {
        guard let tick = device.tick, device.activity != .polling else { return .never }
        guard device.plan.count != nil else { return .never }
        let isHopeless = outage != nil || adapterState(of: device)?.facts.isPowered != true
        return tick.deadline + (isHopeless ? Timing.finiteOutage : max(Timing.finiteTick, device.plan.shortestInterval))
    }

    mutating func giveUpTick(_ id: DeviceID, _ now: Uptime) {
        guard let tick = devices[id].tick else { return }
        let failure =
            cause(of: id) ?? devices[id].lastFailure
            ?? ReadingFailure(code: "late", message: "its turn did not come in time")
        devices[id].lastFailure = failure
        effects.append(.failed(id, tick: tick.number, failure))
        devices[id].endTick(good: false)
    }

    /// What stands above the device and keeps it from being polled.
    func cause(of id: DeviceID) -> ReadingFailure? {
        switch outage {
        case .bus(let why): return ReadingFailure(code: "no-bus", message: why)
        case .bluez: return ReadingFailure(code: "no-bluez", message: "bluetoothd is not running")
        case nil: break
        }
        guard let adapter = adapterState(of: devices[id]) else {
            return ReadingFailure(code: "no-adapter", message: "there is no such Bluetooth adapter")
        }
        if adapter.facts.isPowered { return nil }
        return ReadingFailure(
            code: "adapter-off",
            message: "the adapter \(adapter.facts.path.name) is off; turn it on with bluetoothctl power on")
    }

    mutating func useLink(_ id: DeviceID, _ now: Uptime) {
        let device = devices[id]
        guard device.isIdle, let facts = device.facts, facts.isConnected else { return }
        if !facts.isResolved {
            devices[id].activity = .resolving(until: now + Timing.resolve)
        } else if let tick = device.tick, now >= device.notBefore {
            devices[id].activity = .polling
            effects.append(.poll(id, link: device.link, facts.path, tick))
        }
    }

    mutating func useRadio(_ path: ObjectPath, _ now: Uptime) {
        guard let adapter = adapters[path], adapter.facts.isPowered else { return }
        let mine = devices.filter { self.adapter(of: $0.id) == path }
        let wanting = mine.filter {
            $0.isIdle && !$0.isConnected && $0.wantsLink(holding: isHeld($0), at: now)
        }
        let missing = wanting.filter { $0.facts == nil }
        let candidates = wanting.filter { $0.facts != nil }
        switch adapter.discovery {
        case .starting, .stopping: return
        case .on:
            guard
                adapter.hasSearchedEnough(
                    found: !candidates.isEmpty, missing: !missing.isEmpty, longest: longestSearch, at: now)
            else { return }
            stopDiscovery(path, missing, now)
        case .off:
            guard adapter.connecting == nil else { return }
            if connectNext(candidates, among: mine, path, now) { return }
            if candidates.isEmpty, missing.contains(where: maySearch), now >= adapter.noDiscoveryBefore {
                adapters[path]?.discovery = .starting
                effects.append(.startDiscovery(path))
            }
        }
    }

    mutating func stopDiscovery(_ path: ObjectPath, _ missing: [DeviceState], _ now: Uptime) {
        guard case .on(let since, _)? = adapters[path]?.discovery else { return }
        adapters[path]?.discovery = .stopping
        effects.append(.stopDiscovery(path))
        for device in missing {
            devices[device.id].searched += now - since
            if devices[device.id].searched >= longestSearch {
                devices[device.id].searched = .zero
                fail(
                    device.id, in: .search, ReadingFailure(code: "not-found", message: "the device was not heard"),
                    .wait, now)
            }
        }
    }

    /// Starts one Connect. Whether the radio is taken.
    mutating func connectNext(
        _ candidates: [DeviceState], among mine: [DeviceState], _ path: ObjectPath, _ now: Uptime
    ) -> Bool {
        let used = mine.count { $0.isConnected }
        guard used < maxLinks || candidates.isEmpty else { return true }
        // Who fails again and again comes after all others; then those heard of late, then who has waited longest.
        let next = candidates.min { left, right in
            let failures = (left.backoff.failures, right.backoff.failures)
            if failures.0 != failures.1 { return failures.0 < failures.1 }
            let heard = (
                left.wasHeard(within: Timing.recently, of: now), right.wasHeard(within: Timing.recently, of: now)
            )
            if heard.0 != heard.1 { return heard.0 }
            return (left.tick?.deadline ?? .never, left.id) < (right.tick?.deadline ?? .never, right.id)
        }
        guard let next, let facts = next.facts else { return false }
        let heard = next.wasHeard(within: Timing.recently, of: now)
        let within = heard ? Timing.connectHeard : mine.count > 1 ? Timing.connectShared : Timing.connectUnheard
        devices[next.id].activity = .connecting(until: now + within + .seconds(1))
        devices[next.id].link += 1
        devices[next.id].owns = true
        adapters[path]?.connecting = next.id
        effects.append(.connect(next.id, link: devices[next.id].link, facts.path, within: within))
        return true
    }
}
