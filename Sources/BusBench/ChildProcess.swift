import Glibc

/// A program that tests and simulations start, and that may be killed at any moment.
///
/// Not swift-subprocess: its programs end with the closure that they are handed to, its threads start and reap them,
/// and it can only be awaited. A `PrivateBus` starts in an `init` and ends in a `deinit`, and runs in virtual time, too.
package enum ChildProcess {
    /// Starts a program with these as standard input, output and error, and nothing else of ours: no descriptor, no
    /// signal mask, no ignored signal.
    ///
    /// - Parameter error: `nil` for none.
    package static func spawn(
        _ arguments: [String], _ input: Int32, _ output: Int32, _ error: Int32? = nil
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        if let error {
            posix_spawn_file_actions_adddup2(&actions, error, 2)
        } else {
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
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

    /// Two ends, closed on exec: what is written to one can be read from the other.
    package struct Pipe {
        package let read: Int32
        package let write: Int32

        package init() throws {
            var ends: [Int32] = [-1, -1]
            // Unlike a pipe's, these ends can be had closed on exec from the very beginning.
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw PrivateBusError("no pipe (errno \(errno))") }
            (read, write) = (ends[0], ends[1])
        }
    }
}
