/// How a characteristic's octets are to be read, as somebody says who knows the device.
public struct OwnLayout: Sendable, Hashable {
    public var characteristic: BluetoothUUID
    /// What the characteristic is called in readings; empty for no name.
    public var name: String
    /// Which end of the layout's numbers comes first.
    public var endian: Endian
    package var fields: [Field]

    package init(characteristic: BluetoothUUID, name: String, endian: Endian, fields: [Field]) {
        self.characteristic = characteristic
        self.name = name
        self.endian = endian
        self.fields = fields
    }

    /// - Parameters:
    ///   - characteristic: the characteristic that has this layout.
    ///   - name: its name in readings.
    ///   - endian: its byte order.
    ///   - notation: fields with `; ` between them, each a name, a type and what else it needs, such as
    ///     `flags bits8; temperature sint16 *1e-2 °C 0x8000=unknown; humidity uint8 % ?0`. `nil` if it is not so.
    public init?(characteristic: BluetoothUUID, name: String = "", endian: Endian = .little, notation: String) {
        guard let fields = Field.list(notation: notation[...]), !fields.isEmpty else { return nil }
        self.init(characteristic: characteristic, name: name, endian: endian, fields: fields)
    }
}
