/// What ends the machine's work for now.
package enum SleepCause: String, Sendable, Hashable {
    case sleep
    case shutdown
    /// The program is asked to end, for instance by SIGTERM; it has a grace period of its own.
    case termination
}
