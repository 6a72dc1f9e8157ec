import RunLoop

/// The points that a tick must still subscribe to.
struct PollSubscriptions: Sendable {
    /// The indices of these points.
    private var left: ArraySlice<Int>

    init(_ device: DevicePoints, isPaired: Bool, at now: Uptime) {
        left = device.wanting(isPaired: isPaired, at: now)[...]
    }

    /// Returns the next action; `nil` when all points are subscribed to.
    mutating func next(_ device: inout DevicePoints, isPaired: Bool) -> PollAction? {
        guard let index = left.first else { return nil }
        let unfollowed = left.filter { !device[$0].isFollowed }
        guard unfollowed.isEmpty else {
            for index in unfollowed { device[index].isFollowed = true }
            return .follow(unfollowed)
        }
        left = left.dropFirst()
        // Values may come before the call's reply.
        device[index].isSubscribed = true
        let memory = device[device[index].plan]
        return .subscribe(index, mayNeedPairing: memory.mayNeedPairing(for: .subscribe, isPaired: isPaired))
    }

    /// Handles a refusal of the message bus to deliver the notifications of these points.
    ///
    /// - Returns: the indices of the points that blekeep can't subscribe to.
    mutating func refuse(_ indices: [Int], _ device: inout DevicePoints) -> ArraySlice<Int> {
        for index in indices { device[index].isFollowed = false }
        defer { left = [] }
        return left
    }
}
