/// One peripheral to read.
public struct DeviceConfiguration: Sendable, Equatable {
    /// A person's name for it; without control characters and `/`.
    public var alias: String?
    public var address: BluetoothAddress
    /// `nil`: the one of the whole configuration.
    public var adapter: AdapterChoice?
    /// From tick to tick; `nil`: the one of the whole configuration.
    public var interval: Duration?
    public var mode: LinkMode
    /// `nil`: the rhythm of the whole configuration.
    public var rhythm: PowerIntervals.Override?
    /// `nil`: the throttle of the whole configuration.
    public var throttle: Duration?
    /// The bounds within which intervals stretch for as long as nothing is new; `nil`: they do not.
    public var adaptive: ClosedRange<Duration>?
    /// Empty: every readable one that has a layout and needs no pairing.
    public var characteristics: [CharacteristicConfiguration]

    /// The name of the credential that holds the key of its advertisements; `nil`: they are not encrypted.
    public var keyName: String?
    /// That key, as far as it could be had.
    public var key: AdvertisementKey?

    /// What its readings are labelled with: the alias, or the address where there is none.
    public var name: String { alias ?? address.description }

    public init(
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
