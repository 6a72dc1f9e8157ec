/// A device to read. Its `nil` values stand for those of the whole configuration.
package struct DeviceConfiguration: Sendable, Equatable {
    /// The ID that the user chose; `nil` for the one that is made of the address.
    package var ownID: DeviceID?
    /// The user's name for the device, without control characters and `/`.
    package var alias: String?
    package var address: BluetoothAddress
    /// Whether `poll` reads it at all.
    package var isEnabled = true
    /// The names of the gateways that may read it, the preferred ones first; empty for each gateway that has it in its
    /// configuration.
    package var gateways: [String] = []
    package static let maxGateways = 9
    /// The word for each gateway that has it in its configuration, in `gateways`.
    package static let anyGateway = "any"
    /// Whether only other gateways than this one may read it.
    package var isElsewhere = false
    /// The user's words for groups of devices; different ones.
    package var tags: [String] = []
    package var adapter: AdapterChoice?
    /// The time between ticks.
    package var interval: Duration?
    package var mode: LinkMode
    /// When to ask it for what it keeps in its own memory.
    package var log = LogMode.off
    /// What the device runs on; `nil` when the user doesn't say.
    package var battery: Battery?
    package var powerIntervals: PowerIntervals.Override?
    package var throttle: Duration?
    /// How long a device that only advertises may be silent; `nil` for three intervals, or for ever if it sends only when
    /// something happens.
    package var silence: Duration?
    /// Whether intervals stretch while values don't change.
    package var isAdaptive = false
    /// The bounds of such intervals.
    package var minInterval = PollConfiguration.intervals.lowerBound
    package var maxInterval = PollConfiguration.intervals.upperBound
    /// Empty for all readable characteristics that have a layout and need no pairing.
    package var characteristics: [CharacteristicConfiguration]

    /// The name of the recipe that asks the device; `nil` for a device that just holds values.
    package var recipe: String?
    /// Whether a recipe of the user may write to the device.
    package var mayWrite = false
    /// The file with the secret that the recipe sends: a path, or a credential's name.
    package var secretFile: String?
    /// The secret; `nil` when the file couldn't be read.
    package var secret: [UInt8]?

    /// The format of the device's advertisements; `nil` to recognize it.
    package var format: BroadcastFormat?
    /// What the sound of a tank sensor goes through; `nil` for what its model usually measures.
    package var medium: TankMedium?
    /// The model of a SwitchBot; `nil` when its packets say it.
    package var model: SwitchBotModel?
    /// The advertised fields to store, with their corrections; empty for all.
    package var fields: [String] = []
    /// The corrections of fields, whichever way their values come. They choose no fields.
    package var calibration: [FieldCalibration] = []
    /// What to compute from the advertised temperature and humidity.
    package var derived: Set<DerivedValue> = []
    /// The file with the key of the device's advertisements: a path, or a credential's name; `nil` when they aren't
    /// encrypted.
    package var keyFile: String?
    /// The key; `nil` when the file couldn't be read.
    package var key: AdvertisementKey?

    /// The bounds of intervals that stretch while values don't change; `nil` for fixed intervals.
    package var adaptive: ClosedRange<Duration>? {
        get { isAdaptive ? minInterval...max(minInterval, maxInterval) : nil }
        set {
            isAdaptive = newValue != nil
            (minInterval, maxInterval) = newValue.map { ($0.lowerBound, $0.upperBound) } ?? (minInterval, maxInterval)
        }
    }

    /// What series, topics, entities and objects are known by.
    package var id: DeviceID { ownID ?? DeviceID(address) }

    package var namedGateways: [String] { gateways.filter { $0 != Self.anyGateway } }

    /// Whether another gateway may read it instead of this one.
    package var isShared: Bool { (gateways.count > 1 || gateways == [Self.anyGateway]) && !isElsewhere }

    /// Whether `poll` reads the device here, unless the user names others.
    package var isPolled: Bool { isEnabled && !isElsewhere }

    /// Whether a name is the device's alias or ID, so that no other device may have it for an alias.
    package func isCalled(_ name: String) -> Bool { names.contains(name) }

    /// The names by which users call the device, besides its address: its alias and its ID.
    package var names: [String] { [alias, id.description].compactMap(\.self) }

    /// The label of the device's readings: its alias, or its address without an alias.
    package var name: String { alias ?? address.description }

    package init(
        alias: String? = nil, address: BluetoothAddress, adapter: AdapterChoice? = nil, interval: Duration? = nil,
        mode: LinkMode = .auto, characteristics: [CharacteristicConfiguration] = []
    ) {
        self.alias = alias
        self.address = address
        self.adapter = adapter
        self.interval = interval
        self.mode = mode
        self.characteristics = characteristics
    }
}

/// Why `poll` doesn't read a device.
package enum PollExclusion: Sendable, Hashable {
    case disabled
    /// Only these other gateways may read it.
    case elsewhere([String])
    /// The configuration doesn't have it.
    case unconfigured

    /// The state, such as `disabled`.
    package var state: String {
        switch self {
        case .disabled: "disabled"
        case .elsewhere(let gateways):
            "read only by \(gateways.count == 1 ? "the gateway" : "the gateways") \(gateways.joined(separator: ", "))"
        case .unconfigured: "not in the configuration"
        }
    }
}

extension DeviceConfiguration {
    /// Why `poll` doesn't read the device here, unless the user names it; `nil` for one that it reads.
    package var exclusion: PollExclusion? { !isEnabled ? .disabled : isElsewhere ? .elsewhere(namedGateways) : nil }
}
