import BusBench
import Foundation
import SampleReadings

/// `openssl s_server` on the loopback interface, with a certificate of an authority of its own. It answers no request.
///
/// A small shell starts it, and kills it as soon as its standard input ends: also when the tests are killed.
final class TLSServer {
    enum Certificate: String {
        case good = "20250101000000Z 21250101000000Z localhost"
        case expired = "20200101000000Z 20210101000000Z localhost"
        case early = "21200101000000Z 21250101000000Z localhost"
        case otherName = "20250101000000Z 21250101000000Z other.example"
    }

    let port: Int
    private let folder: TemporaryFolder
    private let guardian: pid_t
    private let leash: Int32

    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl") }

    /// The certificate of the authority.
    var authority: String { folder.file("ca.pem") }

    private static let script = """
        cd "$1" || exit 1
        new() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -subj "/CN=$1" "${@:2}"; }
        {
            new ca -x509 -out ca.pem -days 30000
            new server -out server.csr
            printf '[ca]\\ndefault_ca=a\\n[a]\\ndatabase=index\\nserial=serial\\nnew_certs_dir=.\\ndefault_md=sha256\\n' >cnf
            printf 'policy=p\\nx509_extensions=e\\n[p]\\ncommonName=supplied\\n[e]\\nsubjectAltName=DNS:%s\\n' "$5" >>cnf
            : >index; echo 01 >serial
            openssl ca -batch -config cnf -cert ca.pem -keyfile ca.key -in server.csr -out server.pem \
                -startdate "$3" -enddate "$4"
        } >/dev/null 2>&1
        openssl s_server -accept "127.0.0.1:$2" -cert server.pem -key server.key -CAfile ca.pem -www "${@:6}" </dev/null &
        read -r _
        kill -9 $!
        """

    /// - Parameter options: further ones of `openssl s_server`.
    init(_ certificate: Certificate, _ options: [String] = []) throws {
        folder = try TemporaryFolder()
        port = try Broker.freePort()
        let (input, output) = (try ChildProcess.Pipe(), try ChildProcess.Pipe())
        let words = certificate.rawValue.split(separator: " ").map(String.init)
        guardian = try ChildProcess.spawn(
            ["/bin/bash", "-c", Self.script, "s_server", folder.path, "\(port)"] + words + options, input.read,
            output.write)
        for end in [input.read, output.write] { close(end) }
        leash = input.write
        defer { close(output.read) }
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !text.contains("ACCEPT") {
            let count = read(output.read, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw PrivateBusError("openssl s_server did not start") }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
    }

    deinit {
        close(leash)
        waitpid(guardian, nil, 0)
    }
}
