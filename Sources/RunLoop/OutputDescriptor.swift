internal import CLinux
internal import Glibc

/// A descriptor that can be written without blocking. Its flags don't change, because other programs may share them.
struct OutputDescriptor {
    enum Kind: Equatable {
        /// A file or a device, which doesn't block.
        case file
        /// A socket. Each call has a flag against blocking.
        case socket
        /// A pipe or a terminal, opened again to have separate flags.
        case reopened
        /// A socket to a process that copies to the descriptor, and may block.
        case copied(pid_t)
    }

    enum Outcome {
        case wrote(Int)
        /// There is no room now.
        case full
        /// Writing failed with this errno.
        case failed(Int32)
    }

    let kind: Kind
    /// The descriptor to write to, and to poll.
    let descriptor: Int32

    /// - Parameter reopens: whether to open a pipe or a terminal again, if possible.
    /// - Throws: `RunLoopError.descriptors` when the descriptor isn't open, or the system has none left.
    init(_ original: Int32, reopens: Bool = true) throws(RunLoopError) {
        var file = stat()
        guard fstat(original, &file) == 0 else { throw .descriptors(errno) }
        switch file.st_mode & S_IFMT {
        case S_IFREG: (kind, descriptor) = (.file, original)
        case S_IFCHR where file.st_rdev >> 8 == Self.memoryDevices: (kind, descriptor) = (.file, original)
        case S_IFSOCK: (kind, descriptor) = (.socket, original)
        default:
            if reopens, let own = Self.reopen(original) {
                (kind, descriptor) = (.reopened, own)
            } else {
                let copier = try Self.startCopier(original)
                (kind, descriptor) = (.copied(copier.process), copier.descriptor)
            }
        }
    }

    /// The major number of /dev/null, /dev/full and the like.
    private static let memoryDevices: UInt = 1

    /// Opens a pipe or a terminal again, to have separate flags; `nil` if that isn't possible.
    private static func reopen(_ original: Int32) -> Int32? {
        let own = open("/proc/self/fd/\(original)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard own >= 0 else { return nil }
        // Opening /dev/ptmx or /dev/tty may give another terminal.
        guard isSame(own, original) else {
            close(own)
            return nil
        }
        return own
    }

    private static func isSame(_ first: Int32, _ second: Int32) -> Bool {
        var (one, other) = (stat(), stat())
        guard fstat(first, &one) == 0, fstat(second, &other) == 0 else { return false }
        guard one.st_dev == other.st_dev, one.st_ino == other.st_ino else { return false }
        return one.st_mode & S_IFMT == S_IFIFO || terminal(first) != nil && terminal(first) == terminal(second)
    }

    private static func terminal(_ descriptor: Int32) -> UInt32? {
        var number: UInt32 = 0
        return ioctl(descriptor, blekeep_terminal_device, &number) == 0 ? number : nil
    }

    private static func startCopier(_ original: Int32) throws(RunLoopError) -> (process: pid_t, descriptor: Int32) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .descriptors(errno)
        }
        let process = blekeep_start_copier(ends[1], original)
        let code = errno
        close(ends[1])
        guard process > 0 else {
            close(ends[0])
            throw .descriptors(code)
        }
        return (process, ends[0])
    }

    // MARK: Writing

    /// Writes as much as there is room for.
    func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        while true {
            let count =
                switch kind {
                case .file, .reopened: Glibc.write(descriptor, bytes.baseAddress, bytes.count)
                case .socket, .copied:
                    send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
                }
            if count > 0 { return .wrote(count) }
            switch count == 0 ? EAGAIN : errno {
            case EINTR: continue
            case EAGAIN: return .full
            case EPIPE: return .failed(exitCode ?? EPIPE)
            case let code: return .failed(code)
            }
        }
    }

    /// The errno of the copying process.
    private var exitCode: Int32? {
        guard case .copied(let process) = kind else { return nil }
        var info = siginfo_t()
        // It isn't reaped here: `end` does it.
        let code = waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT)
        guard code == 0, info.si_code == CLD_EXITED else { return nil }
        return info._sifields._sigchld.si_status
    }

    /// Waits for room for at most this many milliseconds; -1 waits forever.
    func waitForRoom(milliseconds: Int32) { wait(for: Int16(POLLOUT), milliseconds) }

    private func wait(for events: Int16, _ milliseconds: Int32) {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        _ = poll(&entry, 1, milliseconds)
    }

    /// Ends the copying process when it has written everything, or after this many milliseconds.
    func end(milliseconds: Int32) {
        switch kind {
        case .file, .socket: break
        case .reopened: close(descriptor)
        case .copied(let process):
            shutdown(descriptor, Int32(SHUT_WR))
            wait(for: Int16(POLLIN), milliseconds)
            close(descriptor)
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
    }
}
