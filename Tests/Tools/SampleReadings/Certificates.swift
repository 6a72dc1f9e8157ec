import BusBench
import Foundation

/// Certificates of an authority of its own, made by OpenSSL.
package struct Certificates {
    private let folder: TemporaryFolder

    /// - Throws: where the program `openssl` is missing.
    package init() throws {
        folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
        for authority in ["own", "other"] {
            try Self.openssl(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 100 -subj /CN=\(authority) "
                    + "-keyout \(folder.file(authority)).key -out \(folder.file(authority)).pem")
        }
    }

    /// The certificate of one of the authorities, `own` or `other`.
    package func authority(_ name: String) -> String { folder.file("\(name).pem") }

    /// Makes a certificate that `own` signs.
    ///
    /// - Parameter days: how long it is valid; it has expired when negative.
    package func make(_ name: String, for host: String, days: Int) throws -> (certificate: String, key: String) {
        let file = folder.file(name)
        try Self.openssl(
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=\(host) -addext subjectAltName=DNS:\(host) "
                + "-keyout \(file).key -out \(file).csr")
        if days >= 0 {
            try Self.openssl(
                "x509 -req -in \(file).csr -copy_extensions copy -CA \(folder.file("own")).pem "
                    + "-CAkey \(folder.file("own")).key -CAcreateserial -days \(days) -out \(file).pem")
        } else {
            // From OpenSSL 3.5 on, `x509` makes no certificate that has expired.
            let settings = """
                [ca]
                default_ca=a
                [a]
                database=\(file).index
                new_certs_dir=\(folder.path)
                default_md=sha256
                policy=p
                copy_extensions=copy
                rand_serial=yes
                [p]
                commonName=supplied

                """
            try settings.write(toFile: file + ".cnf", atomically: false, encoding: .utf8)
            try "".write(toFile: file + ".index", atomically: false, encoding: .utf8)
            try Self.openssl(
                "ca -batch -notext -config \(file).cnf -cert \(folder.file("own")).pem "
                    + "-keyfile \(folder.file("own")).key -in \(file).csr -startdate 20200101000000Z "
                    + "-enddate 20210101000000Z -out \(file).pem")
        }
        chmod(file + ".key", 0o644)
        return (file + ".pem", file + ".key")
    }

    private static func openssl(_ arguments: String) throws {
        let (input, output) = (try ChildProcess.Pipe(), try ChildProcess.Pipe())
        let process = try ChildProcess.spawn(
            ["/bin/sh", "-c", "exec openssl \(arguments) 2>/dev/null"], input.read, output.write)
        for end in [input.read, input.write, output.read, output.write] { close(end) }
        var status: Int32 = 0
        waitpid(process, &status, 0)
        guard status == 0 else {
            throw PrivateBusError("openssl \(arguments) failed; is the package openssl installed?")
        }
    }
}
