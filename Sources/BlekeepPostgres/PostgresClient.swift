import BlekeepOutputs
import BlekeepRecords
internal import CLoaded
import Glibc
import RunLoop

/// A connection to PostgreSQL: libpq speaks the protocol, and its socket is on the run loop. One statement at a time; others
/// wait.
///
/// libpq keeps whatever a server sends, so the kernel refuses it memory beyond `maxMemory` while it is called, and a
/// statement has an end: by `patience`, by `PostgresAnswer`, and by the number of results in one turn of the loop.
package final class PostgresClient: @unchecked Sendable {
    package typealias Rows = [PostgresRow]

    private let settings: PostgresConfiguration
    private let loop: RunLoop
    private let opening = BlockingCall()
    /// What connects; `nil` at other times.
    private var connector: PostgresConnector?
    /// libpq's connection; `nil` without one.
    private var connection: OpaquePointer?
    private var watch: Watch?
    /// The attempt to connect; a later one or `close` makes it void.
    private var attempt = 0
    private var onOpened: ((Result<Void, PostgresError>) -> Void)?
    private var done: ((Result<Rows, PostgresError>) -> Void)?
    private var answer = PostgresAnswer()
    /// The statements that come after the one in progress.
    private var waiting: [() -> Void] = []
    private lazy var timer = ClosureTimer { [weak self] in self?.timeOut() }
    /// Measured once for each answer: if each call might take more, many would take everything.
    private var memory: MemoryLimit?
    /// What the process had when the connection was opened.
    private var memoryAtStart: UInt64?
    /// How many bytes came since the last statement, at least.
    private var bytes = 0
    /// The processor time that libpq took for them: it looks for each setting among all that the server sent before.
    private var time: Duration = .zero

    /// How long a statement may take.
    static let patience: Duration = .seconds(60)
    /// How much memory libpq may take for an answer. It holds one row at a time, in a buffer and in a result.
    private static let maxMemory: UInt64 = 24 << 20
    /// How much the process may grow over a connection. libpq keeps some of what a server sends until the end.
    private static let maxGrowth: UInt64 = 48 << 20
    /// How much a server may send without being asked, or in an answer beside its rows.
    private static let maxIdleBytes = 1 << 20
    private static let maxAnswerBytes = 2 * PostgresAnswer.maxBytes
    private static let maxTime: Duration = .milliseconds(300)
    /// How many results the loop takes before it looks after others.
    private static let maxResultsInTurn = 1000

    package init(_ settings: PostgresConfiguration, on loop: RunLoop) { (self.settings, self.loop) = (settings, loop) }

    deinit {
        connector?.cancel()
        if let connection { blekeep_PQfinish(connection) }
    }

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
        if let missing = LoadedLibrary.postgres.missing {
            return loop.soon { done(.failure(PostgresError(missing))) }
        }
        onOpened = done
        loop.arm(timer, at: loop.now + max(Self.patience, .seconds(15 * settings.hosts.count)))
        let connector = PostgresConnector(settings, password: password)
        self.connector = connector
        do {
            try opening.start(on: loop) {
                connector.connect()
            } then: { [weak self] opened in
                guard let self, number == attempt else {
                    if case .success(let connection) = opened.result { blekeep_PQfinish(connection) }
                    return
                }
                self.opened(opened.result)
            }
        } catch {
            close()
            loop.soon { done(.failure(PostgresError("there is no thread to connect with"))) }
        }
    }

    private func opened(_ result: Result<OpaquePointer, PostgresError>) {
        let done = onOpened
        (onOpened, connector) = (nil, nil)
        loop.disarm(timer)
        switch result {
        case .success(let connection):
            blekeep_PQsetnonblocking(connection, 1)
            self.connection = connection
            memory = MemoryLimit(adding: Self.maxMemory)
            memoryAtStart = memory?.used
            (bytes, time) = (0, .zero)
            watch = loop.watch(blekeep_PQsocket(connection), for: Int16(POLLIN)) { [unowned self] _ in ready() }
            done?(.success(()))
        case .failure(let error): done?(.failure(error))
        }
    }

    /// Ends the connection and what is in progress, without an answer.
    package func close() {
        attempt += 1
        (onOpened, done) = (nil, nil)
        connector?.cancel()
        connector = nil
        answer = PostgresAnswer()
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
        memory = MemoryLimit(adding: Self.maxMemory)
        (bytes, time) = (0, .zero)
        if let memory, let memoryAtStart, memory.used > memoryAtStart + Self.maxGrowth {
            return later { $0.end($0.tooMuch) }
        }
        let isSent: Int32
        if let parameters {
            let texts = parameters.map { $0.flatMap { strdup($0) } }
            defer { for text in texts { free(text) } }
            isSent = texts.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
                blekeep_PQsendQueryParams(connection, sql, Int32(values.count), values.baseAddress)
            }
        } else {
            isSent = blekeep_PQsendQuery(connection, sql)
        }
        guard isSent == 1, blekeep_PQsetSingleRowMode(connection) == 1 else { return later { $0.ended() } }
        flush()
    }

    /// Says a last thing without waiting for an answer. What is in progress has a moment to end, because the server takes one
    /// statement at a time: that blocks.
    package func say(_ sql: String, with parameters: [String?]) {
        guard let connection else { return }
        let end = MachineClock.awake() + Self.lastPatience
        func wait(for events: Int) -> Bool {
            let rest = Int32(max(0, (end - MachineClock.awake()) / .milliseconds(1)))
            var descriptor = pollfd(fd: blekeep_PQsocket(connection), events: Int16(events), revents: 0)
            return poll(&descriptor, 1, rest) == 1
        }
        while isBusy {
            guard MachineClock.awake() < end else { return }
            if limited({ blekeep_PQisBusy(connection) }) == 1 {
                guard wait(for: Int(POLLIN)), limited({ blekeep_PQconsumeInput(connection) }) == 1 else { return }
            } else if let result = limited({ blekeep_PQgetResult(connection) }) {
                blekeep_PQclear(result)
            } else {
                done = nil
            }
        }
        waiting = []
        run(sql, with: parameters) { _ in }
        while blekeep_PQflush(connection) == 1, wait(for: Int(POLLOUT)) {}
    }

    /// How long a gateway that ends waits for the answer to what is in progress.
    private static let lastPatience: Duration = .milliseconds(500)

    /// Goes on in the next turn of the loop, unless the connection ends before.
    private func later(_ body: @escaping (PostgresClient) -> Void) {
        let number = attempt
        loop.soon { [weak self] in if let self, attempt == number { body(self) } }
    }

    private func flush() {
        guard let connection else { return }
        switch blekeep_PQflush(connection) {
        case 0: watch?.events = Int16(POLLIN)
        case 1: watch?.events = Int16(POLLIN | POLLOUT)
        default: later { $0.ended() }
        }
    }

    /// Calls libpq with a limit for its memory.
    private func limited<Value>(_ body: () -> Value) -> Value {
        let start = MachineClock.thread()
        memory?.impose()
        defer {
            memory?.lift()
            time += MachineClock.thread() - start
        }
        return body()
    }

    private func ready() {
        guard let connection else { return }
        var count: Int32 = 0
        // libpq reads this much at least, or what has room in its buffer.
        if ioctl(blekeep_PQsocket(connection), UInt(FIONREAD), &count) == 0 { bytes += Int(min(max(0, count), 8192)) }
        guard limited({ blekeep_PQconsumeInput(connection) }) == 1 else { return ended() }
        limited { blekeep_PQdropNotifications(connection) }
        guard bytes <= (isBusy ? Self.maxAnswerBytes : Self.maxIdleBytes), time <= Self.maxTime else {
            return end(tooMuch)
        }
        guard isBusy else { return }
        flush()
        takeResults()
    }

    private func takeResults() {
        guard let connection, isBusy else { return }
        for _ in 0..<Self.maxResultsInTurn {
            guard limited({ blekeep_PQisBusy(connection) }) == 0 else { return }
            guard let result = limited({ blekeep_PQgetResult(connection) }) else { return finish() }
            defer { blekeep_PQclear(result) }
            let status = blekeep_PQresultStatus(result)
            switch answer.take(status, row: { Self.row(of: result) }, error: { self.error(of: result) }) {
            case nil: continue
            case .tooMuch: return end(tooMuch)
            case .foreign: return end(PostgresError("\(settings.name) answers with what blekeep didn't ask for"))
            case .broken: return ended()
            }
        }
        later { $0.takeResults() }
    }

    private var tooMuch: PostgresError { PostgresError("\(settings.name) sends more than blekeep takes") }

    private static func row(of result: OpaquePointer) -> PostgresRow {
        PostgresRow(
            (0..<max(0, blekeep_PQnfields(result))).map { column in
                blekeep_PQgetisnull(result, 0, column) == 1
                    ? nil : blekeep_PQgetvalue(result, 0, column).map { String(cString: $0) }
            })
    }

    /// - Returns: `nil` for a failure of libpq or of the connection, which has no code.
    private func error(of result: OpaquePointer) -> PostgresError? {
        func text(_ field: Int) -> String? {
            blekeep_PQresultErrorField(result, Int32(field)).map { PostgresError.text($0) }
        }
        guard let state = text(blekeep_sql_state), !state.isEmpty else { return nil }
        return PostgresError(
            state: state, message: text(blekeep_message) ?? "", detail: text(blekeep_detail) ?? "", settings)
    }

    /// Returns what the server keeps of a password, so that it and its log never see the password itself; `nil` without a
    /// connection.
    package func verifier(of password: String, for user: String) -> String? {
        guard let connection, let text = blekeep_PQencryptPasswordConn(connection, password, user, "scram-sha-256")
        else { return nil }
        defer { blekeep_PQfreemem(text) }
        return String(cString: text)
    }

    private func finish() {
        guard let done else { return }
        let outcome = answer.outcome ?? .failure(PostgresError("\(settings.name) closed the connection"))
        self.done = nil
        answer = PostgresAnswer()
        (bytes, time) = (0, .zero)
        loop.disarm(timer)
        done(outcome)
        if !waiting.isEmpty { waiting.removeFirst()() }
    }

    private func ended() {
        let message = connection.flatMap { blekeep_PQerrorMessage($0) }.map { PostgresError.text($0) } ?? ""
        let isFull = ["out of memory", "allocate memory"].contains { message.contains($0) }
        end(isFull ? tooMuch : PostgresError(connecting: message, settings))
    }

    private func timeOut() {
        end(PostgresError("\(settings.name) didn't answer in \(DurationText.text(Self.patience))"))
    }

    private func end(_ error: PostgresError) {
        let (opened, done) = (onOpened, done)
        close()
        if let opened {
            opened(.failure(error))
        } else if let done {
            done(.failure(error))
        } else {
            onEnd?(error)
        }
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

    /// The beginning of what libpq or a server says: a sentence or two, or megabytes.
    static func text(_ words: UnsafePointer<CChar>) -> String {
        String(decoding: UnsafeRawBufferPointer(start: words, count: strnlen(words, 2000)), as: UTF8.self)
    }

    /// Whether a value in the statement is at fault, and not the server or the rights.
    var isContent: Bool { state.hasPrefix("22") || state.hasPrefix("23") || state == "54000" }

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
                "\(user) is the gateway of that name in \(place), and this one is \(settings.gateway); let `gateway` and the role in `url` be the same"
            case PostgresSchema.versionNotSeen: "\(Untrusted(message, limit: 200)); look at it, and try again"
            case "2BP01":
                "\(place): the role made something in another database, which must go first: \(Untrusted(detail, limit: 200)); run 'DROP OWNED BY' there"
            case "55P03": "\(place): another program's open transaction is in the way; end it, or try again"
            case "XX000" where message.hasPrefix("tuple concurrently"):
                "\(place): another program changed the same at this time; try again"
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
