/// The decimals of stored values, which the history doesn't keep, from the layouts of their characteristics.
package struct LayoutDecimals: Sendable {
    private let own: [OwnLayout]
    private var known: [BluetoothUUID: [String: Int]] = [:]

    /// The limit for devices that have ever new characteristics.
    private static let most = 1024

    /// - Parameter layouts: the user's own ones.
    package init(own layouts: [OwnLayout] = []) { own = layouts }

    /// Returns the decimals that show each step of a field; `nil` for whole numbers, and when unknown.
    package mutating func decimals(of field: String, in characteristic: BluetoothUUID?) -> Int? {
        guard let characteristic else { return nil }
        if let fields = known[characteristic] { return fields[field] }
        if known.count >= Self.most { known = [:] }
        let fields = LayoutDecoder(characteristic, own: own)?.fields ?? []
        let decimals = Dictionary(
            fields.compactMap { field in field.decimals.map { (field.name, $0) } }, uniquingKeysWith: max)
        known[characteristic] = decimals
        return decimals[field]
    }

    /// Returns a stored reading with the decimals of its value.
    package mutating func complete(_ reading: Reading) -> Reading {
        guard case .value(var measurement, let raw) = reading.outcome, measurement.decimals == nil,
            let decimals = decimals(of: measurement.field, in: reading.characteristic)
        else { return reading }
        measurement.decimals = decimals
        var complete = reading
        complete.outcome = .value(measurement, raw: raw)
        return complete
    }
}
