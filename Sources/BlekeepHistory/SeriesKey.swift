import BlekeepRecords
internal import GRDB

/// The key of a series of readings: a field of a characteristic of a device.
///
/// The unit is a part of it, because values in two units have no mean. Aliases and names are only labels. When another
/// sensor gets the device's ID, its readings go on in rows of their own, so that all keep the address that they came from.
struct SeriesKey: Hashable {
    var device: DeviceID
    var address: BluetoothAddress
    /// `nil`, kept as an empty text, with failures of the device as a whole.
    var service: BluetoothUUID?
    var characteristic: BluetoothUUID?
    /// The recipe in their place; `nil`, kept as an empty text, for all others.
    var recipe: String?
    /// Which of the device's characteristics with this UUID, from 1 on.
    var instance = 1
    /// `nil` for failed reads.
    var field: String?
    var unit: String?
}

/// A row of `series`: the values that its readings share.
struct Series: Hashable {
    var key: SeriesKey
    /// The device's alias, and the characteristic's name, as they were last.
    var alias: String
    var name: String

    init(_ reading: Reading) {
        key = SeriesKey(
            device: reading.id, address: reading.address, service: reading.service,
            characteristic: reading.characteristic, recipe: reading.recipe, instance: reading.instance)
        alias = reading.device
        name = reading.name
        if case .value(let measurement, _) = reading.outcome {
            key.field = measurement.field
            key.unit = measurement.unit
        }
    }

    static let columns = "device, address, alias, service, characteristic, recipe, name, field, unit, instance"

    /// Decodes these columns, which others may follow; `nil` for a damaged row.
    init?(_ row: [DatabaseValue]) {
        guard row.count >= 10, let instance = Int64.fromDatabaseValue(row[9]).flatMap({ Int(exactly: $0) }),
            let device = HistoryText.decode(row[0]).flatMap({ DeviceID($0) }),
            let address = HistoryText.decode(row[1]).flatMap({ BluetoothAddress($0) }),
            let alias = HistoryText.decode(row[2]), let name = HistoryText.decode(row[6]),
            let service = HistoryText.decode(row[3]), let characteristic = HistoryText.decode(row[4]),
            let recipe = HistoryText.decode(row[5])
        else { return nil }
        key = SeriesKey(
            device: device, address: address, service: BluetoothUUID(service),
            characteristic: BluetoothUUID(characteristic), recipe: recipe.isEmpty ? nil : recipe, instance: instance,
            field: HistoryText.decode(row[7]), unit: HistoryText.decode(row[8]))
        self.alias = alias
        self.name = name
    }

    var arguments: StatementArguments {
        StatementArguments([
            HistoryText.encode(key.device.description), HistoryText.encode(key.address.description),
            HistoryText.encode(alias),
            HistoryText.encode(key.service?.description ?? ""),
            HistoryText.encode(key.characteristic?.description ?? ""), HistoryText.encode(key.recipe ?? ""),
            HistoryText.encode(name),
            HistoryText.encode(key.field), HistoryText.encode(key.unit), Int64(key.instance).databaseValue,
        ])
    }
}
