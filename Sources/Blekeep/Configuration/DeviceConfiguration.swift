/// One peripheral to read.
package struct DeviceConfiguration: Sendable, Equatable {
    /// A person's name for it; without control characters and `/`.
    package var alias: String?
    package var address: BluetoothAddress
    /// `nil`: the one of the whole configuration.
    package var adapter: AdapterChoice?
    /// From tick to tick; `nil`: the one of the whole configuration.
    package var interval: Duration?
    package var mode: LinkMode
    /// `nil` for the rules of the whole configuration.
    package var powerIntervals: PowerIntervals.Override?
    /// `nil`: the throttle of the whole configuration.
    package var throttle: Duration?
    /// The bounds within which intervals stretch for as long as nothing is new; `nil`: they do not.
    package var adaptive: ClosedRange<Duration>?
    /// Empty: every readable one that has a layout and needs no pairing.
    package var characteristics: [CharacteristicConfiguration]

    /// The name of the credential that holds the key of its advertisements; `nil`: they are not encrypted.
    package var keyName: String?
    /// That key, as far as it could be had.
    package var key: AdvertisementKey?

    /// What its readings are labelled with: the alias, or the address where there is none.
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
