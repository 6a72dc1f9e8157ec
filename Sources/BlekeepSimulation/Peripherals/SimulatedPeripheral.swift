public import Blekeep

/// A remote device as it could stand on a shelf: what it says of itself and what can be read from it.
public struct SimulatedPeripheral: Sendable {
    public enum AddressType: String, Sendable { case `public`, random }

    /// How well BlueZ knows a peripheral when the world begins.
    public enum Acquaintance: Sendable {
        /// Not at all: it must be discovered, and is forgotten 30 s after it was last heard.
        case none
        /// From earlier; the device object is there from the start and stays.
        case known
        /// From earlier, with keys: encrypted characteristics can be read.
        case bonded
    }

    public var name: String
    public var address: BluetoothAddress
    public var addressType: AddressType
    public var appearance: UInt16?
    /// The services in its advertisements; after a connection BlueZ knows them all.
    public var advertised: [BluetoothUUID]
    public var manufacturerData: [UInt16: [UInt8]]
    public var serviceData: [BluetoothUUID: [UInt8]]
    /// What it advertises at a moment, counted from the start of the world's run loop, besides what is always the same.
    public var broadcast: (@Sendable (Duration) -> SimulatedBroadcast)?
    /// In dBm, as heard on the average.
    public var rssi: Int16
    public var advertisingInterval: Duration
    public var services: [SimulatedService]
    public var acquaintance: Acquaintance
    public var pairing: SimulatedPairing
    /// What BlueZ takes for a device that can do classic Bluetooth, too, and tries that with; `nil`: it does not.
    public var dualMode: SimulatedDualMode?
    /// How often it takes another private address, which only those who are paired with it can resolve; `nil`: it
    /// shows its own.
    public var privacy: Duration?
    /// How it behaves at first.
    public var behavior: PeripheralBehavior

    public init(
        _ name: String, _ address: BluetoothAddress, addressType: AddressType = .random, appearance: UInt16? = nil,
        advertised: [BluetoothUUID]? = nil, manufacturerData: [UInt16: [UInt8]] = [:],
        serviceData: [BluetoothUUID: [UInt8]] = [:], rssi: Int16 = -60,
        advertisingInterval: Duration = .milliseconds(1000), acquaintance: Acquaintance = .known,
        pairing: SimulatedPairing = .justWorks, behavior: PeripheralBehavior = PeripheralBehavior(),
        services: [SimulatedService]
    ) {
        self.name = name
        self.address = address
        self.addressType = addressType
        self.appearance = appearance
        self.advertised = advertised ?? services.map(\.uuid)
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.rssi = rssi
        self.advertisingInterval = advertisingInterval
        self.acquaintance = acquaintance
        self.pairing = pairing
        self.behavior = behavior
        self.services = services
    }

    /// The same peripheral, known otherwise to BlueZ.
    public func known(_ acquaintance: Acquaintance) -> SimulatedPeripheral {
        var copy = self
        copy.acquaintance = acquaintance
        return copy
    }

    /// The same peripheral, advertising what changes.
    public func broadcasting(_ broadcast: @escaping @Sendable (Duration) -> SimulatedBroadcast) -> SimulatedPeripheral {
        var copy = self
        copy.broadcast = broadcast
        return copy
    }

    /// The same peripheral, with private addresses.
    public func hiding(every period: Duration) -> SimulatedPeripheral {
        var copy = self
        copy.privacy = period
        return copy
    }

    /// The same peripheral, taken for one that can do classic Bluetooth, too.
    public func mistaken(_ dualMode: SimulatedDualMode) -> SimulatedPeripheral {
        var copy = self
        copy.dualMode = dualMode
        return copy
    }

    /// The same peripheral, behaving otherwise.
    public func behaving(_ change: (inout PeripheralBehavior) -> Void) -> SimulatedPeripheral {
        var copy = self
        change(&copy.behavior)
        return copy
    }
}

/// What BlueZ offers for a device that it takes for one with both kinds of Bluetooth.
public struct SimulatedDualMode: Sendable, Hashable {
    /// Whether it can be connected by Low Energy alone: since 5.84.
    public var offersBearer: Bool
    /// Whether Low Energy can be preferred: since 5.80.
    public var offersPreference: Bool
    /// Whether the interface is there without its methods, as without `--experimental`.
    public var isHollow: Bool

    public init(offersBearer: Bool = false, offersPreference: Bool = false, isHollow: Bool = false) {
        self.offersBearer = offersBearer
        self.offersPreference = offersPreference
        self.isHollow = isHollow
    }
}
