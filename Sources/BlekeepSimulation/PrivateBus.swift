import DBus
import Glibc

/// A real dbus-daemon of our own, on a socket in a fresh directory that only we may enter.
///
/// A small shell stands guard over it: it kills the daemon and removes the directory as soon as its standard input
/// ends, which happens when we stop it and also when we are killed ourselves.
public final class PrivateBus {
    /// What clients connect to; the same after `restart()`.
    public let address: String
    private let directory: String
    private var guardian: pid_t = 0
    private var leash: Int32 = -1

    /// Returns when the daemon takes connections.
    ///
    /// - Throws: `PrivateBusError` when there is no dbus-daemon, or it does not start.
    public init() throws {
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
    public func stop() {
        kill()
        removeDirectory()
    }

    /// Kills the daemon and starts another one on the same address.
    public func restart() throws {
        kill()
        try start()
    }

    /// Kills the daemon: every client loses its connection at once.
    @discardableResult
    public func kill() -> Bool {
        guard guardian > 0 else { return false }
        _ = write(leash, "k\n", 2)
        abandon()
        return true
    }

    /// Lets go of the guardian without a word, as the kernel does when we are killed.
    func abandon() {
        close(leash)
        waitpid(guardian, nil, 0)
        guardian = 0
    }

    // MARK: The daemon

    /// Starts the daemon on the same address as before.
    public func start() throws {
        guard guardian == 0 else { return }
        try writeConfiguration()
        let (input, output) = (try Pipe(), try Pipe())
        guardian = try Self.spawn(
            ["/bin/sh", "-c", Self.guardianScript, "blekeep-bus", directory], input.read, output.write)
        close(input.read)
        close(output.write)
        leash = input.write
        defer { close(output.read) }
        guard Self.says(output.read) else {
            kill()
            throw PrivateBusError("dbus-daemon did not start; is the package dbus-daemon installed?")
        }
    }

    /// The daemon says its address when it is ready. One letter before the end means killing it and nothing more.
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
        let parts = Self.configuration.split(separator: "@SOCKET@", omittingEmptySubsequences: false)
        let text = parts.joined(separator: "\(directory)/bus")
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
        var octet: UInt8 = 0
        var count: Int
        repeat { count = read(descriptor, &octet, 1) } while count < 0 && errno == EINTR
        return count == 1
    }

    /// Starts a program with these as standard input and output, and nothing else of ours: no descriptor, no signal
    /// mask, no ignored signal.
    private static func spawn(_ arguments: [String], _ input: Int32, _ output: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        for descriptor: Int32 in 3..<256 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, arguments[0], &actions, &attributes, &words, environ)
        guard code == 0 else { throw PrivateBusError("cannot start \(arguments[0]) (errno \(code))") }
        return child
    }

    private struct Pipe {
        let read: Int32
        let write: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            // Unlike a pipe's, these ends can be had closed on exec from the very beginning.
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw PrivateBusError("no pipe (errno \(errno))") }
            (read, write) = (ends[0], ends[1])
        }
    }
}

/// Why there is no private bus; a sentence for people.
public struct PrivateBusError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
