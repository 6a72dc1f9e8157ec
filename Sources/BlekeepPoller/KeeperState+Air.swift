import RunLoop

/// Adapters that lack the air time for all their devices. All devices are then read less often.
extension KeeperState {
    /// Takes a tick without a turn.
    mutating func turnMissed(_ id: DeviceIndex, _ shortage: AirShortage) {
        guard let index = adapterIndex(of: id) else { return }
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

    /// Returns the lack of air time of an adapter; `nil` without one.
    func shortage(on index: Int, share: Double = 1, _ now: Uptime) -> AirShortage? {
        guard let turn = adapters[index].queue.air.turn else { return nil }
        let owners = slotOwners(on: index, now)
        let intervals = devices.indices.compactMap {
            takesTurns($0, on: index, owners) ? devices[$0].shortestInterval : nil
        }
        return AirShortage(turn: turn, intervals: intervals, share: share)
    }

    /// Whether the device needs a turn for each of its ticks.
    private func takesTurns(_ id: DeviceIndex, on index: Int, _ owners: SlotOwners) -> Bool {
        isConnectable(id, on: index) && devices[id].retry.isReliable
            && !(devices[id].isHeld(owners: owners) && owners.contains(id))
    }
}

extension PollConfiguration {
    /// Estimates of the adapters' air time, a line for each adapter that connects devices, and a note if it won't suffice.
    package var airEstimates: [String] {
        let connectable = devices.filter { $0.isEnabled && $0.mode != .passive }
        let choices = connectable.map { ($0.adapter ?? adapter)?.description }
        return Set(choices).sorted { ($0 ?? "") < ($1 ?? "") }.flatMap { choice in
            let plans = zip(connectable, choices).filter { $1 == choice }.map {
                DevicePlan(DeviceSetting($0.0, in: self))
            }
            return AirEstimate(plans, slots: maxLinks).lines(of: choice ?? "the adapter")
        }
    }
}

/// What an adapter's devices need of its time, before anything is measured.
struct AirEstimate: Sendable, Hashable {
    /// The number of devices that keep their connections, which costs little.
    var held: Int
    /// The intervals of the devices that take turns.
    var intervals: [Duration]

    init(_ plans: [DevicePlan], slots: Int) {
        let owners = SlotOwners(of: plans.enumerated().map { $1.worth(of: $0, place: $0) }, slots: slots)
        let taking = plans.enumerated().filter { id, plan in
            !(owners.contains(id) && plan.isHeld(every: plan.shortestInterval, hasSlot: true))
        }
        intervals = taking.map(\.element.shortestInterval)
        held = plans.count - intervals.count
    }

    /// - Parameter adapter: the adapter's name.
    func lines(of adapter: String) -> [String] {
        let load = AirShortage.load(turn: AirTime.usual, intervals: intervals)
        let share = load < 0.01 ? "less than 1 %" : "about \(Int((load * 100).rounded())) %"
        let parts = [
            held == 0 ? nil : "\(held) \(held == 1 ? "device keeps its connection" : "devices keep their connections")",
            intervals.isEmpty
                ? nil
                : "\(intervals.count) \(intervals.count == 1 ? "device connects" : "devices connect") for each read, "
                    + "which takes \(share) of the time",
        ]
        let line = "air time of \(adapter): \(parts.compactMap(\.self).joined(separator: "; "))"
        let shortage = AirShortage(turn: AirTime.usual, intervals: intervals).map {
            "note: \($0.message(of: adapter)): \(AirShortage.advice)"
        }
        return [line] + (shortage.map { [$0] } ?? [])
    }
}
