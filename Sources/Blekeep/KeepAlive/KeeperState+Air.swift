import RunLoop

/// Radios that have too little time for all their devices. The devices aren't to blame: all are read less often.
extension KeeperState {
    /// A device that can be relied on had no turn in its tick.
    mutating func turnMissed(_ id: DeviceID, _ now: Uptime) {
        guard let place = place(of: id), let shortage = shortage(on: place, now) else { return }
        let isNews = adapters[place].shortage == nil
        adapters[place].shortage = shortage
        shown.isMachineTouched = true
        guard isNews else { return }
        let name = String(adapters[place].facts.path.name)
        tellRecovery(.warning, .noAirTime, "\(shortage.words(of: name)): \(AirShortage.advice)")
    }

    /// Tells when the time has become enough.
    mutating func settleShortage(on place: Int, _ now: Uptime) {
        guard adapters[place].shortage != nil, shortage(on: place, share: 0.9, now) == nil else { return }
        adapters[place].shortage = nil
        shown.isMachineTouched = true
        tellRecovery(.notice, .airTime, "adapter \(adapters[place].facts.path.name) has time for all its devices again")
    }

    /// Whether a tick that has failed for this is the adapter's fault.
    func isForWantOfTime(_ failure: ReadingFailure, _ id: DeviceID) -> Bool {
        failure.code == .known(.late) && place(of: id).map { adapters[$0].shortage != nil } ?? false
    }

    private func shortage(on place: Int, share: Double = 1, _ now: Uptime) -> AirShortage? {
        guard let turn = adapters[place].queue.air.turn else { return nil }
        let owners = slotOwners(on: place, now)
        let intervals = devices.indices.compactMap {
            takesTurns($0, on: place, owners) ? devices[$0].shortestInterval : nil
        }
        return AirShortage(turn: turn, intervals: intervals, share: share)
    }

    /// Whether it needs the radio at each of its ticks.
    private func takesTurns(_ id: DeviceID, on place: Int, _ owners: SlotOwners) -> Bool {
        isConnectable(id, on: place) && devices[id].retry.isReliable && !(isHeld(id, owners) && owners.contains(id))
    }
}
