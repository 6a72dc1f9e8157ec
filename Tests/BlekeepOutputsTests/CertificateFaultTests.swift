import Glibc
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
        let http = ServerError(certificate: number, detail: "", server: "desk")
        #expect([mqtt.description, http.description] == ["desk: \(sentence)", "desk: \(sentence)"])
    }

    /// Debian 13's libmosquitto says neither that TLS failed nor why.
    @Test func aFailureOfTLSHasASentenceWithoutTheLibrarysText() {
        func sentence(_ code: Int32, system: Int32 = 0, certificate: Int32?) -> String {
            MQTTError(code: code, system: system, detail: "", certificate: certificate, broker: "desk").description
        }
        let (isLost, isTLS, isSystem) = (Int32(7), Int32(8), Int32(14))
        #expect(sentence(isLost, certificate: 10) == "desk: its certificate has expired; renew it")
        #expect(sentence(isSystem, system: EPROTO, certificate: 10) == "desk: its certificate has expired; renew it")
        #expect(
            sentence(isTLS, certificate: 1) == "desk: its certificate can't be verified; check `ca_file`")
        #expect(
            sentence(isTLS, certificate: nil) == "desk: it closed the connection; does it speak TLS at this port?")
    }

    /// To Debian 13's libmosquitto, each of these connections is lost.
    @Test func anEndWithoutAReasonIsOneOfTLSOnlyIfTheBrokerSpeaksIt() {
        func sentence(_ detail: String = "", hasCertificate: Bool, isOwnCertificateSet: Bool = false) -> String {
            let lost = MQTTError(code: 7, system: 0, detail: detail, certificate: nil, broker: "desk")
            return MQTTError(
                silentEnd: lost, detail: detail, hasCertificate: hasCertificate,
                isOwnCertificateSet: isOwnCertificateSet, broker: "desk"
            ).description
        }
        let closed = "desk: it closed the connection; does it speak TLS at this port?"
        #expect(sentence(hasCertificate: false) == closed)
        #expect(sentence(hasCertificate: false, isOwnCertificateSet: true) == closed)
        #expect(
            sentence("OpenSSL Error[0]: error:0A00010B:SSL routines::wrong version number", hasCertificate: false)
                == "desk: it doesn't speak TLS at this port; use mqtt:// or another port")
        #expect(
            sentence(hasCertificate: true)
                == "desk ended TLS; if it requires a client certificate, set `cert_file` and `key_file`")
        #expect(sentence(hasCertificate: true, isOwnCertificateSet: true) == "desk closed the connection")
    }

    @Test func anUnknownFaultShowsTheLibrarysText() {
        #expect(
            ServerError(certificate: 1, detail: "odd", server: "desk:443").description
                == "desk:443: its certificate can't be verified: odd")
    }
}
