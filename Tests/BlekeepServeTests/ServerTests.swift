import BlekeepHistory
import BlekeepRecords
import Foundation
import SampleReadings
import Testing

@testable import BlekeepServe

/// The real server, with clients on sockets.
@Suite struct ServerTests {
    private let folder: TemporaryFolder
    private let history: History

    init() throws {
        folder = try TemporaryFolder()
        history = try History(path: folder.file("history.sqlite"))
        try folder.write("history: \(folder.file("history.sqlite"))\n", to: "config.yaml")
    }

    private func start(_ arguments: String...) throws -> ServerProcess {
        try ServerProcess(arguments, config: folder.file("config.yaml"))
    }

    private func add(_ count: Int, size: Int = 1) throws {
        let text = String(repeating: "x", count: size)
        _ = try history.append(
            try (0..<count).map { _ in try makeReading(makeValue(.text(text))) }, durable: false)
    }

    private func status(_ answer: String) -> String { String(answer.split(separator: "\r\n").first ?? "") }

    // MARK: Requests

    @Test func answersAndEndsWithSIGTERM() throws {
        try add(3)
        let server = try start()
        let answer = try server.get("/readings")
        #expect(status(answer) == "HTTP/1.1 200 OK")
        #expect(answer.components(separatedBy: "\"seq\":").count == 4 && answer.hasSuffix("]\n\r\n0\r\n\r\n"))
        #expect(status(try server.get("/openapi.json")) == "HTTP/1.1 200 OK")
        #expect(status(try server.get("/healthz")) == "HTTP/1.1 503 Service Unavailable")
        #expect(status(try server.get("/nothing")) == "HTTP/1.1 404 Not Found")
        #expect(status(try server.get("/readings", method: "PUT")) == "HTTP/1.1 405 Method Not Allowed")
        #expect(status(try server.get("/readings", ["Content-Length: 2\r\n\r\nx"])) != "HTTP/1.1 200 OK")
        // It ends also while a client follows events.
        let follower = try server.connect()
        try follower.send("/events")
        _ = try follower.read(until: "retry:")
        #expect(server.terminate() == 0)
        #expect(follower.rest() == "")
    }

    @Test func aConnectionTakesManyRequests() throws {
        try add(300)
        let client = try start().connect()
        for _ in 0..<3 {
            try client.send("/readings")
            _ = try client.read(until: "\r\n0\r\n\r\n")
        }
        try client.send("/readings", method: "HEAD")
        let head = try client.read(until: "\r\n\r\n")
        #expect(status(head) == "HTTP/1.1 200 OK" && head.hasSuffix("nosniff\r\n\r\n"))
        // Two at once.
        client.write(String(repeating: "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 2))
        try client.send("/nothing", ["Connection: close"])
        let rest = client.rest()
        #expect(rest.components(separatedBy: "HTTP/1.1 200").count == 3 && rest.contains("HTTP/1.1 404"))
    }

    private static let longText = String(repeating: "x", count: 20_000)
    private static let host = "HTTP/1.1\r\nHost: localhost\r\n"

    @Test func refusesWhatIsNoGoodRequest() throws {
        let cases = [
            ("no HTTP", "GARBAGE\r\n\r\n", "400"), ("no host", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "400"),
            ("HTTP/1.0", "GET /readings HTTP/1.0\r\n\r\n", "200"),
            ("another host", "GET /readings HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", "421"),
            ("a long header", "GET /readings \(Self.host)X: \(Self.longText)", "431"),
            ("a long path", "GET /\(Self.longText)", "431"),
            ("a long body", "POST /readings \(Self.host)Content-Length: 90000\r\n\r\n\(Self.longText)", "413"),
            ("a body", "GET /readings \(Self.host)Connection: close\r\nContent-Length: 1\r\n\r\nx", "413"),
            ("a body later", "POST /readings \(Self.host)Expect: 100-continue\r\nContent-Length: 9\r\n\r\n", "413"),
            ("chunks later", "GET / \(Self.host)Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n", "413"),
            (
                "no body", "GET / \(Self.host)Expect: 100-continue\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                "200"
            ),
        ]
        let server = try start()
        for (name, text, code) in cases {
            let client = try server.connect()
            client.write(text)
            let status = status(client.rest())
            #expect(status.hasPrefix("HTTP/1.1 \(code)"), "\(name)")
        }
    }

    @Test func needsTheTokenOfTheFile() throws {
        try folder.write("0123456789abcdef\n", to: "token")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file("token"))
        let server = try start("--token", folder.file("token"))
        for target in ["/readings", "/healthz", "/nothing", "/openapi.json"] {
            let answer = try server.get(target)
            #expect(status(answer) == "HTTP/1.1 401 Unauthorized")
            #expect(answer.contains("WWW-Authenticate: Bearer"))
        }
        #expect(status(try server.get("/readings", ["Authorization: Bearer 0123456789abcdef"])) == "HTTP/1.1 200 OK")
        // As a browser sends it.
        #expect(status(try server.get("/", ["Authorization: Basic eDowMTIzNDU2Nzg5YWJjZGVm"])) == "HTTP/1.1 200 OK")
    }

    // MARK: Pages

    @Test func pagesComeWithAPolicyAndFilesAreKept() throws {
        try add(1)
        let server = try start()
        for target in ["/", "/report", "/health", "/device/greenhouse", "/device/nobody", "/fragment/overview"] {
            let answer = try server.get(target)
            #expect(status(answer) == (target == "/device/nobody" ? "HTTP/1.1 404 Not Found" : "HTTP/1.1 200 OK"))
            #expect(
                answer.contains("Content-Security-Policy: default-src 'none'; style-src 'self'; script-src 'self';"))
            #expect(answer.contains("Referrer-Policy: no-referrer") && answer.contains("Content-Type: text/html"))
            #expect(!answer.contains(" style=") && !answer.contains("<style") && !answer.contains("Set-Cookie"))
        }
        for asset in Asset.allCases {
            let answer = try server.get(asset.path)
            // The worker has one address in all versions.
            let isKept = answer.contains("Cache-Control: max-age=31536000, immutable")
            #expect(isKept == (asset != .worker) && !answer.contains("Cache-Control: no-store"))
            let text = String(decoding: asset.bytes, as: UTF8.self)
            #expect(answer.contains("Content-Type: \(asset.type)") && answer.hasSuffix(text))
        }
    }

    @Test func browsersGetProblemsAsPagesAndTextCompressed() throws {
        let server = try start()
        let page = try server.get("/nothing", ["Accept: text/html,*/*"])
        #expect(status(page) == "HTTP/1.1 404 Not Found" && page.contains("<h1 id=\"title\">Not Found</h1>"))
        #expect(try server.get("/nothing").contains("application/problem+json"))
        let short = try server.get("/style.css", ["Accept-Encoding: br, gzip"])
        let length = short.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) }
        #expect(short.contains("Content-Encoding: gzip") && length ?? .max < Asset.style.bytes.count / 2)
        #expect(!(try server.get("/style.css", ["Accept-Encoding: br"])).contains("Content-Encoding"))
    }

    @Test func aPageOfAnotherSiteReadsNothing() throws {
        let server = try start()
        for target in ["/", "/readings", "/events"] {
            let answer = try server.get(target, ["Origin: http://evil.example"])
            #expect(status(answer) == "HTTP/1.1 403 Forbidden")
        }
        #expect(status(try server.get("/", ["Origin: http://localhost"])) == "HTTP/1.1 200 OK")
    }

    @Test func saysWhyItCantStart() throws {
        let server = try start()
        let config = folder.file("config.yaml")
        let (inUse, reason) = try ServerProcess.failure("127.0.0.1:\(server.port)", [], config: config)
        #expect(inUse == 6 && reason == "blekeep: can't listen on 127.0.0.1:\(server.port): Address already in use")
        #expect(try ServerProcess.failure("0.0.0.0:0", [], config: config).0 == 2)
        try folder.write("0123456789abcdef\n", to: "token")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.file("token"))
        let token = try ServerProcess.failure("0.0.0.0:0", ["--token", folder.file("token")], config: config)
        #expect(token.0 == 78 && token.1.contains("every user can read"))
        try folder.write("device: []\n", to: "config.yaml")
        #expect(try ServerProcess.failure("127.0.0.1:0", [], config: config).0 == 78)
    }

    // MARK: Events

    @Test func eventsComeOnceAndGoOnWhereTheClientWas() throws {
        try add(2)
        let server = try start()
        let first = try server.connect()
        try first.send("/events")
        _ = try first.read(until: "retry: 3000\n\n")
        try add(2)
        let text = try first.read(until: "id: 4\n")
        #expect(text.contains("id: 3\n") && !text.contains("id: 2\n"))
        let second = try server.connect()
        try second.send("/events", ["Last-Event-ID: 1"])
        _ = try second.read(until: "id: 4\n")
        try add(1)
        _ = try first.read(until: "id: 5\n")
        let rest = try second.read(until: "id: 5\n")
        #expect(rest.components(separatedBy: "id: ").count == 2)
    }

    /// More than the sockets take, to a client that doesn't read.
    @Test func aStalledClientDelaysNoOtherAndLosesNothing() throws {
        let server = try start()
        let (stalled, other) = (try server.connect(), try server.connect())
        for client in [stalled, other] { try client.send("/events") }
        _ = try other.read(until: "retry:")
        for round in 1...12 {
            try add(50, size: 4000)
            _ = try other.read(until: "id: \(round * 50)\n")
        }
        let numbers = try stalled.read(until: "id: 600\n").matches(of: /\bid: (\d+)\n/).compactMap { Int($0.1) }
        #expect(numbers == Array(1...600))
    }

    @Test func followsAHistoryThatComesLater() throws {
        history.close()
        let path = folder.file("later/history.sqlite")
        try folder.write("history: \(path)\n", to: "config.yaml")
        let client = try start().connect()
        try client.send("/events")
        _ = try client.read(until: "retry:")
        let later = try History(path: path)
        _ = try later.append([try makeReading()], durable: false)
        _ = try client.read(until: "id: 1\n")
    }
}
