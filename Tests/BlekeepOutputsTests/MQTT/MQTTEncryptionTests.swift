import BlekeepRecords
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepOutputs

/// The sink and a real mosquitto with TLS.
@Suite struct MQTTEncryptionTests {
    /// What the broker shows, what the gateway trusts, and the end of the sentence.
    struct Case: CustomTestStringConvertible, Sendable {
        var host = "localhost"
        var days = 50
        var authority: String? = "own"
        var isEncrypted = true
        var brokerSettings: [String] = []
        let ending: String
        var testDescription: String { ending }
    }

    static let refused = [
        Case(authority: "other", ending: "its certificate isn't signed by a trusted authority; set `ca_file`"),
        Case(authority: nil, ending: "its certificate isn't signed by a trusted authority; set `ca_file`"),
        Case(host: "wrong.example", ending: "its certificate is for another name; use that name in `url`"),
        Case(days: -1, ending: "its certificate has expired; renew it"),
        Case(isEncrypted: false, ending: "closed the connection"),
        Case(
            brokerSettings: ["require_certificate true"],
            // With or without the broker's alert.
            ending: "set `cert_file` and `key_file`"),
    ]

    @Test(arguments: refused) func aCertificateThatDoesNotFitIsRefusedWithASentence(_ wrong: Case) throws {
        let certificates = try Certificates()
        let (certificate, key) = try certificates.make("broker", for: wrong.host, days: wrong.days)
        let broker = try Broker(
            [
                "allow_anonymous true", "certfile \(certificate)", "keyfile \(key)",
                "cafile \(certificates.authority("own"))",
            ]
                + wrong.brokerSettings)
        var mqtt = MQTTConfiguration(
            host: "localhost", port: broker.port, isEncrypted: wrong.isEncrypted, gateway: "cellar")
        if wrong.isEncrypted { mqtt.caFile = wrong.authority.map(certificates.authority) }
        let message = try failure(of: mqtt)
        #expect(message.hasSuffix(wrong.ending), "\(message)")
    }

    @Test func withoutTLSAtThePortTheSentenceSaysSo() throws {
        let broker = try Broker()
        let mqtt = MQTTConfiguration(host: "localhost", port: broker.port, isEncrypted: true, gateway: "cellar")
        let message = try failure(of: mqtt)
        #expect(
            message.hasSuffix("it closed the connection; does it speak TLS at this port?")
                || message.hasSuffix("it doesn't speak TLS at this port; use mqtt:// or another port"), "\(message)")
    }

    @Test func aClientCertificateLetsTheGatewayIn() throws {
        let certificates = try Certificates()
        let (certificate, key) = try certificates.make("broker", for: "localhost", days: 50)
        let own = try certificates.make("client", for: "cellar", days: 50)
        let broker = try Broker([
            "certfile \(certificate)", "keyfile \(key)", "cafile \(certificates.authority("own"))",
            "require_certificate true", "use_identity_as_username true", "allow_anonymous false",
        ])
        var mqtt = MQTTConfiguration(host: "localhost", port: broker.port, isEncrypted: true, gateway: "cellar")
        mqtt.caFile = certificates.authority("own")
        (mqtt.certificateFile, mqtt.keyFile) = (own.certificate, own.key)
        #expect(try failure(of: mqtt) == "")
    }

    /// Why there was no connection; empty when there was one.
    private func failure(of mqtt: MQTTConfiguration) throws -> String {
        let loop = try RunLoop()
        let sink = MQTTSink(mqtt, for: PollConfiguration(devices: []), version: "1.0", on: loop) { nil }
        nonisolated(unsafe) var message = "nothing happened"
        let done = Gate(loop)
        sink.onEvent = { event in
            if case .lost(let error) = event { message = "\(error)" }
            if case .connected = event { message = "" }
            done.open()
        }
        loop.schedule(at: loop.now + .seconds(30)) { done.open() }
        sink.connect()
        try loop.run { await done.wait() }
        sink.end()
        return message
    }
}
