import RunLoop

/// How much of a radio's time a device's turn takes, measured while devices wait for theirs.
struct AirTime: Sendable, Hashable {
    /// A moving average, with all that comes between two turns: searches, attempts that fail, waits for a slot. `nil`:
    /// there were too few turns so far.
    var turn: Duration? { count >= Self.fewest ? mean : nil }

    /// What was measured of most with bluetoothd 5.66 and 6.1 kernels.
    static let usual: Duration = .milliseconds(1200)

    private var mean = Duration.zero
    private var count = 0
    /// When the turn in progress began, if others waited then.
    private var begin: Uptime?

    /// So many turns tell enough.
    private static let fewest = 5
    /// What takes longer is no turn: the radio was off, or bluetoothd away.
    private static let longest: Duration = .seconds(30)
    /// The weight of what was measured before, in turns.
    private static let memory = 16

    /// The next device's turn begins.
    ///
    /// - Parameter isAwaited: whether others with a tick wait for theirs.
    mutating func begin(isAwaited: Bool, at now: Uptime) {
        if let begin, now - begin <= Self.longest {
            count = min(count + 1, Self.memory)
            mean += (now - begin - mean) / count
        }
        begin = isAwaited ? now : nil
    }
}
