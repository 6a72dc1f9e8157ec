import BusBench
import Foundation

/// A real mosquitto on the loopback interface.
package final class Broker {
    package let port: Int
    private let folder: TemporaryFolder
    private var server: ForeignServer?

    /// - Parameter settings: lines of its configuration besides the listener's.
    package init(_ settings: [String] = ["allow_anonymous true"]) throws {
        folder = try TemporaryFolder()
        port = try Self.freePort()
        let lines = ["listener \(port) 127.0.0.1", "max_queued_messages 0", "log_type none"] + settings
        try lines.joined(separator: "\n").write(toFile: folder.file("conf"), atomically: true, encoding: .utf8)
        try start()
    }

    /// Returns when it takes connections.
    package func start() throws {
        server = try ForeignServer(
            "PATH=$PATH:/usr/sbin; mosquitto -c \"$1\" >/dev/null 2>&1 </dev/null & read -r _; kill -9 $!",
            argument: folder.file("conf"), failure: "mosquitto did not start; is the package mosquitto installed?"
        ) { Self.answers(port) }
    }

    /// As `kill -9` does.
    package func kill() { server = nil }

    /// Returns the messages that another client, mosquitto_sub, receives, one per line.
    package func messages(_ topic: String, count: Int) throws -> Subscription { try Subscription(port, topic, count) }

    /// Publishes a message as another client, mosquitto_pub, and returns when the broker has it.
    ///
    /// - Parameter lifetime: the seconds after which the broker drops it.
    package func publish(_ topic: String, _ payload: String, isRetained: Bool = false, lifetime: Int? = nil) throws {
        let (input, output) = (try ChildProcess.Pipe(), try ChildProcess.Pipe())
        let script =
            "exec mosquitto_pub -p \(port) -q 1 -t '\(topic)' -m '\(payload)'\(isRetained ? " -r" : "")"
            + (lifetime.map { " -V 5 -D publish message-expiry-interval \($0)" } ?? "")
        let process = try ChildProcess.spawn(["/bin/sh", "-c", script], input.read, output.write)
        for end in [input.read, input.write, output.read, output.write] { close(end) }
        waitpid(process, nil, 0)
    }

    /// Connects as another client of a gateway's name.
    package func takeOver(_ gateway: String) throws {
        let (input, output) = (try ChildProcess.Pipe(), try ChildProcess.Pipe())
        let script = "exec mosquitto_pub -p \(port) -i blekeep-\(gateway) -q 1 -t x -m y"
        let process = try ChildProcess.spawn(["/bin/sh", "-c", script], input.read, output.write)
        for end in [input.read, input.write, output.read, output.write] { close(end) }
        waitpid(process, nil, 0)
    }

    /// Publishes a retained message of this size.
    package func publish(_ topic: String, megabytes: Int) throws {
        let (input, output) = (try ChildProcess.Pipe(), try ChildProcess.Pipe())
        let size = megabytes << 20
        let script = "head -c \(size) /dev/zero | mosquitto_pub -p \(port) -q 1 -r -t '\(topic)' -s"
        let process = try ChildProcess.spawn(["/bin/sh", "-c", script], input.read, output.write)
        for end in [input.read, input.write, output.read, output.write] { close(end) }
        waitpid(process, nil, 0)
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func answers(_ port: Int) -> Bool {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        var address = address(port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// A port that no program uses.
    package static func freePort() throws -> Int {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(server) }
        var address = address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(server, $0, length) == 0 && getsockname(server, $0, &length) == 0
            }
        }
        guard isBound else { throw PrivateBusError("no free port (errno \(errno))") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

/// mosquitto_sub, which ends after a number of messages.
package final class Subscription {
    private let process: pid_t
    private let output: Int32

    fileprivate init(_ port: Int, _ topic: String, _ count: Int) throws {
        let (input, output) = (try ChildProcess.Pipe(), try ChildProcess.Pipe())
        let script = "exec mosquitto_sub -p \(port) -q 1 -t '\(topic)' -v -C \(count) -W 60"
        process = try ChildProcess.spawn(["/bin/sh", "-c", script], input.read, output.write)
        for end in [input.read, input.write, output.write] { close(end) }
        self.output = output.read
    }

    deinit { close(output) }

    /// Waits for its end.
    package func lines() -> [String] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        waitpid(process, nil, 0)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
