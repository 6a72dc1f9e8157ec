import Blekeep

/// The settings of one file, before they are merged with the others.
package struct ConfigurationPart {
    /// A value and its place.
    package struct Said<Value> {
        package var value: Value
        package var place: ConfigurationLocation
    }

    /// A device, and the places of its address and its alias.
    package struct Device {
        package var configuration: DeviceConfiguration
        package var address: ConfigurationLocation
        package var alias: ConfigurationLocation?
        /// The place of each of its keys.
        package var places: [String: ConfigurationLocation] = [:]
    }

    /// A layout, and the place of its characteristic.
    package struct Layout {
        package var layout: OwnLayout
        package var place: ConfigurationLocation
    }

    package var adapter: Said<AdapterChoice>?
    package var interval: Said<Duration>?
    package var throttle: Said<Duration>?
    package var maxLinks: Said<Int>?
    package var history: Said<HistoryConfiguration>?
    /// The place of each key of `history`; empty when `history` is a path.
    package var historyPlaces: [String: ConfigurationLocation] = [:]
    package var power: Said<PowerConfiguration>?
    package var onStop: Said<StopPolicy>?
    package var recovery: Said<Set<RecoveryStep>>?
    /// The place of each key of `recovery`.
    package var recoveryPlaces: [String: ConfigurationLocation] = [:]
    /// The place of each key of `power`.
    package var powerPlaces: [String: ConfigurationLocation] = [:]
    package var sinks: Said<SinkConfiguration>?
    package var metrics: Said<MetricsConfiguration>?
    package var notices: [Said<NoticeConfiguration>] = []
    package var devices: [Device] = []
    package var layouts: [Layout] = []
    /// The number of tests that the layouts passed.
    package var layoutTests = 0
}
