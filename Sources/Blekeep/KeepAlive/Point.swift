import RunLoop

/// A characteristic that is polled or subscribed to, on one link.
final class Point {
    let plan: PointPlan
    var isSubscribed = false
    /// Since when a value has come on this link.
    var hasValue = false
    /// Whether one has come by itself since the last tick.
    var hasNews = false

    init(_ plan: PointPlan) {
        self.plan = plan
    }

    var characteristic: GattCharacteristic { plan.characteristic }
    var memory: PointMemory { plan.memory }
}

extension [Point] {
    /// The same, but those last that were not answered: they do not keep the others from being read.
    var doubtfulLast: [Point] {
        contains(where: \.memory.isDoubtful) ? filter { !$0.memory.isDoubtful } + filter(\.memory.isDoubtful) : self
    }
}
