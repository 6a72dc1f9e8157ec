import RunLoop

extension Configuration {
    /// What there is to say, before anything was measured, of adapters that have too little time for their devices.
    package var airEstimates: [String] {
        let connectable = devices.filter { $0.mode != .passive }
        let choices = connectable.map { ($0.adapter ?? adapter)?.description }
        return Set(choices).sorted { ($0 ?? "") < ($1 ?? "") }.compactMap { choice in
            let plans = zip(connectable, choices).filter { $1 == choice }.map { DevicePlan($0.0, in: self, count: nil) }
            return airEstimate(plans, on: choice ?? "the adapter")
        }
    }

    private func airEstimate(_ plans: [DevicePlan], on adapter: String) -> String? {
        let held = SlotOwners.count(of: plans.count, slots: maxLinks)
        let mayBeHeld = plans.filter { [.auto, .hold].contains($0.mode) && $0.shortestInterval <= Timing.worthHolding }
        let taking = plans.map(\.shortestInterval).sorted().dropFirst(min(held, mayBeHeld.count))
        return AirShortage(turn: AirTime.usual, intervals: Array(taking)).map {
            "note: \($0.words(of: adapter)); poll them less often, or add an adapter"
        }
    }
}
