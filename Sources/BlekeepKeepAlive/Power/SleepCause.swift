/// The reason why work must end soon.
package enum SleepCause: String, Sendable, Hashable, CaseIterable {
    case sleep
    case shutdown
    /// The program must end, for instance after SIGTERM. It has its own grace period.
    case termination
}
