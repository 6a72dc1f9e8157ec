import BlekeepOutputs
import BlekeepRecords
import RunLoop

/// A database that takes readings: a batch is a call of `blekeep.put_1`.
///
/// A reading's key is its number together with the history that gave it. When the database has another reading with that
/// key, an older history was restored: from that number on, the history is another one.
final class PostgresServer: BatchServer, @unchecked Sendable {
    let name = "postgres"
    private let settings: PostgresConfiguration
    private let password: () throws -> String?
    private let histories: any HistoryIdentity
    private let loop: RunLoop
    private let client: PostgresClient
    private var known: [HistoryPart] = []

    /// - Parameter password: reads the password. It is called after each failure, because the file may change.
    init(
        _ settings: PostgresConfiguration, of histories: any HistoryIdentity, on loop: RunLoop,
        password: @escaping () throws -> String?
    ) {
        self.settings = settings
        self.histories = histories
        self.loop = loop
        self.password = password
        client = PostgresClient(settings, on: loop)
    }

    var place: String { settings.name }
    var batchAge: Duration { settings.batchAge }
    var backlogRate: Int { settings.backlogRate }

    func connect(_ done: @escaping (Result<Void, any Error>) -> Void) {
        do {
            let password = try password()
            known = try histories.parts()
            client.connect(password: password) { done($0.mapError { $0 }) }
        } catch { loop.soon { done(.failure(error)) } }
    }

    func line(_ reading: LiveReading) -> [UInt8] {
        let part = known.lastIndex { $0.first <= reading.sequence ?? 0 } ?? 0
        return PostgresLine.bytes(of: reading, part: part)
    }

    func send(
        _ lines: ArraySlice<BatchQueue.Line>,
        then done: @escaping (Result<(BatchVerdict, bytes: Int), any Error>) -> Void
    ) {
        var body = [UInt8(ascii: "[")]
        body += lines.map(\.bytes).joined(separator: [UInt8(ascii: ",")])
        body.append(UInt8(ascii: "]"))
        let parameters = [
            settings.gateway, "{\(known.map(\.id).joined(separator: ","))}", String(decoding: body, as: UTF8.self),
        ]
        client.run("SELECT blekeep.put_1($1, $2::uuid[], $3::json)", parameters) { [unowned self] result in
            switch result {
            case .success: done(.success((.done, body.count)))
            case .failure(let error) where error.state == PostgresSchema.conflict:
                done(.failure(beginAnew(error)))
            case .failure(let error) where error.isContent:
                done(.success((.refused(error.description), body.count)))
            case .failure(let error): done(.failure(error))
            }
        }
    }

    /// Another reading has the number of one of this history.
    ///
    /// - Returns: why the batch comes again.
    private func beginAnew(_ error: PostgresError) -> any Error {
        guard let number = error.detail.split(separator: " ").last.flatMap({ Int64($0) }) else { return error }
        do { try histories.begin(at: number) } catch { return error }
        return ServerError(
            "\(place) has other readings from \(number) on: an older history was restored; sending again")
    }

    func close() { client.close() }

    func end() { client.close() }
}

/// A reading as an object for `blekeep.put_1`.
enum PostgresLine {
    static func bytes(of live: LiveReading, part: Int) -> [UInt8] {
        let reading = live.reading
        var bytes: [UInt8] = []
        bytes.append(text: "{\"h\":\(part)")
        JSONText.append(key: "seq", live.sequence ?? 0, to: &bytes)
        JSONText.append(key: "time", to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        UTCTime(milliseconds: reading.time).appendISO(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        append("device", reading.id.description, to: &bytes)
        append("address", reading.address.description, to: &bytes)
        append("service", reading.service?.description ?? "", to: &bytes)
        append("characteristic", reading.characteristic?.description ?? "", to: &bytes)
        append("recipe", reading.recipe ?? "", to: &bytes)
        JSONText.append(key: "instance", Int64(reading.instance), to: &bytes)
        append("alias", reading.device, to: &bytes)
        append("name", reading.name, to: &bytes)
        bytes.append(text: reading.isClockSet ? ",\"clock_set\":true" : ",\"clock_set\":false")
        switch reading.outcome {
        case .value(let measurement, _):
            append("field", measurement.field, to: &bytes)
            append("unit", measurement.unit ?? "", to: &bytes)
            append(measurement, to: &bytes)
        case .failure(let failure, _):
            bytes.append(text: ",\"field\":\"\",\"unit\":\"\"")
            append("error", failure.code.rawValue, to: &bytes)
            append("text", failure.message, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    private static func append(_ measurement: Measurement, to bytes: inout [UInt8]) {
        switch measurement.value {
        case .integer, .number:
            JSONText.append(key: "value", to: &bytes)
            JSONText.append(measured: measurement.value, to: &bytes)
        case .boolean(let isTrue):
            bytes.append(text: isTrue ? ",\"value\":1,\"text\":\"true\"" : ",\"value\":0,\"text\":\"false\"")
        case .text(let text): append("text", text, to: &bytes)
        case .list:
            var list: [UInt8] = []
            JSONText.append(measured: measurement.value, to: &list)
            append("text", String(decoding: list, as: UTF8.self), to: &bytes)
        case nil: append("text", measurement.state ?? "", to: &bytes)
        }
    }

    /// PostgreSQL's texts have no NUL.
    private static func append(_ key: StaticString, _ text: String, to bytes: inout [UInt8]) {
        let text = text.utf8.contains(0) ? String(text.map { $0 == "\0" ? "\u{FFFD}" : $0 }) : text
        JSONText.append(key: key, text, to: &bytes)
    }
}

extension BatchSink {
    package convenience init(
        _ postgres: PostgresConfiguration, of histories: any HistoryIdentity, on loop: RunLoop,
        password: @escaping () throws -> String?
    ) {
        self.init(PostgresServer(postgres, of: histories, on: loop, password: password), on: loop)
    }
}

/// Connects to a database with the gateway's settings, and calls its function without readings.
package final class PostgresCheck: SinkCheck {
    package let name = "postgres"
    private let settings: PostgresConfiguration
    private let password: () throws -> String?
    private let loop: RunLoop
    private let client: PostgresClient

    package init(_ settings: PostgresConfiguration, on loop: RunLoop, password: @escaping () throws -> String?) {
        self.settings = settings
        self.password = password
        self.loop = loop
        client = PostgresClient(settings, on: loop)
    }

    package func start(_ done: @escaping (Result<String, any Error>) -> Void) {
        let secret: String?
        do { secret = try password() } catch { return loop.soon { done(.failure(error)) } }
        client.connect(password: secret) { [unowned self] result in
            if case .failure(let error) = result { return done(.failure(error)) }
            client.run("SELECT blekeep.put_1($1, '{}', '[]')", [settings.gateway]) { [settings] result in
                done(result.map { _ in "\(settings.name) takes readings" }.mapError { $0 })
            }
        }
    }

    package func end() { client.close() }
}
