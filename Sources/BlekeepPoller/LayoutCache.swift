/// The decoders of characteristics. Each is looked up once, not for each connection.
final class LayoutCache {
    private let own: [OwnLayout]
    private var known: [BluetoothUUID: LayoutDecoder?] = [:]

    init(own: [OwnLayout]) {
        self.own = own
    }

    /// The user's own layout, or the assigned one; `nil` without both.
    subscript(_ characteristic: BluetoothUUID) -> LayoutDecoder? {
        if let found = known[characteristic] { return found }
        let layout = LayoutDecoder(characteristic, own: own)
        known[characteristic] = .some(layout)
        return layout
    }
}
