internal import CMosquitto
import Glibc

/// A failure of the connection to an MQTT broker, and what to do about it.
struct MQTTError: Error, Hashable, CustomStringConvertible {
    let description: String
    /// Whether it is about one message, so that others may be taken.
    let isContent: Bool
    /// Whether the broker closed the connection without a reason.
    let isSilentEnd: Bool
    /// Whether the broker sent a message that blekeep has no room for.
    let isTooLong: Bool

    init(_ description: String, isContent: Bool = false, isSilentEnd: Bool = false, isTooLong: Bool = false) {
        self.description = description
        self.isContent = isContent
        self.isSilentEnd = isSilentEnd
        self.isTooLong = isTooLong
    }

    /// - Parameters:
    ///   - code: what libmosquitto returned.
    ///   - system: the system's error number.
    ///   - detail: the messages of the TLS library; empty without any.
    ///   - certificate: OpenSSL's result for the broker's certificate; `nil` for a good one.
    init(code: Int32, system: Int32, detail: String, certificate: Int32?, broker: String) {
        switch code {
        // To libmosquitto 2.0.21, a connection is lost when its certificate is refused.
        case _ where certificate != nil: self.init(tls: detail, certificate: certificate, broker: broker)
        case Int32(MOSQ_ERR_EAI.rawValue), Int32(MOSQ_ERR_LOOKUP.rawValue):
            self.init("the name of \(broker) can't be resolved; check `url` and the name server")
        case Int32(MOSQ_ERR_TLS.rawValue), Int32(MOSQ_ERR_TLS_HANDSHAKE.rawValue):
            self.init(tls: detail, certificate: certificate, broker: broker)
        case Int32(MOSQ_ERR_ERRNO.rawValue) where system == ECONNREFUSED:
            self.init("\(broker) refused the connection; is the broker running, and the port right?")
        // libmosquitto 2.1 asks the socket that it has closed for its peer, and forgets why the connection failed.
        case Int32(MOSQ_ERR_ERRNO.rawValue) where system == EBADF:
            self.init("\(broker) can't be reached; is the broker running, and `url` right?")
        case Int32(MOSQ_ERR_ERRNO.rawValue) where [EPIPE, ECONNRESET, EPROTO].contains(system):
            self.init("\(broker) closed the connection", isSilentEnd: true)
        case Int32(MOSQ_ERR_ERRNO.rawValue): self.init("\(broker): \(SystemError.words(for: system))")
        case Int32(MOSQ_ERR_CONN_LOST.rawValue): self.init("\(broker) closed the connection", isSilentEnd: true)
        case Int32(MOSQ_ERR_NOMEM.rawValue):
            self.init(
                "\(broker) sent a message that is too long, or of QoS 2; delete it if it is retained. blekeep takes no commands for an hour",
                isTooLong: true)
        case Int32(MOSQ_ERR_KEEPALIVE.rawValue): self.init("\(broker) no longer responds")
        default:
            if detail.isEmpty {
                self.init("\(broker): \(String(cString: mosquitto_strerror(code)))")
            } else {
                self.init(tls: detail, certificate: certificate, broker: broker)
            }
        }
    }

    /// The broker answered the attempt to connect with a refusal.
    ///
    /// - Parameter user: the user's name; `nil` for a client without one.
    init(refusal reason: Int32, broker: String, user: String?) {
        let user = user.map { "user '\(Untrusted($0))'" } ?? "a client without user and password"
        switch reason {
        // The codes of version 5, and those of 3.1.1.
        case 0x86, 4: self.init("\(broker) refused \(user): user or password is wrong")
        case 0x87, 5: self.init("\(broker) doesn't accept \(user); check `user` and the broker's access rules")
        case 0x84, 1: self.init("\(broker) doesn't speak this version of MQTT; set `version: 3.1.1`")
        case 0x85, 2: self.init("\(broker) refused the client's name; check that each gateway has its own `gateway`")
        case 0x88, 3: self.init("\(broker) isn't available now")
        default: self.init("\(broker) refused the connection: \(String(cString: mosquitto_reason_string(reason)))")
        }
    }

    /// The broker refused a message.
    ///
    /// - Parameter reason: the broker's reason code. Only MQTT 5 has it.
    init(message reason: Int32, broker: String, user: String?) {
        let user = user.map { "user '\(Untrusted($0))'" } ?? "a client without user and password"
        switch reason {
        case 0x90, 0x95, 0x99:
            self.init(
                "\(broker) refused a message: \(String(cString: mosquitto_reason_string(reason)))", isContent: true)
        case 0x87: self.init("\(broker) doesn't let \(user) publish; check the broker's access rules")
        case 0x97: self.init("\(broker) has no room for more messages")
        default: self.init("\(broker) refused a message: \(String(cString: mosquitto_reason_string(reason)))")
        }
    }

    /// The broker ended the connection.
    ///
    /// - Parameter reason: the broker's reason code. Only MQTT 5 has it.
    init(end reason: Int32, broker: String) {
        switch reason {
        case 0x8E:
            self.init("another client took over at \(broker); check that each gateway has its own `gateway`")
        case 0x8B: self.init("\(broker) is shutting down")
        case 0x90, 0x95, 0x99:
            self.init(
                "\(broker) ended the connection: \(String(cString: mosquitto_reason_string(reason)))", isContent: true)
        default: self.init("\(broker) ended the connection: \(String(cString: mosquitto_reason_string(reason)))")
        }
    }

    /// The broker closed a connection with TLS before it accepted the client, and libmosquitto doesn't report the reason.
    ///
    /// - Parameters:
    ///   - detail: the messages of the TLS library; empty without any.
    ///   - hasCertificate: whether the broker has sent its certificate, and so speaks TLS. To libmosquitto 2.0.21, a connection
    ///     to a port without TLS is lost, too.
    init(silentEnd error: MQTTError, detail: String, hasCertificate: Bool, isOwnCertificateSet: Bool, broker: String) {
        if !hasCertificate {
            self.init(tls: detail, certificate: nil, broker: broker)
        } else if isOwnCertificateSet {
            self = error
        } else {
            self.init("\(broker) ended TLS; if it requires a client certificate, set `cert_file` and `key_file`")
        }
    }

    /// TLS failed.
    init(tls detail: String, certificate: Int32?, broker: String) {
        // OpenSSL has no message for an end without a reason, and libmosquitto 2.0.21 doesn't write one.
        let silent = certificate == nil ? "unexpected eof" : "certificate verify failed"
        let detail = detail.isEmpty ? silent : detail.lowercased()
        let reason =
            certificate.flatMap { CertificateFault.sentence(for: Int($0)) }
            ?? Self.tlsFaults.first { detail.contains($0.text) }?.reason
            ?? "TLS failed: \(Untrusted(detail, limit: 200))"
        self.init("\(broker): \(reason)")
    }

    private static let tlsFaults: [(text: String, reason: String)] = [
        ("certificate verify failed", "its certificate can't be verified; check `ca_file`"),
        ("certificate required", CertificateFault.clientCertificateMissing),
        ("unexpected eof", "it closed the connection; does it speak TLS at this port?"),
        ("wrong version number", "it doesn't speak TLS at this port; use mqtt:// or another port"),
    ]
}
