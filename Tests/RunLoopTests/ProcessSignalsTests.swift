import Glibc
import Testing

@testable import RunLoop

@Suite struct ProcessSignalsTests {
    /// As swift-subprocess's thread, which blocks no signal. Without this, the signal would end the process.
    @Test func aSignalReachesTheLoopFromAThreadThatDoesNotBlockIt() throws {
        let loop = try RunLoop()
        let gate = Gate(loop)
        nonisolated(unsafe) var numbers: [Int32] = []
        let watch = try loop.onSignals([SIGUSR2]) { number in
            numbers.append(number)
            gate.open()
        }
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { _ in
                var none = sigset_t()
                sigemptyset(&none)
                pthread_sigmask(SIG_SETMASK, &none, nil)
                pthread_kill(pthread_self(), SIGUSR2)
                return nil
            }, nil)
        try #require(code == 0)
        try loop.run { await gate.wait() }
        pthread_join(thread, nil)
        loop.unwatch(watch)
        #expect(numbers == [SIGUSR2])
    }
}
