import BusBench
import Foundation

/// A real PostgreSQL on the loopback interface, with an empty database `blekeep`.
///
/// PostgreSQL doesn't run as root, and so runs as its own user there.
package final class Database {
    package let port: Int
    private let place: TemporaryFolder
    private var server: ForeignServer?

    /// The folder of Debian's programs; `nil` without them.
    package static let programs: String? = {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        return folders.compactMap { Int($0) }.max().map { "/usr/lib/postgresql/\($0)/bin" }
    }()

    package init() throws {
        place = try TemporaryFolder(in: TemporaryFolder.cheapPlace)
        port = try Broker.freePort()
        try Self.shell(
            """
            cp -a \(Self.template.get())/data \(place.path)
            [ "$(id -u)" != 0 ] || chown postgres \(place.path)
            """)
        try start()
    }

    /// The folder of a server that never ran, to copy: to make one takes more processor time than most tests.
    private static let template: Result<String, any Error> = Result {
        var name = Array("\(TemporaryFolder.cheapPlace)/blekeep-postgres-XXXXXX".utf8CString)
        guard let created = mkdtemp(&name) else { throw SampleError.noFolder(errno: errno) }
        let folder = String(cString: created)
        atexit {
            if case .success(let folder) = Database.template { try? FileManager.default.removeItem(atPath: folder) }
        }
        let initialize = "initdb -D data -U postgres -A scram-sha-256 --auth-local=trust -E UTF8 --locale=C -N"
        try shell(
            """
            cd \(folder) && mkdir data && chmod 700 data
            [ "$(id -u)" != 0 ] || chown -R postgres .
            \(asItsUser(initialize)) >/dev/null
            echo 'CREATE DATABASE blekeep' | \(asItsUser("postgres --single -D data postgres")) >/dev/null
            """)
        return folder
    }

    // Before its folder is gone.
    deinit { kill() }

    /// Starts it, and returns when it takes connections.
    ///
    /// - Parameter tls: the files with its certificate and its key; `nil` to speak no TLS.
    package func start(tls: (certificate: String, key: String)? = nil) throws {
        var options = ""
        if let tls {
            // The key must be its user's own.
            try Self.shell(
                """
                cd \(place.path) && cp \(tls.certificate) own.pem && cp \(tls.key) own.key && chmod 600 own.key
                [ "$(id -u)" != 0 ] || chown postgres own.key own.pem
                """)
            options = "-c ssl=on -c ssl_cert_file=\(place.path)/own.pem -c ssl_key_file=\(place.path)/own.key"
        }
        let words = "postgres -D \(place.path)/data -p \(port) -k \(place.path) -c fsync=off \(options)"
        let script = """
            cd \(place.path)
            \(Self.asItsUser(words)) >>log 2>&1 </dev/null &
            read -r _
            kill -QUIT $!
            wait
            """
        server = try ForeignServer(script, failure: "PostgreSQL did not start: \(log)") {
            (try? Self.shell("pg_isready -q -h \(place.path) -p \(port)")) != nil
        }
    }

    /// Ends it at once, as in a crash.
    package func kill() { server = nil }

    private var log: String { (try? String(contentsOfFile: place.file("log"), encoding: .utf8)) ?? "" }

    /// Runs statements with psql, another client, as the administrator.
    ///
    /// - Returns: the rows, with `|` between the columns.
    @discardableResult
    package func execute(_ sql: String, in database: String = "blekeep") throws -> [String] {
        let words = "psql -X -q -A -t -v ON_ERROR_STOP=1 -U postgres -h \(place.path) -p \(port) \(database)"
        return try Self.shell(words, input: sql).split(separator: "\n").map(String.init)
    }

    private static func asItsUser(_ command: String) -> String {
        let words = "\(programs ?? "")/\(command)"
        return getuid() == 0 ? "setpriv --reuid=postgres --regid=postgres --init-groups \(words)" : words
    }

    /// - Throws: an error with what the command printed, if it failed.
    @discardableResult
    private static func shell(_ command: String, input: String = "") throws -> String {
        let folder = try TemporaryFolder()
        try input.write(toFile: folder.file("input"), atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        let pipe = Foundation.Pipe()
        (process.standardOutput, process.standardError) = (pipe, pipe)
        process.standardInput = FileHandle(forReadingAtPath: folder.file("input"))
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw PrivateBusError("\(command): \(text)") }
        return text
    }
}
