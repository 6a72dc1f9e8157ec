/// How the machine is fed, as far as it says so.
public enum PowerState: String, Sendable, Hashable {
    /// A mains supply, or nothing that runs on a battery.
    case mains
    /// On the battery.
    case battery
    /// The machine does not say.
    case unknown
}
