import BlekeepOutputs
import BlekeepRecords
internal import CPostgres
import Glibc
import RunLoop

/// A connection to PostgreSQL: libpq speaks the protocol, and its socket is on the run loop. One statement at a time; others
/// wait.
///
/// A separate thread resolves names and connects. blekeep doesn't wait for it.
package final class PostgresClient: @unchecked Sendable {
    /// The rows of a result, as text.
    package typealias Rows = [[String?]]

    private let settings: PostgresConfiguration
    private let loop: RunLoop
    private let opening = BlockingCall()
    /// libpq's connection; `nil` without one.
    private var connection: OpaquePointer?
    private var watch: Watch?
    /// The attempt to connect; a later one or `close` makes it void.
    private var attempt = 0
    private var onOpened: ((Result<Void, PostgresError>) -> Void)?
    private var done: ((Result<Rows, PostgresError>) -> Void)?
    private var outcome: Result<Rows, PostgresError>?
    /// The statements that come after the one in progress.
    private var waiting: [() -> Void] = []
    private lazy var timer = ClosureTimer { [weak self] in self?.timeOut() }

    /// How long each host may take to connect.
    private static let hostPatience: Duration = .seconds(10)
    /// How long a statement may take.
    static let patience: Duration = .seconds(60)
    /// How much memory an answer may take.
    private static let maxMemory: UInt64 = 32 << 20

    package init(_ settings: PostgresConfiguration, on loop: RunLoop) {
        self.settings = settings
        self.loop = loop
    }

    deinit { if let connection { blekeep_PQfinish(connection) } }

    // MARK: Connecting

    /// Connects to the first host that takes readings. Calls `done` later, once, unless `close` comes before.
    package func connect(password: String?, then done: @escaping (Result<Void, PostgresError>) -> Void) {
        close()
        attempt += 1
        let number = attempt
        // One thread at a time: another would wait for the same server.
        guard !opening.isRunning else {
            return loop.soon { done(.failure(PostgresError("\(self.settings.name) doesn't respond"))) }
        }
        guard blekeep_load_libpq() else {
            return loop.soon { done(.failure(PostgresError("libpq is missing; install the package libpq5"))) }
        }
        let options = options(password: password)
        onOpened = done
        do {
            try opening.start(on: loop) {
                Opened(connection: Self.open(options))
            } then: { [weak self] opened in
                guard let self, number == attempt else { return blekeep_PQfinish(opened.connection) }
                let done = onOpened
                onOpened = nil
                done?(self.opened(opened.connection))
            }
        } catch { loop.soon { done(.failure(PostgresError("there is no thread to connect with"))) } }
    }

    private struct Opened: @unchecked Sendable {
        let connection: OpaquePointer?
    }

    private func options(password: String?) -> KeyValuePairs<String, String?> {
        [
            "host": settings.hosts.map(\.name).joined(separator: ","),
            "port": settings.hosts.map { "\($0.port)" }.joined(separator: ","),
            "dbname": settings.database, "user": settings.user, "password": password,
            "passfile": "/dev/null/none", "application_name": "blekeep", "client_encoding": "UTF8",
            "connect_timeout": "\(Self.hostPatience.components.seconds)",
            "target_session_attrs": "read-write", "tcp_user_timeout": "30000", "gssencmode": "disable",
            "sslmode": settings.isEncrypted ? "verify-full" : "disable",
            "sslrootcert": settings.isEncrypted ? settings.caFile ?? Self.systemAuthorities : nil,
            "sslcert": settings.certificateFile ?? "/dev/null/none", "sslkey": settings.keyFile,
        ]
    }

    private static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"

    /// Resolves names and connects; waits for both.
    private static func open(_ options: KeyValuePairs<String, String?>) -> OpaquePointer? {
        let given = options.filter { $0.value != nil }
        var (keys, values) = (given.map { strdup($0.key) }, given.map { strdup($0.value ?? "") })
        defer { for text in keys + values { free(text) } }
        keys.append(nil)
        values.append(nil)
        return keys.map { UnsafePointer($0) }.withUnsafeBufferPointer { keys in
            values.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
                keys.baseAddress.flatMap { keys in values.baseAddress.flatMap { blekeep_PQconnectdbParams(keys, $0, 0) }
                }
            }
        }
    }

    private func opened(_ connection: OpaquePointer?) -> Result<Void, PostgresError> {
        guard let connection else { return .failure(PostgresError("there is no memory for a connection")) }
        guard blekeep_PQstatus(connection) == Int32(blekeep_connection_ok) else {
            defer { blekeep_PQfinish(connection) }
            return .failure(PostgresError(connecting: String(cString: blekeep_PQerrorMessage(connection)), settings))
        }
        blekeep_PQsetnonblocking(connection, 1)
        blekeep_PQignoreNotices(connection)
        self.connection = connection
        watch = loop.watch(blekeep_PQsocket(connection), for: Int16(POLLIN)) { [unowned self] _ in ready() }
        return .success(())
    }

    /// Ends the connection and what is in progress, without an answer.
    package func close() {
        attempt += 1
        (onOpened, done, outcome) = (nil, nil, nil)
        waiting = []
        loop.disarm(timer)
        if let watch { loop.unwatch(watch) }
        watch = nil
        if let connection { blekeep_PQfinish(connection) }
        connection = nil
    }

    // MARK: Statements

    /// Whether a statement is in progress.
    package var isBusy: Bool { done != nil }

    /// Runs one statement, or several without parameters, after those before. Calls `done` later, once, with the last result,
    /// unless the connection ends before.
    package func run(
        _ sql: String, with parameters: [String?]? = nil, then done: @escaping (Result<Rows, PostgresError>) -> Void
    ) {
        guard let connection else {
            return loop.soon { done(.failure(PostgresError("\(self.settings.name) isn't connected"))) }
        }
        guard self.done == nil else {
            return waiting.append { [unowned self] in self.run(sql, with: parameters, then: done) }
        }
        self.done = done
        loop.arm(timer, at: loop.now + Self.patience)
        guard let parameters else {
            guard blekeep_PQsendQuery(connection, sql) == 1 else { return loop.soon { self.ended() } }
            return flush()
        }
        let texts = parameters.map { $0.flatMap { strdup($0) } }
        defer { for text in texts { free(text) } }
        let isSent = texts.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
            blekeep_PQsendQueryParams(connection, sql, Int32(values.count), values.baseAddress)
        }
        guard isSent == 1 else { return loop.soon { self.ended() } }
        flush()
    }

    private func flush() {
        guard let connection else { return }
        switch blekeep_PQflush(connection) {
        case 0: watch?.events = Int16(POLLIN)
        case 1: watch?.events = Int16(POLLIN | POLLOUT)
        default: loop.soon { self.ended() }
        }
    }

    private func ready() {
        guard let connection else { return }
        let memory = MemoryLimit(adding: Self.maxMemory)
        memory?.impose()
        let isAlive = blekeep_PQconsumeInput(connection) == 1
        memory?.lift()
        guard isAlive else { return ended() }
        if done == nil { return }
        flush()
        while blekeep_PQisBusy(connection) == 0 {
            guard let result = blekeep_PQgetResult(connection) else { return finish() }
            defer { blekeep_PQclear(result) }
            if case .failure = outcome { continue }
            switch blekeep_PQresultStatus(result) {
            case Int32(blekeep_tuples_ok), Int32(blekeep_command_ok): outcome = .success(Self.rows(of: result))
            default:
                func text(_ field: Int) -> String? {
                    blekeep_PQresultErrorField(result, Int32(field)).map { String(cString: $0) }
                }
                outcome = .failure(
                    PostgresError(
                        state: text(blekeep_sql_state) ?? "", message: text(blekeep_message) ?? "",
                        detail: text(blekeep_detail) ?? "", settings))
            }
        }
    }

    /// Returns what the server keeps of a password, so that it and its log never see the password itself; `nil` without a
    /// connection.
    package func verifier(of password: String, for user: String) -> String? {
        guard let connection, let text = blekeep_PQencryptPasswordConn(connection, password, user, "scram-sha-256")
        else {
            return nil
        }
        defer { blekeep_PQfreemem(text) }
        return String(cString: text)
    }

    private static func rows(of result: OpaquePointer) -> Rows {
        (0..<blekeep_PQntuples(result)).map { row in
            (0..<blekeep_PQnfields(result)).map { column in
                blekeep_PQgetisnull(result, row, column) == 1
                    ? nil : blekeep_PQgetvalue(result, row, column).map { String(cString: $0) }
            }
        }
    }

    private func finish() {
        guard let done else { return }
        let outcome = outcome ?? .failure(PostgresError("\(settings.name) closed the connection"))
        (self.done, self.outcome) = (nil, nil)
        loop.disarm(timer)
        done(outcome)
        if !waiting.isEmpty { waiting.removeFirst()() }
    }

    /// The connection ended.
    private func ended() {
        let message = connection.map { String(cString: blekeep_PQerrorMessage($0)) } ?? ""
        end(PostgresError(connecting: message, settings))
    }

    private func timeOut() {
        end(PostgresError("\(settings.name) didn't answer in \(DurationText.text(Self.patience))"))
    }

    private func end(_ error: PostgresError) {
        let done = done
        close()
        if let done { done(.failure(error)) } else { onEnd?(error) }
    }

    /// Called when the connection ends while no statement is in progress.
    package var onEnd: ((PostgresError) -> Void)?
}

/// A failure of PostgreSQL or of the connection to it, and what to do about it.
package struct PostgresError: Error, Hashable, CustomStringConvertible {
    package let description: String
    /// The SQLSTATE; empty for a failure of the connection.
    package let state: String
    /// What the server says beside its message.
    package let detail: String

    package init(_ description: String, state: String = "", detail: String = "") {
        self.description = description
        self.state = state
        self.detail = detail
    }

    /// Whether a value in the statement is at fault, and not the server or the rights.
    var isContent: Bool { state.hasPrefix("22") || state.hasPrefix("23") || state == "54000" }

    /// A statement failed.
    init(state: String, message: String, detail: String, _ settings: PostgresConfiguration) {
        let (place, user) = (settings.name, settings.user.map { "user '\(Untrusted($0))'" } ?? "this user")
        let words =
            switch state {
            case PostgresSchema.conflict: "\(place) has another reading of the same number"
            case "3F000", "42883", "42P01":
                "the database \(Untrusted(settings.database)) lacks blekeep's tables, or has those of an older version; run `blekeep fleet init` for it"
            case "42501":
                "\(place) doesn't let \(user) do this: \(Untrusted(message, limit: 200)); invite it with `blekeep fleet invite`"
            case PostgresSchema.nameTaken:
                "another machine is the gateway \(settings.gateway) in \(place); give this one another `gateway`, or run `blekeep fleet adopt` if it takes the place of that machine"
            case PostgresSchema.nameOfRole:
                "the name \(settings.gateway) in \(place) belongs to another role than \(user); give this gateway another `gateway`, or write that role in `url`"
            case "53100": "the disk of \(place) is full; make room"
            case "53200": "\(place) has no memory left"
            case "25006": "\(place) takes no readings now: it is a standby"
            case _ where state.hasPrefix("57P"): "\(place) is shutting down"
            default: "\(place): \(Untrusted(message, limit: 300))"
            }
        self.init(words, state: state, detail: detail)
    }

    /// There is no connection, or it ended.
    init(connecting message: String, _ settings: PostgresConfiguration) {
        let (place, user) = (settings.name, settings.user.map { "user '\(Untrusted($0))'" } ?? "this user")
        let text = message.lowercased()
        let rules: [(text: String, words: String)] = [
            ("password authentication failed", "\(place) refused \(user): the password is wrong, or has expired"),
            ("no password supplied", "\(place) wants a password of \(user); set `password_file`"),
            (
                "peer authentication failed",
                "\(place) knows no \(user) on this machine; run it as that user of the system"
            ),
            ("no pg_hba.conf entry", "\(place) lets \(user) in from no such place; add a line to its pg_hba.conf"),
            (
                "certificate verify failed",
                "\(place): its certificate has expired, or no trusted authority signed it; check it, and `ca_file`"
            ),
            ("does not match host name", "\(place): its certificate is for another name; use that name in `url`"),
            (
                "does not support ssl",
                "\(place) doesn't speak TLS; turn `ssl` on there, or write `?sslmode=disable` in `url`"
            ),
            ("root certificate file", "`ca_file` can't be read as PEM; check the file and its rights"),
            (
                "could not translate host name",
                "the name of \(place) can't be resolved; check `url` and the name server"
            ),
            ("starting up", "\(place) is starting"),
            ("shutting down", "\(place) is shutting down"),
            ("too many", "\(place) has too many connections"),
            ("read-only", "\(place) takes no readings now: it is a standby"),
            ("connection refused", "\(place) refused the connection; is PostgreSQL running, and the port right?"),
            ("no such file or directory", "\(place) refused the connection; is PostgreSQL running?"),
            ("timeout expired", "\(place) didn't respond"),
            ("closed the connection", "\(place) closed the connection"),
        ]
        let missing = text.contains("does not exist")
        if let words = rules.first(where: { text.contains($0.text) })?.words {
            self.init(words)
        } else if missing, text.contains("database") {
            self.init("\(place) has no database \(Untrusted(settings.database)); make it with createdb")
        } else if missing, text.contains("role") {
            self.init("\(place) knows no \(user); invite it with `blekeep fleet invite`")
        } else {
            let last = message.split(separator: "\n").last.map(String.init) ?? "the connection ended"
            self.init("\(place): \(Untrusted(last, limit: 300))")
        }
    }
}
