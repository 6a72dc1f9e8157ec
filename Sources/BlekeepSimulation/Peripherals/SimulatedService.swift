public import BlekeepRecords

/// A service of a simulated peripheral.
public struct SimulatedService: Sendable {
    public var uuid: BluetoothUUID
    public var characteristics: [SimulatedCharacteristic]

    public init(_ uuid: BluetoothUUID, _ characteristics: [SimulatedCharacteristic]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }
}

/// A characteristic of a simulated peripheral.
public struct SimulatedCharacteristic: Sendable {
    public enum Flag: String, Sendable {
        case read, write, notify, indicate
        case writeWithoutResponse = "write-without-response"
        case encryptRead = "encrypt-read"
    }

    public var uuid: BluetoothUUID
    public var flags: [Flag]
    /// Returns its value at a time since the start of the world's run loop.
    public var value: @Sendable (Duration) -> [UInt8]
    /// The interval of its notifications; `nil` for none.
    public var period: Duration
    public var descriptors: [SimulatedDescriptor]
    /// Whether it needs pairing without a flag that says so. Most devices do that.
    public var isProtected = false

    public init(
        _ uuid: BluetoothUUID, _ flags: [Flag] = [.read], every period: Duration = .seconds(1),
        descriptors: [SimulatedDescriptor] = [], value: @escaping @Sendable (Duration) -> [UInt8]
    ) {
        self.uuid = uuid
        self.flags = flags
        self.period = period
        self.descriptors = descriptors
        self.value = value
    }

    /// A characteristic with a constant value.
    public init(
        _ uuid: BluetoothUUID, _ flags: [Flag] = [.read], constant: [UInt8], descriptors: [SimulatedDescriptor] = []
    ) {
        self.init(uuid, flags, descriptors: descriptors) { _ in constant }
    }

    /// A characteristic with a constant text.
    public init(_ uuid: BluetoothUUID, text: String) { self.init(uuid, constant: Array(text.utf8)) }

    var notifies: Bool { flags.contains(.notify) || flags.contains(.indicate) }
    var needsEncryption: Bool { flags.contains(.encryptRead) || isProtected }
    var isReadable: Bool { flags.contains(.read) || flags.contains(.encryptRead) }
    var isWritable: Bool { flags.contains(.write) || flags.contains(.writeWithoutResponse) }
}

/// A descriptor of a simulated characteristic.
public struct SimulatedDescriptor: Sendable {
    public var uuid: BluetoothUUID
    public var value: [UInt8]

    public init(_ uuid: BluetoothUUID, _ value: [UInt8]) {
        self.uuid = uuid
        self.value = value
    }

    /// The Characteristic User Description, a name for users.
    public static func userDescription(_ text: String) -> SimulatedDescriptor {
        SimulatedDescriptor(BluetoothUUID(0x2901), Array(text.utf8))
    }

    /// The Characteristic Presentation Format, with the SIG's numbers for format and unit.
    public static func presentation(format: UInt8, exponent: Int8, unit: UInt16) -> SimulatedDescriptor {
        SimulatedDescriptor(BluetoothUUID(0x2904), [format, UInt8(bitPattern: exponent)] + bytes(unit) + [1, 0, 0])
    }
}
