internal import CLinux
internal import Glibc

extension RunLoop {
    /// Calls `action` on the loop for each of these signals, instead of their default action. Call it before starting
    /// threads: it blocks the signals in the calling thread and in threads that it starts.
    package func onSignals(_ numbers: [Int32], _ action: @escaping (Int32) -> Void) throws(RunLoopError) -> Watch {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let descriptor = signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
        guard descriptor >= 0 else { throw .descriptors(errno) }
        return watch(descriptor, for: Int16(POLLIN)) { _ in
            var info = signalfd_siginfo()
            while read(descriptor, &info, MemoryLayout<signalfd_siginfo>.size) > 0 {
                action(Int32(bitPattern: info.ssi_signo))
            }
        }
    }
}
