import Blekeep

/// What one file says, before it is joined with the others.
package struct ConfigurationPart {
    /// A value, and where it was said.
    package struct Said<Value> {
        package var value: Value
        package var place: ConfigurationLocation
    }

    /// A device, and where its address and its alias were said.
    package struct Device {
        package var configuration: DeviceConfiguration
        package var address: ConfigurationLocation
        package var alias: ConfigurationLocation?
        /// Where each of its keys stands.
        package var places: [String: ConfigurationLocation] = [:]
    }

    /// A layout, and where its characteristic was said.
    package struct Layout {
        package var layout: OwnLayout
        package var place: ConfigurationLocation
    }

    package var adapter: Said<AdapterChoice>?
    package var interval: Said<Duration>?
    package var throttle: Said<Duration>?
    package var maxLinks: Said<Int>?
    package var history: Said<HistoryConfiguration>?
    /// Where each key of `history` stands; none where it is a path.
    package var historyPlaces: [String: ConfigurationLocation] = [:]
    package var power: Said<PowerConfiguration>?
    package var onStop: Said<StopPolicy>?
    package var recovery: Said<Set<RecoveryStep>>?
    /// Where each key of `recovery` stands.
    package var recoveryPlaces: [String: ConfigurationLocation] = [:]
    /// Where each key of `power` stands.
    package var powerPlaces: [String: ConfigurationLocation] = [:]
    package var sinks: Said<SinkConfiguration>?
    package var devices: [Device] = []
    package var layouts: [Layout] = []
    /// How many values with known meanings the layouts were tried on.
    package var layoutTests = 0
}
