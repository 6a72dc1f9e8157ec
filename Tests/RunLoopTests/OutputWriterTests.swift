import Glibc
import Subprocess
import Testing

@testable import RunLoop

/// Real pipes, sockets and terminals without a reader.
struct OutputWriterTests {
    enum Place: CaseIterable {
        case pipe, sockets, terminal
        /// A pipe and a terminal of another user: they can't be opened again.
        case foreignPipe, foreignTerminal

        func open() throws -> Descriptors {
            switch self {
            case .pipe, .foreignPipe: try .pipe()
            case .sockets: try .sockets()
            case .terminal, .foreignTerminal: try .terminal()
            }
        }

        var reopens: Bool { self != .foreignPipe && self != .foreignTerminal }
    }

    /// The events that a writer reported.
    private final class Reports: @unchecked Sendable {
        var stalls = 0
        var missed: [Int] = []
        var hangups = 0
    }

    private static func line(_ number: Int) -> [UInt8] {
        Array("\(number) \(String(repeating: "x", count: 90))\n".utf8)
    }

    @Test(arguments: Place.allCases)
    func dropsWholeLinesWhileTheReaderStallsAndContinuesWhenItReads(_ place: Place) async throws {
        let (text, reports, dropped, leaked) = try await onRunLoop { loop in
            let ends = try place.open()
            let writer = OutputWriter(ends.writing)
            let reports = Reports()
            writer.onStall = { reports.stalls += 1 }
            writer.onResume = { reports.missed.append($0) }
            writer.attach(to: loop, limit: 10_000, reopens: place.reopens)
            // More than any of these places holds by itself.
            for number in 0..<20_000 { try writer.write(Self.line(number)) }
            #expect(writer.isStalled && !writer.isIdle)
            let leaked = ends.isNonBlocking
            var text = ""
            let reading = loop.watch(ends.reading, for: Int16(POLLIN)) { _ in text += ends.read() }
            while writer.isStalled { try await loop.sleep(until: loop.now + .milliseconds(1)) }
            try writer.write(Self.line(99_999))
            while !text.hasSuffix(String(decoding: Self.line(99_999), as: UTF8.self)) {
                try await loop.sleep(until: loop.now + .milliseconds(1))
            }
            loop.unwatch(reading)
            try writer.finish()
            return (text, reports, writer.droppedLines, leaked)
        }
        let numbers = text.split(separator: "\n").map { $0.utf8.count > 90 ? Int($0.prefix { $0 != " " }) : nil }
        let kept = numbers.count - 1
        #expect(numbers.last == 99_999)
        #expect(dropped == 20_000 - kept)
        #expect(reports.missed.reduce(0, +) == dropped)
        #expect(reports.stalls == reports.missed.count)
        if place.reopens {
            #expect(numbers.dropLast().map { $0 ?? -1 } == Array(0..<kept))
            #expect(reports.stalls == 1)
        } else {
            // The process that copies makes room while the lines come: more than one part may be missing.
            let whole = numbers.compactMap { $0 }
            #expect(whole.count == numbers.count && whole == Set(whole).sorted())
        }
        #expect(!leaked)
    }

    @Test(arguments: Place.allCases)
    func dropsNoLineWithoutALimit(_ place: Place) async throws {
        let expected = (0..<10_000).map { String(decoding: Self.line($0), as: UTF8.self) }.joined()
        let text = try await onRunLoop { loop in
            let ends = try place.open()
            let writer = OutputWriter(ends.writing)
            writer.attach(to: loop, limit: nil, reopens: place.reopens)
            for number in 0..<10_000 { try writer.write(Self.line(number)) }
            var text = ""
            let reading = loop.watch(ends.reading, for: Int16(POLLIN)) { _ in text += ends.read() }
            try await writer.hasRoom()
            while text.utf8.count < expected.utf8.count {
                try await loop.sleep(until: loop.now + .milliseconds(1))
            }
            try writer.finish()
            loop.unwatch(reading)
            return text + ends.read()
        }
        #expect(text == expected)
    }

    @Test func leavesThePipeOfAnotherProgramAsItIs() async throws {
        let flags = try await onRunLoop { loop in
            let ends = try Descriptors.pipe()
            // It shares the open file description, as a program does that was started before the same pipe.
            return try await Subprocess.run(
                .path("/bin/sleep"), arguments: ["60"],
                input: .fileDescriptor(.init(rawValue: ends.reading), closeAfterSpawningProcess: false),
                output: .fileDescriptor(.init(rawValue: ends.writing), closeAfterSpawningProcess: false),
                error: .discarded
            ) { other in
                let writer = OutputWriter(ends.writing)
                writer.attach(to: loop, limit: 1000)
                for number in 0..<100 { try writer.write(Self.line(number)) }
                #expect(writer.isStalled)
                let flags = try Self.flags(ofOutputOf: other.processIdentifier.value)
                try other.send(signal: .kill)
                return flags
            }.closureResult
        }
        #expect(flags & O_NONBLOCK == 0)
    }

    /// Returns the flags of a process's standard output, as the kernel reports them.
    private static func flags(ofOutputOf process: pid_t) throws -> Int32 {
        let file = try #require(fopen("/proc/\(process)/fdinfo/1", "re"))
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 512)
        let count = fread(&text, 1, text.count - 1, file)
        let lines = String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let flags = lines.split(separator: "\n").first { $0.hasPrefix("flags:") }
        return try #require(flags?.split(separator: "\t").last.flatMap { Int32($0, radix: 8) })
    }

    @Test func continuesOnATerminalThatWasStoppedAndStarted() async throws {
        let text = try await onRunLoop { loop in
            let ends = try Descriptors.terminal()
            // Ctrl-S.
            try #require(tcflow(ends.writing, TCOOFF) == 0)
            let writer = OutputWriter(ends.writing)
            writer.attach(to: loop, limit: 1000)
            try writer.write(Self.line(1))
            #expect(ends.read().isEmpty)
            try #require(tcflow(ends.writing, TCOON) == 0)
            var text = ""
            while !text.hasSuffix("\n") {
                try await loop.sleep(until: loop.now + .milliseconds(1))
                text += ends.read()
            }
            #expect(writer.isIdle)
            return text
        }
        #expect(text == String(decoding: Self.line(1), as: UTF8.self))
    }

    @Test(arguments: Place.allCases)
    func reportsThatTheReaderHasGone(_ place: Place) async throws {
        let (codes, hangups) = try await onRunLoop { loop in
            var codes: [Int32] = []
            let reports = Reports()
            for limit in [nil, 1000] {
                let ends = try place.open()
                let writer = OutputWriter(ends.writing)
                writer.onHangup = { reports.hangups += 1 }
                writer.attach(to: loop, limit: limit, reopens: place.reopens)
                ends.closeReading()
                do throws(OutputWriter.Failure) {
                    // A process that copies reports it later.
                    for number in 0..<60_000 where number < 2 || reports.hangups == 0 {
                        try writer.write(Self.line(number))
                        try? await loop.sleep(until: loop.now + .milliseconds(1))
                    }
                    codes.append(0)
                } catch { codes.append(error.code) }
            }
            return (codes, reports.hangups)
        }
        switch place {
        case .pipe, .foreignPipe, .sockets: #expect(codes == [EPIPE, EPIPE] && hangups == 0)
        // The poller continues when its terminal is closed.
        case .terminal, .foreignTerminal: #expect(codes == [EIO, 0] && hangups == 1)
        }
    }

    @Test(arguments: [true, false])
    func leavesNoProcessBehind(isRead: Bool) async throws {
        try await onRunLoop { _ in
            let ends = try Descriptors.pipe()
            let output = try OutputDescriptor(ends.writing, reopens: false)
            guard case .copied(let process) = output.kind else {
                Issue.record("\(output.kind)")
                return
            }
            var isFull = false
            while !isFull {
                switch Self.line(1).withUnsafeBytes({ output.write($0) }) {
                case .wrote: isFull = isRead
                case .full: isFull = true
                case .failed(let code): throw OutputWriter.Failure(code: code)
                }
            }
            output.end(milliseconds: isRead ? -1 : 0)
            #expect(kill(process, 0) != 0 && errno == ESRCH)
            if isRead { #expect(ends.read() == String(decoding: Self.line(1), as: UTF8.self)) }
        }
    }

    /// Opening it again would make another terminal.
    @Test func doesNotOpenTheEmulatorsSideOfATerminalAgain() throws {
        let ends = try Descriptors.emulator()
        let output = try OutputDescriptor(ends.writing)
        defer { output.end(milliseconds: 0) }
        guard case .copied = output.kind else {
            Issue.record("\(output.kind)")
            return
        }
    }

    @Test func waitsForItsReaderWithoutALoop() async throws {
        let ends = try Descriptors.pipe()
        let writer = OutputWriter(ends.writing)
        // As a program does that shares it: then a write doesn't wait by itself.
        _ = fcntl(ends.writing, F_SETFL, fcntl(ends.writing, F_GETFL) | O_NONBLOCK)
        try LoopThread.start {
            for number in 0..<200 { try? writer.write(Self.line(number)) }
        }
        var text = ""
        while text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) < 200 {
            text += ends.read()
            await Task.yield()
        }
        #expect(text == (0..<200).map { String(decoding: Self.line($0), as: UTF8.self) }.joined())
    }
}

struct OutputQueueTests {
    private func waiting(_ queue: OutputQueue) -> String {
        queue.withWaiting { String(decoding: $0, as: UTF8.self) }
    }

    /// Adds lines, and drops those that there is no room for.
    private func add(_ text: String, to queue: inout OutputQueue) -> Int {
        queue.drop(queue.add(Array(text.utf8)[...]))
    }

    @Test func keepsEverythingWithoutALimit() {
        var queue = OutputQueue(limit: nil)
        for _ in 0..<1000 { #expect(add("a line\n", to: &queue) == 0) }
        #expect(queue.count == 7000)
        #expect(queue.missed == nil)
    }

    @Test func dropsWholeLinesThatExceedTheLimit() {
        var queue = OutputQueue(limit: 10)
        #expect(add("one\ntwo\nthree\n4\n", to: &queue) == 2)
        #expect(waiting(queue) == "one\ntwo\n")
        #expect(queue.missed == 2)
    }

    @Test func dropsEveryLineUntilTheReaderHasReadAll() {
        var queue = OutputQueue(limit: 10)
        #expect(add("one\ntwo\nthree\n", to: &queue) == 1)
        queue.remove(first: 6)
        // There is room for it, but it would leave a second gap.
        #expect(add("4\n", to: &queue) == 1)
        #expect(queue.resume() == nil)
        queue.remove(first: 2)
        #expect(queue.resume() == 2)
        #expect(queue.resume() == nil)
        #expect(add("5\n", to: &queue) == 0)
        #expect(waiting(queue) == "5\n")
    }

    @Test func finishesALineThatIsPartlyWritten() {
        var queue = OutputQueue(limit: 10)
        _ = add("12345678\n", to: &queue)
        queue.remove(first: 4)
        #expect(add("9 does not fit\n", to: &queue) == 1)
        #expect(waiting(queue) == "5678\n")
    }

    @Test func dropsALineThatIsLongerThanTheLimitAndGoesOn() {
        var queue = OutputQueue(limit: 4)
        #expect(add("12345678\n", to: &queue) == 1)
        #expect(queue.resume() == 1)
        #expect(add("1\n", to: &queue) == 0)
    }

    @Test func removesWhatIsReadInAnyPortions() {
        var queue = OutputQueue(limit: nil)
        var read = ""
        var text = ""
        for number in 0..<200 {
            text += "line \(number)\n"
            _ = add("line \(number)\n", to: &queue)
            let count = min(number % 13, queue.count)
            read += waiting(queue).prefix(count)
            queue.remove(first: count)
        }
        #expect(read + waiting(queue) == text)
    }
}
