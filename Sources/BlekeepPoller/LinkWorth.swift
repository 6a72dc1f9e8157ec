import RunLoop

/// The worth of a held connection when there are too few slots. The least element is worth most.
struct LinkWorth: Sendable, Hashable, Comparable {
    let id: DeviceIndex
    /// Whether the device sends values by itself, which are lost without a connection.
    var subscribes: Bool
    /// The number of consecutive failures.
    var failures: Int
    var interval: Duration

    static func < (left: LinkWorth, right: LinkWorth) -> Bool {
        if left.subscribes != right.subscribes { return left.subscribes }
        return (left.failures, left.interval, left.id) < (right.failures, right.interval, right.id)
    }
}

extension DevicePlan {
    func worth(of id: DeviceIndex, failures: Int = 0) -> LinkWorth {
        LinkWorth(id: id, subscribes: subscribes, failures: failures, interval: shortestInterval)
    }
}
