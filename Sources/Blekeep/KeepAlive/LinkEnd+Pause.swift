extension LinkEnd {
    /// How long the device is left alone at least.
    var pause: Duration {
        switch self {
        // It wants to be left alone.
        case .remote: .seconds(5)
        // Another program on this machine ended it.
        case .local: .seconds(60)
        case .timeout, .authentication, .suspend, .unknown: Timing.afterLoss
        }
    }

    var words: String {
        switch self {
        case .timeout: "it is not heard any more"
        case .local: "another program on this machine ended it"
        case .remote: "the device ended it"
        case .authentication: "the keys did not fit"
        case .suspend: "the machine was about to sleep"
        case .unknown: "no reason given"
        }
    }
}
