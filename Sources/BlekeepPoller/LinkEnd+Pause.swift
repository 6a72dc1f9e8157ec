extension LinkEnd {
    /// The shortest pause before the next attempt.
    var pause: Duration {
        switch self {
        // The device disconnected on purpose.
        case .remote: .seconds(5)
        // Another program on this machine disconnected.
        case .local: .seconds(60)
        case .timeout, .authentication, .suspend, .unknown: Timing.afterLoss
        }
    }

    var message: String {
        switch self {
        case .timeout: "the device stopped responding"
        case .local: "another program on this machine ended it"
        case .remote: "the device ended it"
        case .authentication: "the keys of the pairing didn't match"
        case .suspend: "the machine was about to sleep"
        case .unknown: "it ended, and BlueZ gave no reason"
        }
    }
}
