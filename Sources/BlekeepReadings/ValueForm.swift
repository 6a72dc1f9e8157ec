/// What is known of a characteristic's values: what they are called, and how their octets are to be read.
///
/// The layout of somebody's own comes first, then the assigned one; where there is neither, the device is asked itself:
/// its descriptors 0x2904 (the form) and 0x2901 (the name).
package struct ValueForm: Sendable {
    /// What the characteristic is called; empty if nobody says.
    package private(set) var name: String
    package let layout: LayoutDecoder?
    package private(set) var presentation: PresentationFormat?

    package init(of characteristic: BluetoothUUID, layout: LayoutDecoder?) {
        self.layout = layout
        let own = layout?.name ?? ""
        name = own.isEmpty ? AssignedNumbers.characteristicName(characteristic) ?? "" : own
    }

    /// Whether there is more to say than raw octets.
    package var isKnown: Bool { layout != nil || presentation != nil }

    /// Asks the device what no layout says.
    ///
    /// - Parameter read: reads a descriptor; `nil` when the characteristic does not have it, or it cannot be read.
    package mutating func complete(reading read: (BluetoothUUID) async -> [UInt8]?) async {
        guard layout == nil else { return }
        if let octets = await read(BluetoothUUID(0x2904)) {
            presentation = try? PresentationFormat(octets)
        }
        if name.isEmpty, let octets = await read(BluetoothUUID(0x2901)) {
            name = String(decoding: octets.prefix(128).filter { $0 != 0 }, as: UTF8.self)
        }
    }

    /// What the octets say; raw octets as hexadecimal digits when nothing is known of their form.
    package func decode(_ octets: [UInt8]) throws(DecodeError) -> [Measurement] {
        if let layout { return try layout.decode(octets) }
        return try DecoderChoice.decoder(layout: nil, presentation: presentation).decode(octets)
    }

    /// The octets of a value as a person writes it; `nil` when nothing is known of the form.
    package func encode(_ texts: [String]) throws(EncodeError) -> [UInt8]? {
        if let layout { return try layout.encode(texts) }
        return try presentation?.encode(texts)
    }
}
