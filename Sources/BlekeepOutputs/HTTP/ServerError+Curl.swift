internal import CLoaded
import Glibc

/// Sentences for libcurl's failures.
extension ServerError {
    /// - Parameters:
    ///   - code: how libcurl ended the transfer.
    ///   - system: the system's error number; 0 for none.
    ///   - verified: OpenSSL's result for the server's certificate.
    ///   - detail: libcurl's own text.
    init(code: CURLcode, system: Int32, verified: Int, detail: String, server: String) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: self.init("\(server): the name can't be resolved; check `url`")
        case CURLE_COULDNT_CONNECT where system == ECONNREFUSED:
            self.init("\(server) refused the connection; is the server running, and the port right?")
        case CURLE_COULDNT_CONNECT where system != 0: self.init("\(server): \(SystemError.words(for: system))")
        case CURLE_OPERATION_TIMEDOUT: self.init("\(server) didn't respond in time")
        case CURLE_RECV_ERROR where detail.contains("certificate required"):
            self.init("\(server): \(CertificateFault.clientCertificateMissing)")
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE:
            self.init("\(server) closed the connection")
        case CURLE_PEER_FAILED_VERIFICATION:
            self.init(certificate: verified, detail: detail, server: server)
        case CURLE_SSL_CONNECT_ERROR:
            self.init("\(server): \(Self.words(handshake: detail.lowercased()))")
        case CURLE_SSL_CERTPROBLEM:
            self.init("the client's certificate or key can't be used; check `cert_file` and `key_file`")
        case CURLE_SSL_CACERT_BADFILE: self.init("the certificates of `ca_file` can't be read")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
            self.init("\(server) doesn't speak HTTP at this port; check `url`")
        default:
            let words = detail.isEmpty ? String(cString: blekeep_curl_easy_strerror(code)) : detail
            self.init("\(server): \(Untrusted(words, limit: 200))")
        }
    }

    /// - Parameter certificate: OpenSSL's result. It doesn't include the name, which libcurl compares itself.
    init(certificate: Int, detail: String, server: String) {
        let sentence =
            detail.contains("subject name") ? CertificateFault.otherName : CertificateFault.sentence(for: certificate)
        self.init("\(server): \(sentence ?? "its certificate can't be verified: \(Untrusted(detail, limit: 200))")")
    }

    private static func words(handshake detail: String) -> String {
        if detail.contains("wrong version number") {
            return "it doesn't speak TLS at this port; use http:// or another port"
        }
        return "TLS failed: \(Untrusted(detail, limit: 200))"
    }
}
