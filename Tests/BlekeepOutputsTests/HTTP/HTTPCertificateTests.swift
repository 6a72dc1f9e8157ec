import BlekeepRecords
import Foundation
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepOutputs

/// The sink and servers whose certificates are bad, each in its own way.
@Suite(.enabled(if: TLSServer.isInstalled, "needs Debian's package openssl"))
struct HTTPCertificateTests {
    /// - Returns: why the sink has failed, without the server's name.
    private func failure(
        _ port: Int, authority: String?, limits: HTTPLimits = HTTPLimits()
    ) throws -> String {
        let loop = try RunLoop()
        var server = HTTPServerConfiguration(host: "localhost", port: port, isEncrypted: true)
        server.caFile = authority
        let resolver = NameResolver(on: loop) { _ in .success(["127.0.0.1"]) }
        let format = WebhookFormat(WebhookConfiguration(server: server))
        let sink = BatchSink(HTTPServer(format, on: loop, resolver: resolver, limits: limits) { nil }, on: loop)
        let new = [LiveReading(sequence: 1, reading: try makeReading())]
        nonisolated(unsafe) var text = ""
        let gate = Gate(loop)
        sink.onEvent = { event in
            if case .connected = event { sink.send(new, isLive: false, key: 1) }
            guard case .lost(let error) = event else { return }
            text = "\(error)"
            gate.open()
        }
        loop.schedule(at: loop.now + .seconds(30)) { gate.open() }
        sink.connect()
        try loop.run { await gate.wait() }
        sink.end()
        return text.replacing("localhost:\(port)", with: "")
    }

    static let refusals: [(TLSServer.Certificate, String)] = [
        (.expired, ": its certificate has expired; renew it"),
        (.early, ": its certificate isn't valid yet; check this machine's clock"),
        (.otherName, ": its certificate is for another name; use that name in `url`"),
    ]

    @Test(arguments: refusals) func aBadCertificateIsRefused(certificate: TLSServer.Certificate, text: String) throws {
        let server = try TLSServer(certificate)
        let failure = try failure(server.port, authority: server.authority)
        #expect(failure == text)
    }

    /// The server doesn't answer the request.
    @Test func aGoodCertificateIsAccepted() throws {
        let server = try TLSServer(.good)
        let failure = try failure(server.port, authority: server.authority, limits: HTTPLimits(silence: 1))
        #expect(failure == " didn't respond in time")
    }

    @Test func anAuthorityIsTrustedOnlyIfConfigured() throws {
        let server = try TLSServer(.good)
        #expect(
            try failure(server.port, authority: nil)
                == ": its certificate isn't signed by a trusted authority; set `ca_file`")
        #expect(try failure(server.port, authority: "/nowhere") == "the certificates of `ca_file` can't be read")
    }

    @Test func aServerMayWantAClientsCertificate() throws {
        let server = try TLSServer(.good, ["-Verify", "1", "-verify_return_error"])
        let failure = try failure(server.port, authority: server.authority)
        // In TLS 1.3, the server's reason comes after the request. It is lost when the server closes too early.
        let texts = [": it requires a client certificate; set `cert_file` and `key_file`", " closed the connection"]
        #expect(texts.contains(failure), "\(failure)")
    }
}
