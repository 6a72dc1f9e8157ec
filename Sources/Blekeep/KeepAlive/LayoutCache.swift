/// Decoders by characteristic, each looked up once: a link is made often, a table searched seldom.
final class LayoutCache {
    private let own: [OwnLayout]
    private var known: [BluetoothUUID: LayoutDecoder?] = [:]

    init(own: [OwnLayout]) {
        self.own = own
    }

    /// The person's own layout, or the assigned one; `nil` where there is none.
    subscript(_ characteristic: BluetoothUUID) -> LayoutDecoder? {
        if let found = known[characteristic] { return found }
        let layout = LayoutDecoder(characteristic, own: own)
        known[characteristic] = .some(layout)
        return layout
    }
}
