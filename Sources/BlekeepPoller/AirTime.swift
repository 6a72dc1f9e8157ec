import RunLoop

/// The air time of a device's turn, measured while other devices wait.
struct AirTime: Sendable, Hashable {
    /// A moving average of the time from turn to turn, with searches and failed attempts; `nil` before five turns.
    var turn: Duration? { count >= Self.fewest ? mean : nil }

    /// The usual time of a turn, measured with bluetoothd 5.66 and 6.1 kernels.
    static let usual: Duration = .milliseconds(1200)

    private var mean = Duration.zero
    private var count = 0
    /// When the turn in progress began, if other devices waited then.
    private var begin: Uptime?

    private static let fewest = 5
    /// A longer time isn't a turn: the adapter was off, or bluetoothd wasn't running.
    private static let longest: Duration = .seconds(30)
    /// The weight of earlier turns in the average.
    private static let memory = 16

    /// Begins the next device's turn.
    ///
    /// - Parameter isAwaited: whether other devices with a tick wait for their turn.
    mutating func begin(isAwaited: Bool, at now: Uptime) {
        if let begin, now - begin <= Self.longest {
            count = min(count + 1, Self.memory)
            mean += (now - begin - mean) / count
        }
        begin = isAwaited ? now : nil
    }
}
