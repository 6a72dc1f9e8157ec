import BlekeepRecords
import SampleReadings
import Testing

@testable import BlekeepOutputs

/// What the answers of a server mean.
@Suite struct HTTPVerdictTests {
    private static let server = HTTPServerConfiguration(host: "influx", port: 8086, isEncrypted: false)
    static let first = InfluxFormat(
        InfluxConfiguration(server: server, target: .database("db", user: "me", passwordFile: "x")))
    static let open = InfluxFormat(
        InfluxConfiguration(server: server, target: .database("db", user: nil, passwordFile: nil)))
    static let second = InfluxFormat(
        InfluxConfiguration(server: server, target: .bucket("b", organization: "o", tokenFile: "x")))
    static let webhook = WebhookFormat(WebhookConfiguration(server: server))

    private func verdict(_ format: any RequestFormat, _ status: Int, _ body: String = "") -> BatchVerdict {
        format.verdict(HTTPAnswer(status: status, body: Array(body.utf8)))
    }

    private func kept(_ text: String) -> BatchVerdict { .kept(ServerError("influx:8086 \(text)")) }

    @Test(arguments: [200, 204]) func eachSuccessIsOne(status: Int) {
        for format in [Self.first, Self.second, Self.webhook] as [any RequestFormat] {
            #expect(verdict(format, status) == .done)
        }
    }

    /// As InfluxDB says it.
    @Test(arguments: [400, 422, 500]) func aServerThatTookTheRestTookIt(status: Int) {
        let reason = "partial write: points beyond retention policy dropped=24"
        #expect(verdict(Self.first, status, #"{"error":"\#(reason)"}"#) == .partly(24, reason))
        let other = "failure writing points to database: \(reason)"
        #expect(verdict(Self.second, status, #"{"code":"x","message":"\#(other)"}"#) == .partly(24, other))
        let third = "partial write of line protocol occurred"
        #expect(verdict(Self.second, status, #"{"error":"\#(third)","data":[]}"#) == .partly(1, third))
    }

    @Test func aLineIsRefused() {
        let reason = "unable to parse 'rubbish': missing fields"
        #expect(verdict(Self.first, 400, #"{"error":"\#(reason)"}"#) == .refused(reason))
        #expect(verdict(Self.second, 422, #"{"error":"\#(reason)"}"#) == .refused(reason))
    }

    @Test func aRequestThatIsWrongAsAWholeIsNotALinesFault() {
        #expect(
            verdict(Self.first, 400, #"{"error":"database is required"}"#)
                == kept("refused the request, status 400: database is required"))
        #expect(verdict(Self.first, 400) == kept("refused the request, status 400"))
    }

    @Test(
        arguments: [
            (first, 401, "refused user 'me': user or password is wrong"),
            (open, 401, "requires a user and a password; set `user` and `password_file`"),
            (second, 401, "refused the token; check `token_file`"),
            (first, 403, "doesn't let user 'me' write to the database 'db'; grant it WRITE"),
            (second, 403, "doesn't let this token write to the bucket 'b'"),
        ] as [(InfluxFormat, Int, String)]) func nothingIsLostByWrongCredentials(
            format: InfluxFormat, status: Int, text: String
        )
    {
        #expect(verdict(format, status, #"{"error":"x"}"#) == kept(text))
    }

    @Test func aMissingDatabaseIsNamed() {
        #expect(
            verdict(Self.first, 404, #"{"error":"database not found: \"db\""}"#)
                == kept("has no database 'db'; create it with 'CREATE DATABASE \"db\"'"))
        #expect(
            verdict(Self.second, 404, #"{"code":"not found","message":"bucket \"b\" not found"}"#)
                == kept("has no bucket 'b' in the organization 'o'; check `bucket` and `org`"))
        #expect(verdict(Self.first, 404, "nothing here") == kept("has nothing at the path of `url`"))
    }

    @Test func theServersPauseIsBounded() {
        func pause(_ pause: Duration?, _ status: Int) -> Duration? {
            guard case .kept(let error) = Self.second.verdict(HTTPAnswer(status: status, pause: pause)) else {
                return nil
            }
            return error.pause
        }
        #expect(pause(.seconds(7), 429) == .seconds(7))
        #expect(pause(.seconds(7), 503) == .seconds(7))
        #expect(pause(.seconds(1 << 40), 429) == .seconds(900))
        #expect(pause(nil, 429) == nil)
    }

    @Test(arguments: [
        (301, "answered with another address; blekeep doesn't follow it, so set `url` to it"),
        (429, "asks for fewer requests: why"), (501, "has a fault, status 501: why"),
        (503, "has a fault, status 503: why"), (418, "refused the request, status 418: why"),
    ]) func theRestIsKept(status: Int, text: String) {
        #expect(verdict(Self.first, status, #"{"error": "why"}"#) == kept(text))
    }

    @Test func aRequestMayBeTooLarge() {
        #expect(verdict(Self.first, 413) == .tooLarge)
        #expect(verdict(Self.webhook, 413) == .tooLarge)
    }

    @Test func aWebhookRefusesReadings() {
        #expect(verdict(Self.webhook, 400) == .refused("status 400"))
        #expect(verdict(Self.webhook, 422, #"{"message":"no"}"#) == .refused("no"))
        #expect(verdict(Self.webhook, 401) == kept("refused the token; check `token_file` and `header`"))
        #expect(verdict(Self.webhook, 404) == kept("has nothing at the path of `url`"))
    }

    // MARK: Reasons

    @Test(arguments: [
        (#"{"error":"a \"b\" \\ c"}"#, #"a "b" \ c"#), (#"{ "code" : "x", "message" : "hé" }"#, "hé"),
        (#"{"error":"a\nb\u0041"}"#, "a bA"), (#"{"error":1,"message":"m"}"#, "m"), (#"{"error":"cut"#, "cut"),
        (#"{"error":"\ud800x"}"#, "\u{FFFD}x"),
    ]) func aReasonIsReadFromJSON(body: String, text: String) {
        #expect(ServerReason.text(in: Array(body.utf8)) == text)
    }

    @Test(arguments: ["", "<html>error</html>", "{}", #"{"error""#, #"{"error":"#, #"["error"]"#])
    func anAnswerMayHaveNone(body: String) {
        #expect(ServerReason.text(in: Array(body.utf8)) == nil)
    }

    @Test func aReasonDoesNoHarm() {
        for text in hostileTexts {
            var body: [UInt8] = Array("{\"error\":".utf8)
            JSONText.append(text, to: &body)
            body.append(UInt8(ascii: "}"))
            guard case .failed(let error) = Self.first.verdict(HTTPAnswer(status: 500, body: body)) else {
                Issue.record("not kept")
                continue
            }
            #expect(!error.description.unicodeScalars.contains { $0.doesHarm })
            #expect(error.description.unicodeScalars.count < 2000)
        }
    }

    // MARK: Requests

    private func lines(_ texts: [String]) -> ArraySlice<BatchQueue.Line> {
        texts.map { BatchQueue.Line(bytes: Array($0.utf8), key: 1) }[...]
    }

    @Test func influxGetsLines() {
        let request = Self.first.request(lines(["a", "b"]), secret: "s")
        #expect(request.path == "/write?db=db&precision=ns")
        #expect(String(decoding: request.body, as: UTF8.self) == "a\nb")
        #expect(request.user == "me")
        #expect(request.password == "s")
        let second = Self.second.request(lines(["a"]), secret: "s")
        #expect(second.path == "/api/v2/write?org=o&bucket=b&precision=ns")
        #expect(second.headers.contains("Authorization: Token s"))
        #expect(second.user == nil)
    }

    @Test func aWebhookGetsAnArray() {
        var webhook = WebhookConfiguration(server: Self.server)
        let request = WebhookFormat(webhook).request(lines(["{}", "{}"]), secret: "s")
        #expect(request.path == "/")
        #expect(String(decoding: request.body, as: UTF8.self) == "[{},{}]")
        #expect(request.headers.contains("Authorization: Bearer s"))
        webhook.header = "X-Key"
        #expect(WebhookFormat(webhook).request(lines(["{}"]), secret: "s").headers.contains("X-Key: s"))
    }

    @Test func aNameIsEscapedInTheURL() {
        #expect(
            PercentText.text("a b&c=é/~")
                == "a%20b%26c%3dé/~".replacing("é", with: "%c3%a9").replacing("/", with: "%2f"))
    }

    /// Of two points with the same series and time, InfluxDB keeps one.
    @Test func twoReadingsOfAMillisecondAreTwoPoints() throws {
        let reading = try makeReading()
        func time(_ sequence: Int64) -> Substring {
            Self.first.writer.line(StoredReading(sequence: sequence, reading: reading)).split(separator: " ").last ?? ""
        }
        #expect(time(17) == "\(someTime)000017")
        #expect(time(18) == "\(someTime)000018")
    }
}
