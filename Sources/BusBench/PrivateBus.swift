import DBus
import Glibc

/// A private dbus-daemon, on a socket in a new directory that only this user may enter.
///
/// A shell guards it. When the shell's standard input ends, it kills the daemon and removes the directory. That also
/// happens when this process is killed.
package final class PrivateBus {
    /// The address for clients. It stays the same after `restart()`.
    package let address: String
    private let directory: String
    private let limits: BusLimits
    private let forbidden: BusName?
    private var guardian: pid_t = 0
    private var leash: Int32 = -1
    private var daemon: pid_t = 0

    /// Starts the daemon, and returns when it accepts connections.
    /// Throws `PrivateBusError` when dbus-daemon isn't installed, or doesn't start.
    package convenience init() throws { try self.init(limits: BusLimits()) }

    /// - Parameters:
    ///   - limits: the limits of each connection.
    ///   - forbidden: a name that nobody may call; `nil` for none.
    package init(limits: BusLimits, forbidding forbidden: BusName? = nil) throws {
        self.limits = limits
        self.forbidden = forbidden
        var template = Array("/tmp/blekeep-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw PrivateBusError("no temporary directory (errno \(errno))") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        address = "unix:path=\(directory)/bus"
        do { try start() } catch {
            removeDirectory()
            throw error
        }
    }

    deinit { stop() }

    /// Kills the daemon and removes its directory.
    package func stop() {
        kill()
        removeDirectory()
    }

    /// Kills the daemon and starts another one on the same address.
    package func restart() throws {
        kill()
        try start()
    }

    /// Kills the daemon: every client loses its connection at once.
    @discardableResult
    package func kill() -> Bool {
        guard guardian > 0 else { return false }
        _ = write(leash, "k\n", 2)
        abandon()
        return true
    }

    /// Closes the guardian's standard input, as the kernel does when this process is killed.
    func abandon() {
        close(leash)
        waitpid(guardian, nil, 0)
        guardian = 0
    }

    /// Stops the daemon with SIGSTOP. Its clients stay connected, but get no reply until `thaw`.
    package func freeze() { signal(SIGSTOP) }

    package func thaw() { signal(SIGCONT) }

    private func signal(_ number: Int32) { if daemon > 0 { Glibc.kill(daemon, number) } }

    // MARK: The daemon

    /// Starts the daemon on the same address as before.
    package func start() throws {
        guard guardian == 0 else { return }
        try writeConfiguration()
        let (input, output) = (try ChildProcess.Pipe(), try ChildProcess.Pipe())
        guardian = try ChildProcess.spawn(
            ["/bin/sh", "-c", Self.guardianScript, "blekeep-bus", directory], input.read, output.write)
        close(input.read)
        close(output.write)
        leash = input.write
        defer { close(output.read) }
        guard Self.says(output.read) else {
            kill()
            throw PrivateBusError("dbus-daemon didn't start; install the package dbus-daemon")
        }
        daemon = process()
    }

    /// The daemon's process ID, as its socket reports it; 0 if it doesn't.
    private func process() -> pid_t {
        let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(client) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(directory)/bus".utf8) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, length) }
        }
        // Process, user and group.
        var peer: [pid_t] = [0, 0, 0]
        var size = socklen_t(MemoryLayout<pid_t>.size * 3)
        guard code == 0, getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 else { return 0 }
        return peer[0]
    }

    /// The daemon prints its address when it is ready. After a letter on standard input, the script kills the daemon, but
    /// keeps the directory.
    private static let guardianScript = """
        exec 3<&0 </dev/null
        dbus-daemon --config-file="$1/bus.conf" --nofork --nopidfile --print-address=4 4>&1 >/dev/null 3<&- &
        bus=$!
        exec >/dev/null
        read -r word <&3
        kill -9 $bus; wait $bus
        [ -n "$word" ] || rm -rf "$1"
        """

    private func writeConfiguration() throws {
        let text = Self.configuration(socket: "\(directory)/bus", limits, forbidding: forbidden)
        guard let file = fopen("\(directory)/bus.conf", "we") else {
            throw PrivateBusError("cannot write to \(directory) (errno \(errno))")
        }
        fputs(text, file)
        fclose(file)
    }

    private func removeDirectory() {
        for name in ["bus", "bus.conf"] { unlink("\(directory)/\(name)") }
        rmdir(directory)
    }

    private static func says(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        var count: Int
        repeat { count = read(descriptor, &byte, 1) } while count < 0 && errno == EINTR
        return count == 1
    }
}

/// The reason why there is no private bus, as a sentence.
package struct PrivateBusError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
