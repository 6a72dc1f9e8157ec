internal import CMosquitto
import Synchronization

/// OpenSSL's settings for the connections to a broker: the trusted certificates, the client's certificate, and the
/// broker's name.
///
/// libmosquitto has these settings, too, but doesn't report OpenSSL's result for a certificate.
final class TLSContext: Sendable {
    nonisolated(unsafe) let pointer: OpaquePointer
    private let result = Mutex<Int32?>(nil)

    /// - Throws: `MQTTError` for a file of certificates or keys that can't be used.
    init(_ configuration: MQTTConfiguration) throws(MQTTError) {
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw MQTTError("there is no memory for TLS") }
        pointer = context
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        rememberResult()
        let parameters = SSL_CTX_get0_param(context)
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, configuration.host) != 1 {
            X509_VERIFY_PARAM_set1_host(parameters, configuration.host, 0)
        }
        if let file = configuration.caFile {
            try Self.check(SSL_CTX_load_verify_file(context, file), key: "ca_file", file: file)
        } else {
            SSL_CTX_set_default_verify_paths(context)
        }
        if let file = configuration.certificateFile {
            try Self.check(SSL_CTX_use_certificate_chain_file(context, file), key: "cert_file", file: file)
        }
        if let file = configuration.keyFile {
            try Self.check(SSL_CTX_use_PrivateKey_file(context, file, SSL_FILETYPE_PEM), key: "key_file", file: file)
        }
    }

    deinit { SSL_CTX_free(pointer) }

    private static func check(_ result: Int32, key: String, file: String) throws(MQTTError) {
        guard result != 1 else { return }
        ERR_clear_error()
        let reason = key == "key_file" ? " or doesn't belong to `cert_file`" : ""
        throw MQTTError(
            "`\(key)`: \(Untrusted.whole(file)) can't be read as PEM\(reason); check the file and its rights")
    }

    private func rememberResult() {
        SSL_CTX_set_cert_verify_callback(
            pointer,
            { store, own in
                let isGood = X509_verify_cert(store)
                if let own {
                    let context = Unmanaged<TLSContext>.fromOpaque(own).takeUnretainedValue()
                    context.result.withLock { $0 = isGood > 0 ? X509_V_OK : X509_STORE_CTX_get_error(store) }
                }
                return isGood
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Whether the broker has sent a certificate, and so speaks TLS.
    var hasCertificate: Bool { result.withLock { $0 != nil } }

    /// OpenSSL's result for the broker's certificate; `nil` for a good one.
    var certificateFault: Int32? { result.withLock { $0 == X509_V_OK ? nil : $0 } }
}
