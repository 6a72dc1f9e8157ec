import BlekeepOutputs
import BlekeepRecords
import Testing

@testable import BlekeepPostgres

/// What a server may say, to the connection and to statements. `Tests/Tools/Servers/hostile` has whole servers.
@Suite struct HostileServerTests {
    private typealias Method = PostgresConfiguration.PasswordMethod

    private func settings(
        _ method: Method = .scram, isEncrypted: Bool = false, host: String = "db"
    ) -> PostgresConfiguration {
        var settings = PostgresConfiguration(
            hosts: [.init(name: host)], database: "blekeep", isEncrypted: isEncrypted, gateway: "cellar")
        settings.passwordMethod = method
        return settings
    }

    /// A message of PostgreSQL.
    private func message(_ kind: Character, _ body: [UInt8]) -> [UInt8] {
        [kind.asciiValue ?? 0] + withUnsafeBytes(of: UInt32(body.count + 4).bigEndian, Array.init) + body
    }

    private func request(_ code: UInt32, _ rest: String = "") -> [UInt8] {
        message("R", withUnsafeBytes(of: code.bigEndian, Array.init) + Array(rest.utf8))
    }

    private func flaw(_ parts: [UInt8]..., with settings: PostgresConfiguration) -> PostgresGreeting.Flaw? {
        var greeting = PostgresGreeting(settings)
        return parts.lazy.compactMap { greeting.flaw(in: $0) }.first
    }

    @Test func aPasswordGoesInCleartextOrAsMD5OnlyWhereTheUserSaysSo() {
        let (clear, md5) = (request(3), request(5, "salt"))
        #expect(flaw(clear, with: settings()) == .password(.password))
        #expect(flaw(md5, with: settings()) == .password(.md5))
        #expect(flaw(clear, with: settings(.md5)) == .password(.password))
        #expect(flaw(md5, with: settings(.md5)) == nil)
        #expect(flaw(clear, with: settings(.password)) == nil)
        // Only this machine can be at its socket, and TLS has proved who the server is.
        #expect(flaw(clear, with: settings(host: "")) == nil)
        #expect(flaw(clear, with: settings(isEncrypted: true)) == nil)
        #expect(flaw(request(10, "SCRAM-SHA-256"), clear, with: settings()) == .password(.password), "late")
    }

    @Test(arguments: [
        ("r=a,s=b,i=4096", nil), ("r=a,s=b,i=100000", nil), ("r=a,s=b,i=100001", 100_001),
        ("r=a,s=b,i=2147483647", 2_147_483_647), ("r=a,s=b,i=99999999999999999999", Int.max), ("i=x", Int.max),
        ("r=,s=", nil), ("", nil),
    ])
    func theRoundsOfAPasswordsKeyHaveABound(text: String, rounds: Int?) {
        #expect(flaw(request(11, text), with: settings()) == rounds.map { .rounds($0) })
    }

    @Test func aGreetingHasAnEnd() {
        var greeting = PostgresGreeting(settings())
        #expect(greeting.headLength == 5)
        #expect(greeting.bodyLength(after: Array(request(0).prefix(5))) == 4)
        #expect(greeting.bodyLength(after: [0x45, 0x46, 0x41, 0x54, 0x41]) == nil, "EFATA of PostgreSQL 7.3, or HTTP")
        #expect(greeting.bodyLength(after: [0x52, 0xFF, 0xFF, 0xFF, 0xFF]) == nil)
        #expect(greeting.bodyLength(after: [0x52, 0, 0, 0, 3]) == nil)
        let part = message("S", [UInt8](repeating: 0x61, count: 60 << 10))
        #expect((0..<4).allSatisfy { _ in greeting.flaw(in: part) == nil })
        #expect(greeting.flaw(in: part) == .tooLong)
        // With TLS, one byte comes first, and then records.
        greeting = PostgresGreeting(settings(isEncrypted: true))
        #expect(greeting.headLength == 1 && greeting.bodyLength(after: [0x53]) == 0)
        #expect(greeting.flaw(in: [0x53]) == nil && greeting.headLength == 5)
        #expect(greeting.bodyLength(after: [22, 3, 3, 1, 2]) == 258)
    }

    @Test func eachFlawSaysWhatToDo() {
        func words(_ flaw: PostgresGreeting.Flaw) -> String { PostgresError(flaw, settings()).description }
        #expect(words(.password(.md5)).hasSuffix("or write `?require_auth=md5` in `url`"))
        #expect(words(.password(.password)).contains("in cleartext without TLS"))
        #expect(words(.rounds(7)).contains("lower `scram_iterations` there"))
        #expect(words(.tooLong).hasSuffix("is that PostgreSQL?"))
    }

    // MARK: Answers

    // libpq's ExecStatusType: 1 for a command, 2 for rows, 7 for an error, 9 for one row.
    private func row(_ text: String?) -> PostgresRow { PostgresRow([text]) }

    private func take(
        _ status: Int, _ answer: inout PostgresAnswer, _ error: PostgresError? = nil
    ) -> PostgresAnswer.Flaw? {
        answer.take(Int32(status), row: { row("x") }, error: { error })
    }

    @Test func anAnswerIsItsLastResult() {
        var answer = PostgresAnswer()
        #expect(take(9, &answer) == nil && take(9, &answer) == nil)
        #expect(take(2, &answer) == nil)
        #expect(answer.outcome == .success([row("x"), row("x")]))
        #expect(take(1, &answer) == nil && answer.outcome == .success([]))
        let error = PostgresError("no", state: "42P01")
        #expect(take(7, &answer, error) == nil && answer.outcome == .failure(error))
        #expect(take(1, &answer) == nil && answer.outcome == .failure(error), "the first failure stays")
        #expect(take(7, &answer) == .broken)
    }

    /// COPY, pipelines, and what a later libpq may have: libpq repeats some of them for ever.
    @Test(arguments: [3, 4, 5, 8, 10, 11, 12, 13, -1, 1000])
    func whatNobodyAskedForEndsTheConnection(status: Int) {
        var answer = PostgresAnswer()
        #expect(take(status, &answer) == .foreign(Int32(status)))
    }

    @Test func rowsAndResultsHaveBounds() {
        var answer = PostgresAnswer()
        let long = row(String(repeating: "x", count: 1 << 20))
        let rows = (0..<20).filter { _ in
            answer.take(9, row: { long }, error: { nil }) == nil
        }
        #expect(rows.count == 15)
        answer = PostgresAnswer()
        #expect((1...PostgresAnswer.maxResults).allSatisfy { _ in take(1, &answer) == nil })
        #expect(take(1, &answer) == .tooMuch)
    }

    @Test func aRowWithoutColumnsHasNoValues() {
        #expect(PostgresRow([])[0] == nil && PostgresRow([])[-1] == nil && row("x")[0] == "x" && row("x")[1] == nil)
    }
}
