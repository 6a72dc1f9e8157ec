import BusBench
import Foundation
import Glibc
import Testing

/// The built server beside the tests, on a port of its own.
final class ServerProcess: @unchecked Sendable {
    private let process: pid_t
    private let log: Int32
    let port: UInt16
    private var hasEnded = false

    /// Starts it, and waits until it listens.
    init(_ arguments: [String], config: String, port: UInt16 = 0) throws {
        (process, log) = try Self.start("127.0.0.1:\(port)", arguments, config: config)
        let line = Self.line(from: log)
        self.port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) }, "\(line)")
    }

    /// Runs one that can't start, and returns its exit code and its message.
    static func failure(_ address: String, _ arguments: [String], config: String) throws -> (Int32, String) {
        let (process, log) = try start(address, arguments, config: config)
        defer { close(log) }
        let line = line(from: log)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        return (status & 0x7F == 0 ? status >> 8 & 0xFF : -1, line)
    }

    private static func start(
        _ address: String, _ arguments: [String], config: String
    ) throws -> (process: pid_t, log: Int32) {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = tests.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/blekeep-serve"
        let pipe = try ChildProcess.Pipe()
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer {
            close(null)
            close(pipe.write)
        }
        let options = ["--listen", address, "--log-level", "notice", "--config", config]
        return (try ChildProcess.spawn([program] + options + arguments, null, null, pipe.write), pipe.read)
    }

    private static func line(from log: Int32) -> String {
        var line = ""
        var byte: UInt8 = 0
        while read(log, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.unicodeScalars.append(Unicode.Scalar(byte)) }
        return line
    }

    deinit {
        close(log)
        guard !hasEnded else { return }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// Sends SIGTERM, and returns the exit code.
    func terminate() -> Int32 {
        hasEnded = true
        kill(process, SIGTERM)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
    }

    func connect() throws -> Client { try Client(of: self) }

    /// Sends a request on a connection of its own, and returns the answer.
    func get(_ target: String, method: String = "GET", _ headers: [String] = []) throws -> String {
        let client = try connect()
        try client.send(target, method: method, headers + ["Connection: close"])
        return client.rest()
    }
}

/// A connection as a client has it. Calls wait for at most 20 s.
final class Client {
    private let socket: Int32
    /// It ends with its last client.
    private let server: ServerProcess?

    convenience init(of server: ServerProcess) throws { try self.init(port: server.port, of: server) }

    /// - Parameter server: `nil` for a program of another kind.
    init(port: UInt16, of server: ServerProcess? = nil) throws {
        self.server = server
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(code == 0)
    }

    deinit { close(socket) }

    func send(_ target: String, method: String = "GET", _ headers: [String] = []) throws {
        write(
            "\(method) \(target) HTTP/1.1\r\n" + (["Host: localhost"] + headers).joined(separator: "\r\n") + "\r\n\r\n")
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads until the text contains a part.
    func read(until part: String) throws -> String {
        var text = ""
        while !text.contains(part) { text += try #require(next(), "\(text)") }
        return text
    }

    /// Reads until the server closes the connection.
    func rest() -> String {
        var bytes: [UInt8] = []
        while let more = receive() { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads an answer's body, whose length its head has.
    func body() throws -> [UInt8] {
        let end = Array("\r\n\r\n".utf8)
        var bytes: [UInt8] = []
        while let more = receive() {
            bytes += more
            guard let start = bytes.firstRange(of: end) else { continue }
            let head = String(decoding: bytes[..<start.lowerBound], as: UTF8.self).lowercased()
            let length = try #require(head.firstMatch(of: /content-length: *(\d+)/).flatMap { Int($0.1) })
            if bytes.count >= start.upperBound + length { return Array(bytes[start.upperBound...]) }
        }
        return []
    }

    private func next() -> String? { receive().map { String(decoding: $0, as: UTF8.self) } }

    private func receive() -> ArraySlice<UInt8>? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(socket, &buffer, buffer.count, 0)
        return count > 0 ? buffer.prefix(count) : nil
    }
}
