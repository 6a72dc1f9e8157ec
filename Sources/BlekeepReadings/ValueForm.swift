/// The name and the format of a characteristic's values.
///
/// The user's own layout comes first, then the assigned one. Without either, the device's descriptors 0x2904 and 0x2901
/// give the format and the name.
package struct ValueForm: Sendable {
    /// The characteristic's name; empty when unknown.
    package private(set) var name: String
    package let layout: LayoutDecoder?
    package private(set) var presentation: PresentationFormat?
    /// `nil` for numbers as the device sends them.
    package var calibration: Calibration?

    package init(of characteristic: BluetoothUUID, layout: LayoutDecoder?) {
        self.layout = layout
        let own = layout?.name ?? ""
        name = own.isEmpty ? AssignedNumbers.characteristicName(characteristic) ?? "" : own
    }

    /// Whether the format is known. Otherwise `decode` returns raw bytes.
    package var isKnown: Bool { layout != nil || presentation != nil }

    /// Reads the device's descriptors when no layout is known.
    ///
    /// - Parameter read: reads a descriptor; `nil` when the characteristic lacks it, or when reading it fails.
    package mutating func complete(reading read: (BluetoothUUID) async -> [UInt8]?) async {
        guard layout == nil else { return }
        if let bytes = await read(BluetoothUUID(0x2904)) { presentation = try? PresentationFormat(bytes) }
        if name.isEmpty, let bytes = await read(BluetoothUUID(0x2901)) {
            name = String(decoding: bytes.prefix(128).filter { $0 != 0 }, as: UTF8.self)
        }
    }

    /// Decodes bytes, and corrects the numbers; returns them as hexadecimal digits when the format is unknown.
    package func decode(_ bytes: [UInt8]) throws(DecodeError) -> [Measurement] {
        let measurements =
            if let layout { try layout.decode(bytes) } else {
                try DecoderChoice.decoder(layout: nil, presentation: presentation).decode(bytes)
            }
        return calibration.map { $0.corrected(measurements) } ?? measurements
    }

    /// Encodes a value as users write it; `nil` when the format is unknown.
    package func encode(_ texts: [String]) throws(UserError) -> [UInt8]? {
        if let layout { return try layout.encode(texts) }
        return try presentation?.encode(texts)
    }
}
