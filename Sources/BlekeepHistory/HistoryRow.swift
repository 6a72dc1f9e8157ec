import BlekeepRecords
internal import GRDB

/// A row of `measurements`: the values of a reading that its series doesn't have.
enum HistoryRow {
    static let columns = "series, time_ms, tick, kind, value, state, raw, error_code, error_message"

    enum Kind: Int64, CaseIterable {
        case failure, integer, number, text, boolean, list, noValue
    }

    /// For the columns, and `seq`.
    static func arguments(_ reading: Reading, series: Int64, sequence: Int64) -> StatementArguments {
        var row: [DatabaseValue] = [
            series.databaseValue, reading.time.databaseValue, Int64(reading.tick).databaseValue,
        ]
        row.reserveCapacity(10)
        switch reading.outcome {
        case .value(let measurement, let raw):
            let (kind, value) = encode(measurement.value)
            row.append(kind.rawValue.databaseValue)
            row.append(value)
            row.append(HistoryText.encode(measurement.state))
            row.append(HistoryText.encode(bytes: raw))
            row.append(.null)
            row.append(.null)
        case .failure(let failure, let raw):
            row.append(Kind.failure.rawValue.databaseValue)
            row.append(.null)
            row.append(.null)
            row.append(HistoryText.encode(bytes: raw))
            row.append(HistoryText.encode(failure.code.rawValue))
            row.append(HistoryText.encode(failure.message))
        }
        row.append(sequence.databaseValue)
        return StatementArguments(row)
    }

    /// Decodes `seq` and the columns above; `nil` for a damaged row.
    static func decode(_ row: Row, series: Series) -> StoredReading? { decode({ row[$0] }, series: series) }

    static func decode(_ row: (Int) -> DatabaseValue, series: Series) -> StoredReading? {
        guard
            let sequence = Int64.stored(row(0)), let time = Int64.stored(row(2)),
            let tick = Int.stored(row(3)), let kind = Int64.stored(row(4)).flatMap(Kind.init),
            let outcome = outcome(row, kind: kind, series: series.key.series)
        else { return nil }
        let source = series.key.series.source
        return StoredReading(
            sequence: sequence,
            reading: Reading(
                time: time, tick: tick, id: series.key.device, device: series.alias, address: series.key.address,
                service: source.service, characteristic: source.characteristic, recipe: source.recipe,
                instance: source.instance, name: series.name, outcome: outcome))
    }

    private static func outcome(_ row: (Int) -> DatabaseValue, kind: Kind, series: SeriesKey) -> Reading.Outcome? {
        let raw = HistoryText.decode(bytes: row(7))
        if kind == .failure {
            guard let code = HistoryText.decode(row(8)), let message = HistoryText.decode(row(9)) else { return nil }
            return .failure(ReadingFailure(code: OpenEnum(rawValue: code), message: message), raw: raw)
        }
        guard let field = series.field, let raw else { return nil }
        let value = decode(row(5), as: kind)
        // SQLite keeps NaN as NULL: a number that was none.
        if value == nil, kind != .noValue, kind != .number { return nil }
        let state = HistoryText.decode(row(6)) ?? (value == nil && kind == .number ? "nan" : nil)
        return .value(Measurement(field: field, value: value, state: state, unit: series.unit), raw: raw)
    }

    static func encode(_ value: MeasuredValue?) -> (Kind, DatabaseValue) {
        switch value {
        case nil: (.noValue, .null)
        case .integer(let integer): (.integer, integer.databaseValue)
        case .number(let number): (.number, number.databaseValue)
        case .text(let text): (.text, HistoryText.encode(text))
        case .boolean(let flag): (.boolean, flag.databaseValue)
        case .list(let values): (.list, ListText.encode(values).databaseValue)
        }
    }

    static func decode(_ value: DatabaseValue, as kind: Kind) -> MeasuredValue? {
        switch kind {
        case .failure, .noValue: nil
        case .integer: Int64.fromDatabaseValue(value).map(MeasuredValue.integer)
        case .number: Double.fromDatabaseValue(value).map(MeasuredValue.number)
        case .text: HistoryText.decode(value).map(MeasuredValue.text)
        case .boolean: Int64.fromDatabaseValue(value).map { .boolean($0 != 0) }
        case .list: HistoryText.decode(value).flatMap(ListText.decode).map(MeasuredValue.list)
        }
    }
}
