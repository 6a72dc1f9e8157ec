import BlekeepRecords

/// A command that `blekeep notices` runs when something happens.
package struct NoticeConfiguration: Sendable, Hashable {
    /// The program and its arguments.
    package var command: [String]
    /// What runs it.
    package var events = Set(NoticeEvent.allCases)
    /// The names of the rules that run it; empty for all.
    package var rules: [String] = []
    /// The shortest time from a notice until the next trouble of the same device, sink or adapter is one.
    package var holdOff: Duration = .seconds(900)
    /// After which time the same trouble is said again; `nil` for never.
    package var remind: Duration?
    /// How long the command may take.
    package var timeout: Duration = .seconds(30)
    /// A battery with less charge is low, in percent.
    package var battery = BatteryLimits.usualPercent

    package static let holdOffs: ClosedRange<Duration> = .zero ... .seconds(604_800)
    package static let reminders: ClosedRange<Duration> = .seconds(60) ... .seconds(604_800)
    package static let timeouts: ClosedRange<Duration> = .seconds(1) ... .seconds(600)
    package static let batteries = 1...95

    package init(command: [String]) { self.command = command }
}
