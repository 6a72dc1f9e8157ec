/// Sentences about a server's certificate that OpenSSL doesn't accept.
enum CertificateFault {
    static let otherName = "its certificate is for another name; use that name in `url`"
    static let clientCertificateMissing = "it requires a client certificate; set `cert_file` and `key_file`"
    private static let unknownAuthority = "its certificate isn't signed by a trusted authority; set `ca_file`"

    /// - Parameter number: OpenSSL's result, one of the constants X509_V_ERR_….
    /// - Returns: `nil` for a result without a sentence.
    static func sentence(for number: Int) -> String? {
        switch number {
        case 9: "its certificate isn't valid yet; check this machine's clock"
        case 10: "its certificate has expired; renew it"
        case 18, 19, 20, 21: unknownAuthority
        case 62, 64: otherName
        default: nil
        }
    }
}
