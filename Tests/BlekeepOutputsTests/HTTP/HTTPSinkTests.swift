import BlekeepRecords
import Foundation
import RunLoop
import SampleReadings
import Synchronization
import Testing

@testable import BlekeepOutputs

/// The sink and a server that answers as no real one does on demand. For InfluxDB 2, it stands for the documented
/// interface.
@Suite struct HTTPSinkTests {
    private static func server(_ port: Int, _ host: String = "127.0.0.1") -> HTTPServerConfiguration {
        var server = HTTPServerConfiguration(host: host, port: port, isEncrypted: false)
        server.batchAge = .seconds(1)
        return server
    }

    private static func webhook(_ port: Int, _ host: String = "127.0.0.1") -> WebhookFormat {
        WebhookFormat(WebhookConfiguration(server: server(port, host)))
    }

    private static func influx2(_ port: Int) -> InfluxFormat {
        let target = InfluxConfiguration.Target.bucket("b c", organization: "o", tokenFile: "x")
        return InfluxFormat(InfluxConfiguration(server: server(port), target: target))
    }

    /// Runs a sink and a server until `isDone` says so of what has happened to the sink.
    private func run(
        _ format: (Int) -> any RequestFormat, limits: HTTPLimits = HTTPLimits(), secret: String? = nil,
        lookUp: @escaping NameResolver.LookUp = NameResolver.addresses,
        answer: @escaping (StubServer.Request) -> StubServer.Answer,
        _ isDone: @escaping (BatchSink, SinkEvent) -> Bool
    ) throws -> [StubServer.Request] {
        let loop = try RunLoop()
        let stub = try StubServer(on: loop, answer)
        let resolver = NameResolver(on: loop, lookUp: lookUp)
        let sink = BatchSink(
            HTTPServer(format(stub.port), on: loop, resolver: resolver, limits: limits) { secret }, on: loop)
        nonisolated(unsafe) var isOver = false
        let gate = Gate(loop)
        sink.onEvent = { event in
            guard !isOver, isDone(sink, event) else { return }
            isOver = true
            gate.open()
        }
        loop.schedule(at: loop.now + .seconds(30)) { gate.open() }
        sink.connect()
        try loop.run { await gate.wait() }
        #expect(isOver)
        sink.end()
        return stub.requests
    }

    private func readings(_ count: Int) throws -> [LiveReading] {
        try (1...count).map { LiveReading(sequence: Int64($0), reading: try makeReading(tick: $0)) }
    }

    // MARK: What arrives

    @Test func influx2GetsGzipAndAToken() throws {
        let new = try readings(3)
        let requests = try run(Self.influx2, secret: "t0ken") { _ in
            .status(204)
        } _: { sink, event in
            if case .connected = event { sink.send(new, isLive: true, key: 1) }
            if case .confirmed(1) = event { return true }
            return false
        }
        let request = try #require(requests.first)
        #expect(requests.count == 1)
        #expect(request.head.hasPrefix("POST /api/v2/write?org=o&bucket=b%20c&precision=ns HTTP/1.1\r\n"))
        #expect(request.head.contains("\r\nAuthorization: Token t0ken\r\n"))
        #expect(request.head.contains("\r\nContent-Encoding: gzip\r\n"))
        #expect(request.body.starts(with: [0x1F, 0x8B]))
    }

    @Test func aWebhookGetsReadingsAsOneArray() throws {
        let (new, old) = (try readings(2), try readings(1))
        let requests = try run({ Self.webhook($0) }, secret: "t") { _ in
            .status(200, body: "ok")
        } _: { sink, event in
            if case .connected = event {
                // Those without a number wait for it.
                sink.send(new, isLive: true, key: nil)
                sink.send(new, isLive: true, key: 1)
                sink.send(old, isLive: false, key: 2)
            }
            if case .confirmed(1) = event { return true }
            return false
        }
        let arrays = try requests.map { try JSONSerialization.jsonObject(with: Data($0.body)) as? [[String: Any]] }
        // The backlog doesn't wait.
        #expect(arrays.map { $0?.map { $0["seq"] as? Int } } == [[1], [1, 2]])
        #expect(requests.first?.head.contains("\r\nAuthorization: Bearer t\r\n") == true)
    }

    @Test func oneReadingThatIsRefusedHoldsUpNoOther() throws {
        let new = try readings(50)
        var got: Set<Int> = []
        var refused: [String] = []
        _ = try run({ Self.webhook($0) }) { request in
            if request.text.contains("\"seq\":17,") { return .status(422, body: #"{"error":"bad value"}"#) }
            got.formUnion(request.text.matches(of: /"seq":(\d+)/).compactMap { Int($0.output.1) })
            return .status(204)
        } _: { sink, event in
            if case .connected = event { sink.send(new, isLive: false, key: 1) }
            if case .refused(let count, let reason) = event { refused.append("\(count) \(reason)") }
            if case .confirmed(1) = event { return true }
            return false
        }
        #expect(got == Set(1...50).subtracting([17]))
        #expect(refused == ["1 bad value"])
    }

    /// A server that takes nothing may have the wrong address: then nothing is lost.
    @Test func keepsEverythingWhereTheServerRefusesAll() throws {
        let new = try readings(50)
        var text = ""
        let requests = try run({ Self.webhook($0) }) { _ in
            .status(400, body: #"{"error":"no"}"#)
        } _: { sink, event in
            if case .connected = event { sink.send(new, isLive: false, key: 1) }
            if case .refused = event { Issue.record("refused") }
            if case .lost(let error) = event { text = "\(error)" }
            return !text.isEmpty
        }
        #expect(text.hasSuffix(" refuses all readings: no"))
        #expect(requests.count < 64)
    }

    /// A server that takes no old reading, and doesn't say which it refuses: what is new arrives, and each old one is counted.
    @Test(arguments: [400, 422, 500]) func aBacklogThatIsRefusedHoldsUpNoNewReading(status: Int) throws {
        let (new, old) = (try readings(2), try readings(100))
        var (refused, faults, confirmed): (Int, Int, Set<Int>) = (0, 0, [])
        let requests = try run({ Self.webhook($0) }) { request in
            request.text.contains("\"tick\":1,") && !request.text.contains("\"tick\":3,")
                ? .status(204) : .status(status, body: #"{"error":"no"}"#)
        } _: { sink, event in
            switch event {
            case .connected:
                if confirmed.isEmpty { sink.send([new[0]], isLive: true, key: 1) }
                sink.hurry()
                sink.send(Array(old[1...]), isLive: false, key: 2)
            case .refused(let count, _): refused += count
            case .lost:
                faults += 1
                sink.connect()
            case .confirmed(let key): confirmed.insert(key)
            case .lacks, .command, .decided, .ignored: Issue.record("\(event)")
            }
            return confirmed == [1, 2]
        }
        #expect(refused == 99)
        #expect(faults == (status == 500 ? 2 : 0))
        #expect(requests.count < 30)
    }

    @Test func aRequestThatIsTooLargeIsHalved() throws {
        let new = try readings(100)
        var sizes: [Int] = []
        let requests = try run({ Self.webhook($0) }) { request in
            request.body.count > 6000 ? .status(413) : .status(204)
        } _: { sink, event in
            switch event {
            case .connected: sink.send(new, isLive: false, key: 1)
            // The next ones are small at once.
            case .confirmed(1): sink.send(new, isLive: false, key: 2)
            case .confirmed: return true
            case .lacks, .refused, .lost, .command, .decided, .ignored: Issue.record("\(event)")
            }
            return false
        }
        sizes = requests.map(\.body.count)
        #expect(sizes.count { $0 > 6000 } >= 2)
        let last = sizes.lastIndex { $0 > 6000 } ?? 0
        #expect(last < sizes.count / 2, "\(sizes)")
    }

    // MARK: Failures

    /// - Returns: why the sink has failed.
    private func failure(
        of format: ((Int) -> any RequestFormat)? = nil, limits: HTTPLimits = HTTPLimits(),
        lookUp: @escaping NameResolver.LookUp = NameResolver.addresses, answer: StubServer.Answer
    ) throws -> (text: String, pause: Duration?, requests: Int) {
        let new = try readings(1)
        var failure: (any Error)?
        let requests = try run(format ?? { Self.webhook($0) }, limits: limits, lookUp: lookUp) { _ in
            answer
        } _: { sink, event in
            if case .connected = event { sink.send(new, isLive: false, key: 1) }
            if case .lost(let error) = event { failure = error }
            if case .confirmed = event { Issue.record("confirmed") }
            return failure != nil
        }
        let text = failure.map { "\($0)" } ?? ""
        // Without the port.
        return (
            text.replacing(/:\d+/, with: "", maxReplacements: 1), (failure as? any DelayedRetry)?.pause, requests.count
        )
    }

    @Test func theServersPauseIsKept() throws {
        let failure = try failure(answer: .status(429, headers: ["Retry-After: 7"]))
        #expect(failure.text == "127.0.0.1 asks for fewer requests")
        #expect(failure.pause == .seconds(7))
    }

    @Test func aServerThatNeverAnswersIsLeft() throws {
        let failure = try failure(limits: HTTPLimits(silence: 1), answer: .none)
        #expect(failure.text == "127.0.0.1 didn't respond in time")
    }

    @Test(arguments: ["", "HTTP/1.1 204 No", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"])
    func aServerThatClosesIsNamed(text: String) throws {
        #expect(try failure(answer: .end(after: text)).text == "127.0.0.1 closed the connection")
    }

    @Test func aRedirectIsNotFollowed() throws {
        let failure = try failure(answer: .status(307, headers: ["Location: /other"]))
        #expect(failure.requests == 1)
        #expect(
            failure.text == "127.0.0.1 answered with another address; blekeep doesn't follow it, so set `url` to it")
    }

    @Test func somethingElseThanHTTPIsNamed() throws {
        #expect(
            try failure(answer: .end(after: "SSH-2.0-x\r\n")).text
                == "127.0.0.1 doesn't speak HTTP at this port; check `url`")
    }

    @Test func aLongAnswerIsCut() throws {
        let body = #"{"error":"full","more":"\#(String(repeating: "x", count: 2 * HTTPAnswer.maxBytes))"}"#
        #expect(try failure(answer: .status(500, body: body)).text == "127.0.0.1 has a fault, status 500: full")
    }

    @Test func aPortWithoutAServerIsNamed() throws {
        let port = try Broker.freePort()
        #expect(
            try failure(of: { _ in Self.webhook(port) }, answer: .none).text
                == "127.0.0.1 refused the connection; is the server running, and the port right?")
    }

    // MARK: Names

    /// libcurl gets the address: under this name, it would find none.
    @Test func aNameIsResolvedForTheRequest() throws {
        let new = try readings(1)
        let requests = try run({ Self.webhook($0, "hook.invalid") }) { host in
            host == "hook.invalid" ? .success(["127.0.0.1"]) : .failure(ServerError("another host"))
        } answer: { _ in
            .status(204)
        } _: { sink, event in
            if case .connected = event { sink.send(new, isLive: false, key: 1) }
            if case .confirmed = event { return true }
            return false
        }
        #expect(requests.first?.head.contains("\r\nHost: hook.invalid:") == true)
    }

    @Test func aNameWithoutAddressIsNamed() throws {
        #expect(
            try failure(of: { Self.webhook($0, "hook.invalid") }, answer: .none).text
                == "the name hook.invalid can't be resolved; check `url` and the name server")
    }

    @Test func nothingWaitsForANameServer() throws {
        let loop = try RunLoop()
        let (asked, hold) = (try Descriptors(), try Descriptors())
        let threads = Mutex(0)
        let resolver = NameResolver(on: loop, patience: .milliseconds(1)) { _ in
            threads.withLock { $0 += 1 }
            asked.write()
            hold.read()
            return .success([])
        }
        nonisolated(unsafe) var texts: [String] = []
        let gate = Gate(loop)
        try loop.run {
            // The second time, the thread still waits, and there is no other one.
            for isFirst in [true, false] {
                resolver.resolve("a") { result in
                    if case .failure(let error) = result { texts.append("\(error)") }
                    gate.open()
                }
                if isFirst { asked.read() }
                await gate.wait()
            }
        }
        #expect(texts == ["a: the name server doesn't respond", "a: the name server doesn't respond"])
        #expect(threads.withLock { $0 } == 1)
        hold.write()
    }

    /// A pipe.
    private final class Descriptors: Sendable {
        private let ends: (Int32, Int32)

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            self.ends = (ends[0], ends[1])
        }

        deinit {
            close(ends.0)
            close(ends.1)
        }

        func write() { _ = Glibc.write(ends.1, [0], 1) }

        func read() {
            var byte: UInt8 = 0
            _ = Glibc.read(ends.0, &byte, 1)
        }
    }
}
