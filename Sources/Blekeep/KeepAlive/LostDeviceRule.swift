/// The rule by which a device counts as lost.
enum LostDeviceRule {
    /// The number of consecutive failed attempts that don't make a device count as lost.
    static let toleratedAttempts: Int64 = 3
    /// A pause of this length before the next attempt makes the device count as lost at once.
    static let longPause: Duration = .seconds(60)

    /// Returns whether a device counts as lost after a failed attempt.
    ///
    /// - Parameters:
    ///   - attempts: the number of consecutive failed attempts, with the last one.
    ///   - pause: the pause before the next attempt; `nil` when it waits for a tick or an event.
    static func isLost(after attempts: Int64, pause: Duration?) -> Bool {
        attempts > toleratedAttempts || pause ?? .zero >= longPause
    }
}
