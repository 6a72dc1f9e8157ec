import BlekeepOutputs
import BlekeepRecords

/// What a user configures, checked and merged.
package struct Configuration: Sendable, Equatable {
    package var poll: PollConfiguration
    /// This gateway's name, in topics and in the `gateways` of devices.
    package var gateway: String {
        get { poll.gateway ?? Self.hostGateway }
        set { poll.gateway = newValue }
    }
    package var history: HistoryConfiguration
    package var sinks = SinkConfiguration()
    /// `nil` for no metrics.
    package var metrics: MetricsConfiguration?
    /// What devices with a tag have; `poll.devices` has it already.
    package var tags: [TagConfiguration] = []
    /// The commands of `blekeep notices`.
    package var notices: [NoticeConfiguration] = []
    /// When a battery is low: for `status`, `values` and pages as for the notices.
    package var batteryLimits: BatteryLimits {
        let percent = notices.filter { $0.events.contains(.batteryLow) }.map(\.battery).max()
        return BatteryLimits(percent: percent ?? BatteryLimits.usualPercent, batteries: poll.batteries)
    }

    package init(poll: PollConfiguration = PollConfiguration(), history: HistoryConfiguration = HistoryConfiguration())
    {
        self.poll = poll
        self.poll.gateway = poll.gateway ?? Self.hostGateway
        self.history = history
    }
}

/// What the devices with a tag have where they don't set it.
package struct TagConfiguration: Sendable, Equatable {
    package let tag: String
    /// A device with no other values than those of the tag's keys.
    package let device: DeviceConfiguration
}
