import Blekeep
internal import GRDB

/// What the readings of one field of one characteristic have in common: a row of `series`.
struct SeriesKey: Hashable {
    var device: String
    var address: BluetoothAddress
    /// `nil`, kept as an empty text, with failures of the device as a whole.
    var service: BluetoothUUID?
    var characteristic: BluetoothUUID?
    var name: String
    /// `nil` for failed reads.
    var field: String?
    var unit: String?

    init(_ reading: Reading) {
        device = reading.device
        address = reading.address
        service = reading.service
        characteristic = reading.characteristic
        name = reading.name
        if case .value(let measurement, _) = reading.outcome {
            field = measurement.field
            unit = measurement.unit
        }
    }

    /// From `device, address, service, characteristic, name, field, unit`; `nil` if that is not what we wrote.
    init?(_ row: Row) { self.init { row[$0] } }

    init?(_ row: (Int) -> DatabaseValue) {
        guard
            let device = HistoryText.decode(row(0)), let name = HistoryText.decode(row(4)),
            let address = HistoryText.decode(row(1)).flatMap({ BluetoothAddress($0) }),
            let service = HistoryText.decode(row(2)), let characteristic = HistoryText.decode(row(3))
        else { return nil }
        self.device = device
        self.address = address
        self.service = BluetoothUUID(service)
        self.characteristic = BluetoothUUID(characteristic)
        self.name = name
        field = HistoryText.decode(row(5))
        unit = HistoryText.decode(row(6))
    }

    static let columns = "device, address, service, characteristic, name, field, unit"

    var arguments: StatementArguments {
        StatementArguments([
            HistoryText.encode(device), HistoryText.encode(address.description),
            HistoryText.encode(service?.description ?? ""), HistoryText.encode(characteristic?.description ?? ""),
            HistoryText.encode(name), HistoryText.encode(field), HistoryText.encode(unit),
        ])
    }
}
