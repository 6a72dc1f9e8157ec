import RunLoop

/// The worth of a held connection when there are too few slots. The least element is worth most.
struct LinkWorth: Sendable, Hashable, Comparable {
    let id: DeviceIndex
    /// The device's place in the configuration, which decides between equals.
    let place: Int
    /// Whether the device sends values by itself, which are lost without a connection.
    var subscribes: Bool
    /// The number of consecutive failures.
    var failures: Int
    var interval: Duration

    static func < (left: LinkWorth, right: LinkWorth) -> Bool {
        if left.subscribes != right.subscribes { return left.subscribes }
        return (left.failures, left.interval, left.place) < (right.failures, right.interval, right.place)
    }
}

extension DevicePlan {
    func worth(of id: DeviceIndex, place: Int, failures: Int = 0) -> LinkWorth {
        LinkWorth(id: id, place: place, subscribes: subscribes, failures: failures, interval: shortestInterval)
    }
}
