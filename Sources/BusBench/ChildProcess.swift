import Glibc

/// A program that tests and simulations start, and may kill at any time.
///
/// swift-subprocess doesn't fit: its programs end with a closure, it uses threads, and it can only be awaited. A
/// `PrivateBus` starts in an `init`, ends in a `deinit`, and also runs in virtual time.
package enum ChildProcess {
    /// Starts a program with these descriptors as standard input, output and error. It inherits no other descriptor, no
    /// signal mask and no ignored signal.
    ///
    /// - Parameter error: `nil` for none.
    package static func spawn(
        _ arguments: [String], _ input: Int32, _ output: Int32, _ error: Int32? = nil
    ) throws -> pid_t {
        try spawn(arguments, POSIX_SPAWN_SETPGROUP) { actions in
            posix_spawn_file_actions_adddup2(&actions, input, 0)
            posix_spawn_file_actions_adddup2(&actions, output, 1)
            if let error {
                posix_spawn_file_actions_adddup2(&actions, error, 2)
            } else {
                posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
            }
        }
    }

    /// Starts a program in a session of its own on a terminal, whose keys and sizes then send it signals.
    ///
    /// - Parameter terminal: the path of the terminal's device.
    package static func spawn(_ arguments: [String], on terminal: String) throws -> pid_t {
        let newSession: Int32 = 0x80
        return try spawn(arguments, newSession) { actions in
            // The first terminal that a session's leader opens controls it.
            posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
            posix_spawn_file_actions_adddup2(&actions, 0, 1)
            posix_spawn_file_actions_adddup2(&actions, 0, 2)
        }
    }

    private static func spawn(
        _ arguments: [String], _ group: Int32, _ open: (inout posix_spawn_file_actions_t) -> Void
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        open(&actions)
        for descriptor: Int32 in 3..<256 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, arguments[0], &actions, &attributes, &words, environ)
        guard code == 0 else { throw PrivateBusError("cannot start \(arguments[0]) (errno \(code))") }
        return child
    }

    /// Returns the two ends of a pipe. Both close on exec.
    package struct Pipe {
        package let read: Int32
        package let write: Int32

        package init() throws {
            var ends: [Int32] = [-1, -1]
            // Unlike a pipe, a socket pair can be created with close-on-exec set.
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw PrivateBusError("no pipe (errno \(errno))") }
            (read, write) = (ends[0], ends[1])
        }
    }
}
