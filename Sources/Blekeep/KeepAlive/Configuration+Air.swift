import RunLoop

extension Configuration {
    /// Notes about adapters that are likely to lack air time for their devices.
    package var airEstimates: [String] {
        let connectable = devices.filter { $0.mode != .passive }
        let choices = connectable.map { ($0.adapter ?? adapter)?.description }
        return Set(choices).sorted { ($0 ?? "") < ($1 ?? "") }.compactMap { choice in
            let plans = zip(connectable, choices).filter { $1 == choice }.map {
                DevicePlan(DeviceSetting($0.0, in: self))
            }
            return airEstimate(plans, on: choice ?? "the adapter")
        }
    }

    private func airEstimate(_ plans: [DevicePlan], on adapter: String) -> String? {
        let owners = SlotOwners(of: plans.enumerated().map { $1.worth(of: $0) }, slots: maxLinks)
        let taking = plans.enumerated().filter { id, plan in
            !(owners.contains(id) && plan.isHeld(every: plan.shortestInterval, hasSlot: true))
        }
        return AirShortage(turn: AirTime.usual, intervals: taking.map(\.element.shortestInterval)).map {
            "note: \($0.message(of: adapter)): \(AirShortage.advice)"
        }
    }
}
