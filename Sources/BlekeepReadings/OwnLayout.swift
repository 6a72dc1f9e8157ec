/// Your own layout of a characteristic: for a vendor's characteristic, or instead of an assigned layout.
///
/// ```swift
/// let layout = OwnLayout(
///     characteristic: BluetoothUUID(0xFFF1), name: "Grill",
///     notation: "flags bits8; temperature sint16 *1e-2 °C 0x8000=unknown; humidity uint8 % ?0")
/// let measurements = try layout.map { try LayoutDecoder($0).decode(bytes) }
/// ```
public struct OwnLayout: Sendable, Hashable {
    /// The characteristic that has this layout.
    public var characteristic: BluetoothUUID
    /// The decoder's name; may be empty.
    public var name: String
    /// The byte order of the layout's numbers.
    public var endian: Endian
    /// The fields of the value, as those of a recipe's answer.
    package var fields: [RecipeField]
    /// Its text in YAML, as an item of a list; empty for a layout that isn't of a configuration.
    package var source = ""

    package init(characteristic: BluetoothUUID, name: String, endian: Endian, fields: [RecipeField]) {
        self.characteristic = characteristic
        self.name = name
        self.endian = endian
        self.fields = fields
    }

    /// Reads a layout; `nil` when `notation` has no field, or a field that isn't written like this.
    ///
    /// The notation has fields with `; ` between them. A field is a name, a type and any of these words:
    ///
    /// | word | meaning |
    /// | --- | --- |
    /// | `uint8`, `sint16`, `bits8`, `medfloat16`, `float32`, `datetime`, `utf8s(16)`, `hex(4)` | the type |
    /// | `uint16[]` | a list of this type, to the end |
    /// | `*15`, `*125e-5`, `/64` | multiply by 15, multiply by 125·10⁻⁵, divide by 64 (a power of two) |
    /// | `+50000` | add 50000 after the multiplier, and before its power of ten |
    /// | `°C` | the unit |
    /// | `0xFF=unknown` | these bytes stand for the state `unknown` |
    /// | `-27315...32767` | the allowed range before scaling; other numbers have the state `prohibited` |
    /// | `?3`, `?5,!0` | present when bit 3 of the field `flags` is set; when bit 5 is set and bit 0 isn't |
    ///
    /// - Parameters:
    ///   - characteristic: the characteristic that has this layout.
    ///   - name: the decoder's name.
    ///   - endian: the byte order of numbers.
    ///   - notation: the fields, such as `flags bits8; temperature sint16 *1e-2 °C; humidity uint8 % ?0`.
    public init?(characteristic: BluetoothUUID, name: String = "", endian: Endian = .little, notation: String) {
        guard let fields = Field.list(notation: notation[...]), !fields.isEmpty else { return nil }
        self.init(characteristic: characteristic, name: name, endian: endian, fields: fields.map { RecipeField($0) })
    }
}
