/// Chooses the decoder of a characteristic.
///
/// The first of these that exists: your own layout, the assigned layout, the format in the device's descriptor 0x2904, and
/// the raw bytes as hexadecimal digits.
///
/// ```swift
/// let decoder = DecoderChoice.decoder(for: characteristic.uuid)
/// let measurements = try decoder.decode(try await link.read(characteristic))
/// ```
public enum DecoderChoice {
    /// Returns the decoder of a characteristic.
    ///
    /// - Parameters:
    ///   - characteristic: the characteristic to decode.
    ///   - layouts: your own layouts; those of other characteristics are ignored.
    ///   - presentation: the value of the characteristic's descriptor 0x2904, if it has this descriptor.
    public static func decoder(
        for characteristic: BluetoothUUID, own layouts: [OwnLayout] = [], presentation: PresentationFormat? = nil
    ) -> any Decoder {
        decoder(layout: LayoutDecoder(characteristic, own: layouts), presentation: presentation)
    }

    static func decoder(layout: LayoutDecoder?, presentation: PresentationFormat?) -> any Decoder {
        if let layout { return layout }
        if let presentation { return PresentedDecoder(format: presentation) }
        return RawDecoder()
    }
}

/// A decoder with a single field called `value`, in the format of descriptor 0x2904.
private struct PresentedDecoder: Decoder {
    let format: PresentationFormat

    func decode(_ bytes: [UInt8]) throws(DecodeError) -> [Measurement] { [try format.decode(bytes)] }
}

/// A decoder with a single field called `value`: the bytes as hexadecimal digits.
private struct RawDecoder: Decoder {
    func decode(_ bytes: [UInt8]) throws(DecodeError) -> [Measurement] {
        [Measurement(field: "value", .hex(bytes), unit: nil)]
    }
}
