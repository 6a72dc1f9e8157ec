import Glibc
import Synchronization
import Testing

@testable import RunLoop

@Suite struct BlockingThreadTests {
    /// A call that lasts until `end`.
    private final class Lasting: Sendable {
        private let ends: (read: Int32, write: Int32)

        init() {
            var ends: (Int32, Int32) = (0, 0)
            withUnsafeMutableBytes(of: &ends) { _ = pipe($0.baseAddress?.assumingMemoryBound(to: Int32.self)) }
            self.ends = ends
        }

        deinit {
            close(ends.read)
            close(ends.write)
        }

        func run() -> UInt {
            var byte: UInt8 = 0
            _ = read(ends.read, &byte, 1)
            return UInt(pthread_self())
        }

        func end() {
            var byte: UInt8 = 1
            _ = write(ends.write, &byte, 1)
        }
    }

    @Test func theLoopHasTheResultOfAShortCallAtOnce() throws {
        let loop = try RunLoop()
        try loop.run {
            let thread = BlockingThread(on: loop)
            for number in 0..<100 {
                var result: Int?
                #expect(thread.run(atMost: .seconds(30), { number * 2 }) { result = $0 })
                #expect(result == number * 2 && !thread.isBusy)
            }
        }
    }

    @Test func theLoopGoesOnWhileACallLastsAndHandlesItsEnd() throws {
        let loop = try RunLoop()
        try loop.run {
            let (thread, call, gate) = (BlockingThread(on: loop), Lasting(), Gate(loop))
            var result: UInt?
            let isOver = thread.run(atMost: .milliseconds(1), { call.run() }) {
                result = $0
                #expect(loop.isCurrent)
                gate.open()
            }
            #expect(!isOver && thread.isBusy && result == nil)
            #expect(!thread.wait(atMost: .zero))
            call.end()
            await gate.wait()
            #expect(result != nil && result != UInt(pthread_self()) && !thread.isBusy)
        }
    }

    @Test func aCallThatTheEndOfAnotherBeganIsInProgress() throws {
        let loop = try RunLoop()
        try loop.run {
            let (thread, call, next) = (BlockingThread(on: loop), Lasting(), Lasting())
            var ends = 0
            let isOver = thread.run(atMost: .zero, { call.run() }) { _ in
                ends += 1
                #expect(!thread.run(atMost: .zero, { next.run() }) { _ in ends += 10 })
            }
            #expect(!isOver)
            call.end()
            #expect(!thread.wait(atMost: .seconds(30)) && thread.isBusy && ends == 1)
            next.end()
            #expect(thread.wait(atMost: .seconds(30)) && !thread.isBusy && ends == 11)
        }
    }

    @Test func aLaterWaitHandlesTheEndOnce() throws {
        let loop = try RunLoop()
        try loop.run {
            let (thread, call) = (BlockingThread(on: loop), Lasting())
            var ends = 0
            #expect(!thread.run(atMost: .zero, { call.run() }) { _ in ends += 1 })
            call.end()
            #expect(thread.wait(atMost: .seconds(30)) && ends == 1)
            // The signal of the thread, if it gave one, belongs to the first call.
            let next = Lasting()
            #expect(!thread.run(atMost: .zero, { next.run() }) { _ in ends += 10 })
            try await loop.sleep(until: loop.now + .milliseconds(1))
            #expect(ends == 1)
            next.end()
            #expect(thread.wait(atMost: .seconds(30)) && ends == 11)
        }
    }

    @Test func inVirtualTimeACallTakesAsLongAsItIsSaidToTake() throws {
        let loop = try RunLoop(.virtual)
        try loop.run {
            let thread = BlockingThread(on: loop)
            thread.virtualLength = { .seconds(17) }
            var end: Uptime?
            #expect(!thread.run(atMost: .seconds(1), { 1 }) { _ in end = loop.now })
            try await loop.sleep(until: .start + .seconds(16))
            #expect(thread.isBusy && !thread.wait(atMost: .seconds(1)))
            try await loop.sleep(until: .start + .seconds(18))
            #expect(end == .start + .seconds(17) && !thread.isBusy)
        }
    }
}
