import RunLoop

/// Adapters that lack the air time for all their devices. All devices are then read less often.
extension KeeperState {
    /// Takes a tick of a reliable device that had no turn.
    mutating func turnMissed(_ id: DeviceIndex, _ now: Uptime) {
        guard let index = adapterIndex(of: id), let shortage = shortage(on: index, now) else { return }
        let isNews = adapters[index].shortage == nil
        adapters[index].shortage = shortage
        shown.isMachineTouched = true
        guard isNews else { return }
        let name = String(adapters[index].facts.path.name)
        logRecovery(.warning, .noAirTime, "\(shortage.message(of: name)): \(AirShortage.advice)")
    }

    /// Reports when the air time is enough again.
    mutating func settleShortage(on index: Int, _ now: Uptime) {
        guard adapters[index].shortage != nil, shortage(on: index, share: 0.9, now) == nil else { return }
        adapters[index].shortage = nil
        shown.isMachineTouched = true
        logRecovery(.notice, .airTime, "adapter \(adapters[index].facts.path.name) has time for all its devices again")
    }

    /// Whether a tick failed because of a lack of air time.
    func isForWantOfTime(_ failure: ReadingFailure, _ id: DeviceIndex) -> Bool {
        failure.code == .known(.late) && adapterIndex(of: id).map { adapters[$0].shortage != nil } ?? false
    }

    private func shortage(on index: Int, share: Double = 1, _ now: Uptime) -> AirShortage? {
        guard let turn = adapters[index].queue.air.turn else { return nil }
        let owners = slotOwners(on: index, now)
        let intervals = devices.indices.compactMap {
            takesTurns($0, on: index, owners) ? devices[$0].shortestInterval : nil
        }
        return AirShortage(turn: turn, intervals: intervals, share: share)
    }

    /// Whether the device needs a turn for each of its ticks.
    private func takesTurns(_ id: DeviceIndex, on index: Int, _ owners: SlotOwners) -> Bool {
        isConnectable(id, on: index) && devices[id].retry.isReliable && !(isHeld(id, owners) && owners.contains(id))
    }
}
