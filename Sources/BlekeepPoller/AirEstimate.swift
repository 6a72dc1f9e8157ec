/// What an adapter's devices need of its time, before anything is measured.
struct AirEstimate: Sendable, Hashable {
    /// The number of devices that keep their connections, which costs little.
    var held: Int
    /// The intervals of the devices that take turns.
    var intervals: [Duration]

    init(_ plans: [DevicePlan], slots: Int) {
        let owners = SlotOwners(of: plans.enumerated().map { $1.worth(of: DeviceNumber($0), place: $0) }, slots: slots)
        let taking = plans.enumerated().filter { id, plan in
            !(owners.contains(DeviceNumber(id)) && plan.isHeld(every: plan.shortestInterval, hasSlot: true))
        }
        intervals = taking.map(\.element.shortestInterval)
        held = plans.count - intervals.count
    }

    /// - Parameter adapter: the adapter's name.
    func lines(of adapter: String) -> [String] {
        let load = AirShortage.load(turn: AirShortage.usualTurn, intervals: intervals)
        let share = load < 0.01 ? "less than 1 %" : "about \(Int((load * 100).rounded())) %"
        let parts = [
            held == 0 ? nil : "\(held) \(held == 1 ? "device keeps its connection" : "devices keep their connections")",
            intervals.isEmpty
                ? nil
                : "\(intervals.count) \(intervals.count == 1 ? "device connects" : "devices connect") for each read, "
                    + "which takes \(share) of the time",
        ]
        let line = "air time of \(adapter): \(parts.compactMap(\.self).joined(separator: "; "))"
        let shortage = AirShortage(turn: AirShortage.usualTurn, intervals: intervals).map {
            "note: \($0.message(of: adapter)): \(AirShortage.advice)"
        }
        return [line] + (shortage.map { [$0] } ?? [])
    }
}

extension PollConfiguration {
    /// Estimates of the adapters' air time, a line for each adapter that connects devices, and a note if it won't suffice.
    package var airEstimates: [String] {
        let connectable = devices.filter { $0.isPolled && $0.mode != .passive }
        let choices = connectable.map { ($0.adapter ?? adapter)?.description }
        return Set(choices).sorted { ($0 ?? "") < ($1 ?? "") }.flatMap { choice in
            let plans = zip(connectable, choices).filter { $1 == choice }.map {
                DevicePlan(DeviceSetting($0.0, in: self))
            }
            return AirEstimate(plans, slots: maxLinks).lines(of: choice ?? "the adapter")
        }
    }
}

extension PollConfiguration {
    /// What keeping connections costs batteries, and what would spare them; empty where nothing is kept that needs not be.
    package var batteryNotes: [String] {
        let held = devices.filter { device in
            let plan = DevicePlan(DeviceSetting(device, in: self))
            return device.isPolled && device.battery != .mains && !plan.subscribes
                && plan.isHeld(every: plan.shortestInterval, hasSlot: true)
        }
        let unknown = held.filter { $0.battery == nil }
        let cost = Battery.usual.text(RadioUse.held.chargePerYear)
        return [
            unknown.isEmpty
                ? nil
                : "\(Self.list(unknown.map(\.name))): a kept connection takes \(cost) a year, which is weeks; `battery: cr2032` has "
                    + "blekeep connect only to read, and `battery: none` is for mains",
            held.count == unknown.count
                ? nil
                : "\(Self.list(held.filter { $0.battery != nil }.map(\.name))): blekeep keeps the connection, which takes \(cost) a year: "
                    + "there is no time to connect for each read; poll less often, or with `mode: release`",
        ].compactMap(\.self)
    }
}
