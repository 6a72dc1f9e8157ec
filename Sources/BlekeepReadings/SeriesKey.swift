/// Where on a device a value comes from: a characteristic, the answers to a recipe, or advertisements of one format.
package struct ReadingSource: Sendable, Hashable {
    package let service: BluetoothUUID?
    package let characteristic: BluetoothUUID?
    package let recipe: String?
    /// The number of the characteristic, from 1, among those with the same UUIDs.
    package let instance: Int
    /// The format of manufacturer data, which has neither UUID, so that two packets with one field name are two
    /// sources; empty for all others, whose names may change.
    package let format: String

    /// - Parameter name: that of the reading.
    package init(
        service: BluetoothUUID? = nil, characteristic: BluetoothUUID? = nil, recipe: String? = nil, instance: Int = 1,
        name: String = ""
    ) {
        (self.service, self.characteristic, self.recipe) = (service, characteristic, recipe)
        self.instance = instance
        format = service == nil && characteristic == nil && recipe == nil ? name : ""
    }

    /// Whether the device sends it without a connection.
    package var isAdvertised: Bool { characteristic == nil && recipe == nil }
}

/// Which of a device's fields a value is of: all that keep, throttle, draw or publish values tell them apart by this.
///
/// Aliases and names are only labels, and no part of it.
package struct SeriesKey: Sendable, Hashable {
    package var source: ReadingSource
    /// `nil` for failed reads.
    package var field: String?
    /// Values in two units have no mean. `nil` for plain numbers, and where only the newest value counts, in any unit.
    package var unit: String?

    package init(_ source: ReadingSource, field: String?, unit: String? = nil) {
        self.source = source
        self.field = field
        self.unit = unit
    }

    /// The key without the unit, where only the newest value counts.
    package var newest: SeriesKey { SeriesKey(source, field: field) }
}

extension Reading {
    package var source: ReadingSource {
        ReadingSource(service: service, characteristic: characteristic, recipe: recipe, instance: instance, name: name)
    }

    package var key: SeriesKey {
        guard case .value(let measurement, _) = outcome else { return SeriesKey(source, field: nil) }
        return SeriesKey(source, field: measurement.field, unit: measurement.unit)
    }
}
