internal import CLinux
internal import Glibc
import Synchronization

extension RunLoop {
    /// Calls `action` on the loop for each of these signals, instead of their default action. Call it before starting
    /// threads: it blocks the signals in the calling thread and in threads that it starts.
    package func onSignals(_ numbers: [Int32], action: @escaping (Int32) -> Void) throws(RunLoopError) -> Watch {
        var set = sigset_t()
        sigemptyset(&set)
        SignalReader.direct(numbers)
        for number in numbers { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let descriptor = signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
        guard descriptor >= 0 else { throw .descriptors(errno) }
        return watch(descriptor, for: Int16(POLLIN)) { _ in
            var info = signalfd_siginfo()
            // The kernel keeps one of each number.
            for _ in numbers where read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size) > 0 {
                action(Int32(bitPattern: info.ssi_signo))
            }
        }
    }
}

/// Hands a signal that another thread got to the thread that reads it: swift-subprocess waits for commands in a thread that
/// blocks no signal (`epoll_pwait` with an empty mask).
private enum SignalReader {
    private static let thread = Atomic<pthread_t>(0)

    static func direct(_ numbers: [Int32]) {
        thread.store(pthread_self(), ordering: .relaxed)
        for number in numbers {
            // Only a system call here: the signal may have interrupted anything.
            let before = signal(number) { pthread_kill(SignalReader.thread.load(ordering: .relaxed), $0) }
            // As nohup(1) starts programs.
            if unsafeBitCast(before, to: Int.self) == ignored { signal(number, SIG_IGN) }
        }
    }

    private static let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
}
