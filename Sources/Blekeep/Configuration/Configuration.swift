/// What to read, from where and how often: everything that a person may say, checked.
package struct Configuration: Sendable, Equatable {
    /// The radio for devices that name none; `nil` for the first one.
    package var adapter: AdapterChoice?
    /// From tick to tick, for devices that say nothing else. 5 s to 24 h.
    package var interval: Duration
    /// No two with the same address or the same name.
    package var devices: [DeviceConfiguration]
    package var history = HistoryConfiguration()
    /// The history's file; `nil` for the usual place.
    package var historyPath: String? {
        get { history.path }
        set { history.path = newValue }
    }
    /// How many links an adapter can keep open at a time. At least 1.
    package var maxLinks: Int
    /// Layouts that come before the assigned ones. No two of the same characteristic.
    package var layouts: [OwnLayout]
    package var power = PowerConfiguration()
    /// The shortest time between two stored values of a field that the device sends by itself: notifications and
    /// advertisements; the newest wins, and 0 stores all. For devices that set nothing else. 0 to 1 h.
    package var throttle = Self.defaultThrottle
    /// What becomes of links when the keeper is told to end.
    package var onStop = StopPolicy.disconnect
    /// What may be done to BlueZ and its radio where nothing gentle helps.
    package var recovery: Set<RecoveryStep> = []
    /// Where readings go besides the history and standard output.
    package var sinks = SinkConfiguration()

    package static let defaultInterval: Duration = .seconds(30)
    package static let defaultMaxLinks = 5
    package static let defaultThrottle: Duration = .seconds(1)
    /// The intervals that make sense: quicker, and the radio does nothing else; slower, and a day passes unseen.
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
