public import BlekeepRecords

/// A remote device: its advertisements, services and values.
public struct SimulatedPeripheral: Sendable {
    public enum AddressType: String, Sendable { case `public`, random }

    /// BlueZ's knowledge of a peripheral at the start.
    public enum Acquaintance: Sendable {
        /// None. BlueZ must discover it, and forgets it 30 s after the last advertisement.
        case none
        /// BlueZ has the device from the start, and keeps it.
        case known
        /// BlueZ has the device with its keys, so that encrypted characteristics are readable.
        case bonded
    }

    public var name: String
    public var address: BluetoothAddress
    public var addressType: AddressType
    public var appearance: UInt16?
    /// The services in its advertisements. After a connection, BlueZ knows all.
    public var advertised: [BluetoothUUID]
    public var manufacturerData: [UInt16: [UInt8]]
    public var serviceData: [BluetoothUUID: [UInt8]]
    /// Returns the changing part of its advertisement at a time since the start of the world's run loop.
    public var broadcast: (@Sendable (Duration) -> SimulatedBroadcast)?
    /// Returns what a written value causes: the device answers. `nil` for a device that just holds values.
    public var answers: (@Sendable (_ bytes: [UInt8], _ characteristic: BluetoothUUID) -> [SimulatedAnswer])?
    /// Returns what it sends of its own memory after a request at a time since the start of the world's run loop; `nil` for
    /// other bytes, and for a device without a memory.
    package var memory: (@Sendable (_ request: [UInt8], Duration) -> [SimulatedAnswer]?)?
    /// The name of the recipe that it was made from; `nil` for any other device.
    package var recipe: String?
    /// The average signal strength in dBm. A machine loses `Scenario.attenuations` of it.
    public var rssi: Int16
    public var advertisingInterval: Duration
    /// Whether its advertisements have flags, which nearly all have.
    public var sendsFlags = true
    public var services: [SimulatedService]
    public var acquaintance: Acquaintance
    public var pairing: SimulatedPairing
    /// BlueZ's interface for the device, if BlueZ believes that it also supports classic Bluetooth; `nil` if it doesn't.
    public var dualMode: SimulatedDualMode?
    /// Whether BlueZ keeps the battery service to itself, as some versions do. Its level is in Battery1.
    public var hidesBatteryService = false
    /// The interval of its private addresses, which only paired machines can resolve; `nil` if it advertises its permanent
    /// address.
    public var privacy: Duration?
    /// The ATT MTU of its connections in bytes, 23 to 517; `nil` if BlueZ doesn't report it, as before 5.62.
    public var mtu: UInt16? = SimulatedPeripheral.maxMTU
    static let maxMTU: UInt16 = 517
    /// The behavior at the start.
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

    /// The data of its advertisement at a time since the start of the world's run loop.
    package func data(at moment: Duration) -> SimulatedBroadcast {
        var data = broadcast?(moment) ?? SimulatedBroadcast()
        data.manufacturerData.merge(manufacturerData) { changing, _ in changing }
        data.serviceData.merge(serviceData) { changing, _ in changing }
        return data
    }

    /// Returns the peripheral with another knowledge of BlueZ.
    public func known(_ acquaintance: Acquaintance) -> SimulatedPeripheral { with { $0.acquaintance = acquaintance } }

    /// Returns the peripheral with a changing advertisement.
    public func broadcasting(_ broadcast: @escaping @Sendable (Duration) -> SimulatedBroadcast) -> SimulatedPeripheral {
        with { $0.broadcast = broadcast }
    }

    /// Returns the peripheral with answers to what is written.
    public func answering(
        _ answers: @escaping @Sendable (_ bytes: [UInt8], _ characteristic: BluetoothUUID) -> [SimulatedAnswer]
    ) -> SimulatedPeripheral { with { $0.answers = answers } }

    /// Returns the peripheral with private addresses.
    public func hiding(every period: Duration) -> SimulatedPeripheral { with { $0.privacy = period } }

    /// Returns the peripheral with classic Bluetooth in BlueZ's view.
    public func mistaken(_ dualMode: SimulatedDualMode) -> SimulatedPeripheral { with { $0.dualMode = dualMode } }

    /// Returns the peripheral with its battery service hidden by BlueZ.
    public func hidingBatteryService() -> SimulatedPeripheral { with { $0.hidesBatteryService = true } }

    /// Returns the peripheral with another behavior.
    public func behaving(_ change: (inout PeripheralBehavior) -> Void) -> SimulatedPeripheral {
        with { change(&$0.behavior) }
    }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

/// What a peripheral does after a write.
public struct SimulatedAnswer: Sendable, Hashable {
    public var characteristic: BluetoothUUID
    public var bytes: [UInt8]
    /// The time after the write.
    public var delay: Duration
    /// Whether it notifies the value. Otherwise, it holds the value, to be read.
    public var isNotified: Bool

    public init(
        _ characteristic: BluetoothUUID, _ bytes: [UInt8], after delay: Duration = .milliseconds(50),
        isNotified: Bool = true
    ) {
        self.characteristic = characteristic
        self.bytes = bytes
        self.delay = delay
        self.isNotified = isNotified
    }

    func delayed(by time: Duration) -> SimulatedAnswer {
        SimulatedAnswer(characteristic, bytes, after: delay + time, isNotified: isNotified)
    }
}

/// BlueZ's interface for a device with both kinds of Bluetooth, in BlueZ's view.
public struct SimulatedDualMode: Sendable, Hashable {
    /// Connecting with Low Energy only, since BlueZ 5.84.
    public var offersBearer: Bool
    /// Preferring Low Energy, since BlueZ 5.80.
    public var offersPreference: Bool
    /// The interface without methods, as without `--experimental`.
    public var isHollow: Bool
    /// Whether classic Bluetooth connects it. Such a connection has no characteristics.
    public var isAnswered: Bool

    public init(
        offersBearer: Bool = false, offersPreference: Bool = false, isHollow: Bool = false, isAnswered: Bool = false
    ) {
        self.offersBearer = offersBearer
        self.offersPreference = offersPreference
        self.isHollow = isHollow
        self.isAnswered = isAnswered
    }
}
