import BlekeepSimulation
import BusBench
import FoundationEssentials
import Glibc
import RunLoop
import Testing

/// The built program, as a user starts it.
final class Program: @unchecked Sendable {
    private let process: pid_t
    private var status: Int32?

    enum End: Equatable {
        case exited(Int32)
        case signaled(Int32)
    }

    /// The program is beside the tests.
    private static var path: String {
        let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return (tests ?? "").split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/blekeep"
    }

    init(_ arguments: [String], output: Int32? = nil, error: Int32? = nil) throws {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        process = try ChildProcess.spawn([Self.path] + arguments, null, output ?? null, error)
    }

    /// Starts a shell script with the program as `$0`.
    init(shell script: String) throws {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        process = try ChildProcess.spawn(["/bin/sh", "-c", script, Self.path], null, null)
    }

    /// Starts it on a terminal, in a session of its own.
    init(_ arguments: [String], on terminal: String) throws {
        let environment = ["/usr/bin/env", "TERM=xterm-256color"]
        process = try ChildProcess.spawn(environment + [Self.path] + arguments, on: terminal)
    }

    deinit {
        guard status == nil else { return }
        Glibc.kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// How many threads it has.
    var threads: Int? { try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").count }

    func signal(_ number: Int32) { if end == nil { Glibc.kill(process, number) } }

    /// How it ended; `nil` while it runs.
    var end: End? {
        if status == nil {
            var status: Int32 = 0
            if waitpid(process, &status, WNOHANG) == process { self.status = status }
        }
        return status.map { $0 & 0x7F == 0 ? .exited($0 >> 8 & 0xFF) : .signaled($0 & 0x7F) }
    }

    /// Waits for its end; much longer than that may take.
    func end(on loop: RunLoop) async throws -> End? {
        try await loop.waitUntil { self.end != nil }
        return end
    }

    /// Whether a signal was sent that it has not looked at yet.
    var hasPendingSignal: Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        return !status.contains("ShdPnd:\t0000000000000000")
    }

    /// Whether a signal stopped it.
    var isStopped: Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        return status.contains("State:\tT")
    }

    /// Whether it has a connection to something.
    var hasSocket: Bool {
        let folder = "/proc/\(process)/fd"
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.contains { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))?.hasPrefix("socket:")
                == true
        }
    }
}

extension RunLoop {
    /// Waits until something is so, and throws when that takes too long on any machine.
    func waitUntil(_ isSo: () -> Bool) async throws {
        struct TooLong: Error {}
        let deadline = now + .seconds(60)
        while !isSo() {
            guard now < deadline else { throw TooLong() }
            try await sleep(until: now + .milliseconds(20))
        }
    }
}

/// A pipe that holds 4,096 bytes, and is full: an output that no program reads.
final class FullPipe: @unchecked Sendable {
    let writing: Int32
    private var reading: Int32
    private(set) var text = ""
    private(set) var isAtEnd = false

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let setPipeSize: Int32 = 1031
        _ = fcntl(writing, setPipeSize, 4096)
        _ = fcntl(reading, F_SETFL, O_NONBLOCK)
        try #require(write(writing, [UInt8](repeating: UInt8(ascii: "\n"), count: 4096), 4096) == 4096)
    }

    deinit {
        close(reading)
        closeWriting()
    }

    private var isClosed = false

    /// Only programs that were started with it can write to it afterwards.
    func closeWriting() {
        if !isClosed { close(writing) }
        isClosed = true
    }

    /// Reads the available bytes.
    func read() {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(reading, &buffer, buffer.count)
            if count == 0 { isAtEnd = true }
            guard count > 0 else { return }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
    }

    var lines: [Substring] { text.split(separator: "\n") }
}
