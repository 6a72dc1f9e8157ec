/// Finds out how a characteristic's octets are to be read: by a layout of somebody's own, by the assigned one, by what
/// the peripheral says in descriptor 0x2904, or else as raw octets, in this order.
public enum DecoderChoice {
    /// - Parameters:
    ///   - characteristic: the characteristic to decode.
    ///   - layouts: the configuration's layouts.
    ///   - presentation: the characteristic's descriptor 0x2904, where it has one.
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

/// One field called `value`, as descriptor 0x2904 says.
private struct PresentedDecoder: Decoder {
    let format: PresentationFormat

    func decode(_ octets: [UInt8]) throws(DecodeError) -> [Measurement] { [try format.decode(octets)] }
}

/// One field called `value`: the octets as hex digits.
private struct RawDecoder: Decoder {
    func decode(_ octets: [UInt8]) throws(DecodeError) -> [Measurement] {
        [Measurement(field: "value", .hex(octets), unit: nil)]
    }
}
