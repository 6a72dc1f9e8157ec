/// The devices, adapters and power of a configuration: what the poller, its records, the sinks and the service need.
package struct PollConfiguration: Sendable, Equatable {
    /// This gateway's name; `nil` where no output needs it.
    package var gateway: String?
    /// The adapter for devices without an adapter of their own; `nil` for the first one.
    package var adapter: AdapterChoice?
    /// The time between ticks, for devices without an interval of their own: 5 s to 24 h.
    package var interval: Duration
    /// Devices with different addresses and different names.
    package var devices: [DeviceConfiguration]
    /// The number of connections that an adapter can hold at a time: at least 1.
    package var maxLinks: Int
    /// The user's own layouts, for different characteristics.
    package var layouts: [OwnLayout]
    /// The user's own recipes, and those of blekeep that devices name; with different names.
    package var recipes: [Recipe] = []
    package var power = PowerConfiguration()
    /// Rules on values, with different names.
    package var rules: [Rule] = []
    /// The shortest time between two stored values of a field that devices send by themselves: 0 to 1 h. The newest value
    /// wins, and 0 stores all. For devices without a throttle of their own.
    package var throttle = Self.defaultThrottle
    /// How blekeep listens to devices that only advertise.
    package var scan = ScanMode.auto
    /// What happens to connections when `poll` stops.
    package var onStop = StopPolicy.disconnect
    /// The recovery steps that the user allowed.
    package var recovery: Set<RecoveryStep> = []

    /// The number of devices of a gateway. One adapter reads about 20 by connections, and thousands are a mistake.
    package static let maxDevices = 1000
    package static let defaultInterval: Duration = .seconds(30)
    package static let defaultMaxLinks = 5
    package static let defaultThrottle: Duration = .seconds(1)
    /// The allowed intervals. A shorter one would keep the adapter busy all the time, and a longer one would miss days.
    package static let intervals: ClosedRange<Duration> = .seconds(5) ... .seconds(86_400)

    package static let throttles: ClosedRange<Duration> = .zero ... .seconds(3600)
    package static let silences: ClosedRange<Duration> = .seconds(60) ... .seconds(365 * 86_400)

    package init(
        adapter: AdapterChoice? = nil, interval: Duration = Self.defaultInterval,
        devices: [DeviceConfiguration] = [], maxLinks: Int = Self.defaultMaxLinks, layouts: [OwnLayout] = []
    ) {
        self.adapter = adapter
        self.interval = interval
        self.devices = devices
        self.maxLinks = maxLinks
        self.layouts = layouts
    }
}

/// How blekeep listens to devices that only advertise. While it does, each sensor in range answers requests, the ones of
/// others, too.
package enum ScanMode: String, Sendable, CaseIterable {
    /// Passively where BlueZ can; else, and for what that misses, when a value is older than its interval, until a new one
    /// comes.
    case auto
    /// Without asking any device. Values in scan responses are missing, and without BlueZ's monitors, all are.
    case passive
    /// Without a pause.
    case active
}

/// What happens to connections when `poll` stops normally.
package enum StopPolicy: String, Sendable, CaseIterable {
    /// blekeep disconnects.
    case disconnect
    /// Connections that are held between ticks stay for the next run, until the machine restarts.
    case keep
}

extension PollConfiguration {
    /// What the interval does for devices that only advertise; empty when none has one of its own, or of its tags.
    package var intervalNotes: [String] {
        let names = devices.filter { $0.isPolled && $0.mode == .passive && $0.interval != nil }.map(\.name)
        return names.isEmpty ? [] : [Self.intervalNote(names)]
    }

    /// The first ones of the names, and the number of the others.
    package static func list(_ names: [String]) -> String {
        names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and \(names.count - 3) more" : "")
    }

    /// Says what the interval does for devices that only advertise.
    ///
    /// - Parameter names: those of the devices.
    package static func intervalNote(_ names: [String]) -> String {
        let verb = names.count == 1 ? "advertises its" : "advertise their"
        return "\(list(names)) only \(verb) values: blekeep listens when the last one is older than `interval`, and "
            + "takes \(names.count == 1 ? "it" : "them") for lost after three intervals in silence; `scan: active` listens "
            + "all the time"
    }
}
