import BlekeepOutputs
internal import CLoaded
import Glibc
import RunLoop
import Synchronization

/// Connects to the first host that takes readings, on a thread of its own: name servers, and libpq's key of a password,
/// block.
///
/// libpq has no limits here, so a hostile server could fill the memory, or get the password. Until the connection stands,
/// libpq's socket is one end of a pair, and blekeep passes on what comes, part by part, as far as `PostgresGreeting` lets it.
final class PostgresConnector: Sendable {
    private let settings: PostgresConfiguration
    private let password: String?
    private let isOver = Atomic(false)

    private static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"

    init(_ settings: PostgresConfiguration, password: String?) { (self.settings, self.password) = (settings, password) }

    struct Opened: @unchecked Sendable {
        let result: Result<OpaquePointer, PostgresError>
    }

    /// Lets the thread end soon. Any thread may call it.
    func cancel() { isOver.store(true, ordering: .relaxed) }

    /// Waits for name servers and servers.
    func connect() -> Opened {
        // The thread's: the poller comes first, whatever a server lets it compute.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        var (flaw, messages): (PostgresError?, [String]) = (nil, [])
        for host in settings.hosts {
            var addresses: [String?] = [nil]
            if !host.name.isEmpty, !NameResolver.isAddress(host.name) {
                let found = try? NameResolver.addresses(host.name).get()
                if found == nil { messages.append("could not translate host name") }
                addresses = found ?? []
            }
            for address in addresses where !isOver.load(ordering: .relaxed) {
                switch connect(to: host, at: address) {
                case .success(let connection): return Opened(result: .success(connection))
                case .failure(.said(let message)): messages.append(message)
                case .failure(.flawed(let error)): flaw = flaw ?? error
                }
            }
        }
        let error = flaw ?? PostgresError(connecting: messages.joined(separator: "\n"), settings)
        return Opened(result: .failure(error))
    }

    fileprivate enum Failure: Error {
        /// What libpq says.
        case said(String)
        case flawed(PostgresError)
    }

    private func options(_ host: PostgresConfiguration.Host, _ address: String?) -> [(key: String, value: String)] {
        let options: KeyValuePairs<String, String?> = [
            "host": host.name, "hostaddr": address, "port": "\(host.port)",
            "dbname": settings.database, "user": settings.user, "password": password,
            "passfile": "/dev/null/none", "application_name": "blekeep", "client_encoding": "UTF8",
            "target_session_attrs": "read-write", "tcp_user_timeout": "30000", "gssencmode": "disable",
            "sslmode": settings.isEncrypted ? "verify-full" : "disable",
            "sslrootcert": settings.isEncrypted ? settings.caFile ?? Self.systemAuthorities : nil,
            "sslcert": settings.certificateFile ?? "/dev/null/none", "sslkey": settings.keyFile,
        ]
        return options.compactMap { key, value in value.map { (key, $0) } }
    }

    private func connect(to host: PostgresConfiguration.Host, at address: String?) -> Result<OpaquePointer, Failure> {
        let options = options(host, address)
        var (keys, values) = (options.map { strdup($0.key) }, options.map { strdup($0.value) })
        defer { for text in keys + values { free(text) } }
        keys.append(nil)
        values.append(nil)
        let connection = keys.map { UnsafePointer($0) }.withUnsafeBufferPointer { keys in
            values.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
                keys.baseAddress.flatMap { keys in
                    values.baseAddress.flatMap { blekeep_PQconnectStartParams(keys, $0, 0) }
                }
            }
        }
        guard let connection else { return .failure(.said("there is no memory for a connection")) }
        // Otherwise, libpq prints them.
        blekeep_PQignoreNotices(connection)
        let attempt = ConnectionAttempt(connection, settings) { self.isOver.load(ordering: .relaxed) }
        if let failure = attempt.run() {
            blekeep_PQfinish(connection)
            return .failure(failure)
        }
        return .success(connection)
    }
}

/// One attempt to connect to one address.
private final class ConnectionAttempt {
    private let connection: OpaquePointer
    private let settings: PostgresConfiguration
    private let isOver: () -> Bool
    private let end = MachineClock.awake() + .seconds(10)
    private var greeting: PostgresGreeting
    /// The socket to the server, and blekeep's end of the pair whose other end is libpq's; −1 before there is one.
    private var (server, client): (Int32, Int32) = (-1, -1)

    init(_ connection: OpaquePointer, _ settings: PostgresConfiguration, isOver: @escaping () -> Bool) {
        self.connection = connection
        self.settings = settings
        self.isOver = isOver
        greeting = PostgresGreeting(settings)
    }

    deinit { for descriptor in [server, client] where descriptor >= 0 { close(descriptor) } }

    private var said: PostgresConnector.Failure {
        .said(blekeep_PQerrorMessage(connection).map { PostgresError.text($0) } ?? "")
    }

    /// - Returns: `nil` once the connection stands.
    func run() -> PostgresConnector.Failure? {
        if let failure = begin() ?? intervene() { return failure }
        var state = Int32(blekeep_polling_reading)
        while true {
            passOn()
            switch state {
            case Int32(blekeep_polling_ok): return settle()
            case Int32(blekeep_polling_reading): if let failure = passPart() { return failure }
            case Int32(blekeep_polling_writing): if isLate { return .said("timeout expired") }
            default: return said
            }
            state = blekeep_PQconnectPoll(connection)
        }
    }

    /// Connects, and lets libpq send its first words. It reads nothing before that.
    private func begin() -> PostgresConnector.Failure? {
        var state = Int32(blekeep_polling_writing)
        while ![blekeep_awaiting_response, blekeep_ssl_startup].contains(Int(blekeep_PQstatus(connection))) {
            guard blekeep_PQstatus(connection) != Int32(blekeep_connection_bad),
                [blekeep_polling_reading, blekeep_polling_writing].contains(Int(state))
            else { return said }
            let events = Int16(state == Int32(blekeep_polling_reading) ? POLLIN : POLLOUT)
            guard wait(for: blekeep_PQsocket(connection), events) else { return .said("timeout expired") }
            state = blekeep_PQconnectPoll(connection)
        }
        return nil
    }

    /// Puts a pair of sockets between libpq and the server.
    private func intervene() -> PostgresConnector.Failure? {
        let socket = blekeep_PQsocket(connection)
        server = fcntl(socket, F_DUPFD_CLOEXEC, 3)
        var pair: (Int32, Int32) = (-1, -1)
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let isPaired = withUnsafeMutableBytes(of: &pair) {
            socketpair(AF_UNIX, type, 0, $0.assumingMemoryBound(to: Int32.self).baseAddress) == 0
        }
        guard server >= 0, isPaired else { return .said("there is no descriptor left") }
        client = pair.1
        defer { close(pair.0) }
        return replace(socket, by: pair.0)
    }

    /// Gives libpq the socket to the server.
    private func settle() -> PostgresConnector.Failure? {
        let socket = blekeep_PQsocket(connection)
        var rest: Int32 = 0
        guard ioctl(socket, UInt(FIONREAD), &rest) == 0, rest == 0 else {
            return .flawed(PostgresError(.tooLong, settings))
        }
        return replace(socket, by: server)
    }

    private func replace(_ socket: Int32, by other: Int32) -> PostgresConnector.Failure? {
        guard dup2(other, socket) == socket, fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 else {
            return .said("there is no descriptor left")
        }
        return nil
    }

    // MARK: What passes

    /// Passes on what libpq says. When the server takes it no more, what it says comes next, or its end.
    private func passOn() {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        while case let count = read(client, &bytes, bytes.count), count > 0 { _ = send(bytes[..<count], to: server) }
    }

    /// Passes on a part of what the server says, or its end.
    private func passPart() -> PostgresConnector.Failure? {
        do throws(Silence) {
            var part = try receive(greeting.headLength)
            guard let length = greeting.bodyLength(after: part) else {
                return .flawed(PostgresError(.tooLong, settings))
            }
            part += try receive(length)
            if let flaw = greeting.flaw(in: part) { return .flawed(PostgresError(flaw, settings)) }
            return send(part[...], to: client) ? nil : .said("timeout expired")
        } catch {
            guard error == .end else { return .said("timeout expired") }
            // libpq has a sentence for it.
            shutdown(client, Int32(SHUT_WR))
            return nil
        }
    }

    private enum Silence: Error { case end, late }

    private func receive(_ count: Int) throws(Silence) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            guard wait(for: server, Int16(POLLIN)) else { throw .late }
            let more = bytes.withUnsafeMutableBytes { read(server, $0.baseAddress.map { $0 + done }, count - done) }
            if more > 0 {
                done += more
            } else if more == 0 || ![EINTR, EAGAIN].contains(errno) {
                throw .end
            }
        }
        return bytes
    }

    private func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            guard wait(for: socket, Int16(POLLOUT)) else { return false }
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 { rest = rest.dropFirst(count) } else if ![EINTR, EAGAIN].contains(errno) { return false }
        }
        return true
    }

    private var isLate: Bool { isOver() || MachineClock.awake() >= end }

    private func wait(for socket: Int32, _ events: Int16) -> Bool {
        while !isLate {
            var descriptor = pollfd(fd: socket, events: events, revents: 0)
            // It notices soon that nobody waits any more.
            if poll(&descriptor, 1, 500) > 0 { return true }
        }
        return false
    }
}
