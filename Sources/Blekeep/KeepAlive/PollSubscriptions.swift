import RunLoop

/// The points that a tick has still to subscribe to.
struct PollSubscriptions: Sendable {
    /// Their places.
    private var left: ArraySlice<Int>

    init(_ device: DevicePoints, isPaired: Bool, at now: Uptime) {
        left = device.wanting(isPaired: isPaired, at: now)[...]
    }

    /// - Returns: what is to be done next; `nil` when nothing is left.
    mutating func next(_ device: inout DevicePoints, isPaired: Bool) -> PollAction? {
        guard let place = left.first else { return nil }
        let unfollowed = left.filter { !device[$0].isFollowed }
        guard unfollowed.isEmpty else {
            for place in unfollowed { device[place].isFollowed = true }
            return .follow(unfollowed)
        }
        left = left.dropFirst()
        // Values may come before the call's reply.
        device[place].isSubscribed = true
        let memory = device[device[place].plan]
        return .subscribe(place, mayNeedPairing: memory.mayNeedPairing(for: .subscribe, isPaired: isPaired))
    }

    /// The message bus refused to let the notifications of these through.
    ///
    /// - Returns: the places of the points that can't be subscribed to.
    mutating func refuse(_ places: [Int], _ device: inout DevicePoints) -> ArraySlice<Int> {
        for place in places { device[place].isFollowed = false }
        defer { left = [] }
        return left
    }
}
