/// Why a link ended, where BlueZ says so: `Device1.Disconnected`, since 5.83.
enum LinkEnd: String, Sendable, Hashable {
    case timeout, local, remote, authentication, suspend, unknown

    /// - Parameter reason: such as `org.bluez.Reason.Timeout`.
    init(_ reason: String) {
        // What comes after the last dot.
        let begin = reason.utf8.lastIndex(of: UInt8(ascii: ".")).map(reason.utf8.index(after:)) ?? reason.startIndex
        self = LinkEnd(rawValue: reason[begin...].lowercased()) ?? .unknown
    }

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
