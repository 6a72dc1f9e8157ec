import Testing

@testable import BlekeepOutputs

/// Both clients of OpenSSL report the same fault with the same sentence.
struct CertificateFaultTests {
    static let sentences = [
        (9, "its certificate isn't valid yet; check this machine's clock"),
        (10, "its certificate has expired; renew it"),
        (19, "its certificate isn't signed by a trusted authority; set `ca_file`"),
        (62, "its certificate is for another name; use that name in `url`"),
    ]

    @Test(arguments: sentences) func mqttAndHTTPReportTheSameSentence(number: Int, sentence: String) {
        let mqtt = MQTTError(tls: "", certificate: Int32(number), broker: "desk")
        let http = HTTPError(certificate: number, detail: "", server: "desk")
        #expect([mqtt.description, http.description] == ["desk: \(sentence)", "desk: \(sentence)"])
    }

    @Test func anUnknownFaultShowsTheLibrarysText() {
        #expect(
            HTTPError(certificate: 1, detail: "odd", server: "desk:443").description
                == "desk:443: its certificate can't be verified: odd")
    }
}
