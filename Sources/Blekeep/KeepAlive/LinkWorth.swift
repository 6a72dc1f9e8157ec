import RunLoop

/// What a held connection is worth where there are too few slots. The least is worth most.
struct LinkWorth: Sendable, Hashable, Comparable {
    let id: DeviceID
    /// Whether values come through it by themselves: without it they are lost.
    var subscribes: Bool
    /// How often in succession the device has failed.
    var failures: Int
    var interval: Duration

    static func < (left: LinkWorth, right: LinkWorth) -> Bool {
        if left.subscribes != right.subscribes { return left.subscribes }
        return (left.failures, left.interval, left.id) < (right.failures, right.interval, right.id)
    }
}

extension DevicePlan {
    func worth(of id: DeviceID, failures: Int = 0) -> LinkWorth {
        LinkWorth(id: id, subscribes: subscribes, failures: failures, interval: shortestInterval)
    }
}
