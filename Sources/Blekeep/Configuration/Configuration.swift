/// The checked configuration of `blekeep poll`.
package struct Configuration: Sendable, Equatable {
    /// The adapter for devices without an adapter of their own; `nil` for the first one.
    package var adapter: AdapterChoice?
    /// The time between ticks, for devices without an interval of their own: 5 s to 24 h.
    package var interval: Duration
    /// Devices with different addresses and different names.
    package var devices: [DeviceConfiguration]
    package var history = HistoryConfiguration()
    /// The history's file; `nil` for the default path.
    package var historyPath: String? {
        get { history.path }
        set { history.path = newValue }
    }
    /// The number of connections that an adapter can hold at a time: at least 1.
    package var maxLinks: Int
    /// The user's own layouts, for different characteristics.
    package var layouts: [OwnLayout]
    package var power = PowerConfiguration()
    /// The shortest time between two stored values of a field that devices send by themselves: 0 to 1 h. The newest value
    /// wins, and 0 stores all. For devices without a throttle of their own.
    package var throttle = Self.defaultThrottle
    /// What happens to connections when `poll` stops.
    package var onStop = StopPolicy.disconnect
    /// The recovery steps that the user allowed.
    package var recovery: Set<RecoveryStep> = []
    package var sinks = SinkConfiguration()
    /// `nil` for no metrics.
    package var metrics: MetricsConfiguration?
    /// The commands of `blekeep notices`.
    package var notices: [NoticeConfiguration] = []
    /// A battery with less charge is low, in percent: for `status`, `values` and pages as for the notices.
    package var lowBattery: Int {
        notices.filter { $0.events.contains(.batteryLow) }.map(\.battery).max() ?? NoticeConfiguration.lowBattery
    }

    package static let defaultInterval: Duration = .seconds(30)
    package static let defaultMaxLinks = 5
    package static let defaultThrottle: Duration = .seconds(1)
    /// The allowed intervals. A shorter one would keep the adapter busy all the time, and a longer one would miss days.
    package static let intervals: ClosedRange<Duration> = .seconds(5) ... .seconds(86_400)

    package static let throttles: ClosedRange<Duration> = .zero ... .seconds(3600)

    package init(
        adapter: AdapterChoice? = nil, interval: Duration = Self.defaultInterval,
        devices: [DeviceConfiguration] = [], historyPath: String? = nil, maxLinks: Int = Self.defaultMaxLinks,
        layouts: [OwnLayout] = []
    ) {
        self.adapter = adapter
        self.interval = interval
        self.devices = devices
        history.path = historyPath
        self.maxLinks = maxLinks
        self.layouts = layouts
    }
}
