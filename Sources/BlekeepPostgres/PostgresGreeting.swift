import BlekeepOutputs

/// What a server says while blekeep connects to it, one part at a time: a message of PostgreSQL or, with TLS, a record.
///
/// libpq obeys whoever answers: it sends the password as it is when that is asked for, computes as many rounds of its key
/// as a number says, and keeps what comes. So blekeep looks at each part before libpq gets it. With TLS, it sees no more
/// than lengths, and the server has proved who it is. Pure.
struct PostgresGreeting {
    /// Why libpq doesn't get a part.
    enum Flaw: Equatable {
        /// It is longer than any that a server sends then, or they are too many.
        case tooLong
        case password(PostgresConfiguration.PasswordMethod)
        case rounds(Int)
    }

    private let isEncrypted: Bool
    private let method: PostgresConfiguration.PasswordMethod
    private var hasAnswered = false
    private var bytes = 0

    /// A certificate with its chain is the longest part.
    static let maxPart = 64 << 10
    static let maxBytes = 256 << 10
    /// PostgreSQL asks for 4,096, unless `scram_iterations` says otherwise. A small gateway computes these in a second or two.
    static let maxRounds = 100_000

    init(_ settings: PostgresConfiguration) {
        isEncrypted = settings.isEncrypted
        // The kernel tells who is at a socket of this machine.
        method = settings.hosts.allSatisfy(\.name.isEmpty) ? .password : settings.passwordMethod
    }

    /// The length of the next part's head. Before TLS begins, the server answers with one byte.
    var headLength: Int { isEncrypted && !hasAnswered ? 1 : 5 }

    /// The length of what follows a head; `nil` when it is too long.
    func bodyLength(after head: [UInt8]) -> Int? {
        guard head.count == 5 else { return 0 }
        let length =
            isEncrypted
            ? Int(head[3]) << 8 | Int(head[4])
            : head[1...].reduce(0) { $0 << 8 | Int($1) } - 4
        return 0...Self.maxPart ~= length ? length : nil
    }

    /// Looks at a whole part; `nil` when libpq may have it.
    mutating func flaw(in part: [UInt8]) -> Flaw? {
        hasAnswered = true
        bytes += part.count
        if bytes > Self.maxBytes { return .tooLong }
        guard !isEncrypted, part.first == UInt8(ascii: "R"), part.count >= 9 else { return nil }
        switch part[5..<9].reduce(0, { $0 << 8 | Int($1) }) {
        case 3: return method == .password ? nil : .password(.password)
        case 5: return method == .scram ? .password(.md5) : nil
        case 11:
            let text = String(decoding: part[9...], as: UTF8.self)
            let rounds = text.split(separator: ",").last { $0.hasPrefix("i=") }.map { Int($0.dropFirst(2)) ?? .max }
            return rounds.flatMap { $0 > Self.maxRounds ? .rounds($0) : nil }
        default: return nil
        }
    }
}

extension PostgresError {
    init(_ flaw: PostgresGreeting.Flaw, _ settings: PostgresConfiguration) {
        let place = settings.name
        switch flaw {
        case .tooLong: self.init("\(place) sends too much before it lets blekeep in; is that PostgreSQL?")
        case .password(let method):
            let name = method == .md5 ? "as MD5" : "in cleartext"
            self.init(
                "\(place) wants the password \(name) without TLS, so that others could learn it; let it use scram-sha-256 or TLS, or write `?require_auth=\(method.rawValue)` in `url`"
            )
        case .rounds(let count):
            self.init(
                "\(place) wants \(count) rounds of the password's key, and blekeep computes \(PostgresGreeting.maxRounds) at most; lower `scram_iterations` there, and set the password again"
            )
        }
    }
}
