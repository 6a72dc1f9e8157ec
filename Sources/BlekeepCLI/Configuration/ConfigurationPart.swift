import Blekeep

/// What one file says, before it is joined with the others.
struct ConfigurationPart {
    /// A value, and where it was said.
    struct Said<Value> {
        var value: Value
        var place: ConfigurationPlace
    }

    /// A device, and where its address and its alias were said.
    struct Device {
        var configuration: DeviceConfiguration
        var address: ConfigurationPlace
        var alias: ConfigurationPlace?
        /// Where each of its keys stands.
        var places: [String: ConfigurationPlace] = [:]
    }

    /// A layout, and where its characteristic was said.
    struct Layout {
        var layout: OwnLayout
        var place: ConfigurationPlace
    }

    var adapter: Said<AdapterChoice>?
    var interval: Said<Duration>?
    var throttle: Said<Duration>?
    var maxLinks: Said<Int>?
    var history: Said<HistoryConfiguration>?
    /// Where each key of `history` stands; none where it is a path.
    var historyPlaces: [String: ConfigurationPlace] = [:]
    var power: Said<PowerConfiguration>?
    var onStop: Said<StopConduct>?
    var recovery: Said<Set<RecoveryStep>>?
    /// Where each key of `recovery` stands.
    var recoveryPlaces: [String: ConfigurationPlace] = [:]
    /// Where each key of `power` stands.
    var powerPlaces: [String: ConfigurationPlace] = [:]
    var sinks: Said<SinkConfiguration>?
    var devices: [Device] = []
    var layouts: [Layout] = []
    /// How many values with known meanings the layouts were tried on.
    var layoutTests = 0
}
