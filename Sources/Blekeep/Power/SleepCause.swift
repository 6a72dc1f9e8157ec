/// What ends the machine's work for now.
package enum SleepCause: String, Sendable, Hashable {
    case sleep
    case shutdown
    /// The program is told to end, by SIGTERM for instance: the same, with a grace of its own.
    case termination
}
