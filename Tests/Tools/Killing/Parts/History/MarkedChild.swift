import BlekeepSimulation
import BusBench
import Glibc

/// This program once more as a `HistoryWriter`, to be killed at a moment of its work.
struct MarkedChild {
    /// The reports of a process before it was killed.
    struct Marks {
        var marks: [(HistoryWriter.Mark, Int64)] = []
        /// Why it ended by itself.
        var failure: String?
    }

    private let pid: pid_t
    private let leash: Int32
    private let output: Int32

    init(_ words: [String], of program: String) throws {
        let (input, output) = (try ChildProcess.Pipe(), try ChildProcess.Pipe())
        pid = try ChildProcess.spawn([program, "as"] + words, input.read, output.write)
        close(input.read)
        close(output.write)
        leash = input.write
        self.output = output.read
    }

    /// Kills it this long after it has said so much, and returns all that it said.
    func kill(after count: Int, microseconds: Int) throws -> Marks {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        func read() -> Bool {
            let got = Glibc.read(output, &buffer, buffer.count)
            if got > 0 { bytes += buffer.prefix(got) }
            return got > 0
        }
        while bytes.count < 16 * count, read() {}
        usleep(UInt32(microseconds))
        Glibc.kill(pid, SIGKILL)
        while read() {}
        waitpid(pid, nil, 0)
        close(leash)
        close(output)
        return Self.marks(bytes)
    }

    private static func marks(_ bytes: [UInt8]) -> Marks {
        var marks = Marks()
        var place = 0
        while place + 16 <= bytes.count {
            func number(_ at: Int) -> Int64 {
                bytes[at..<at + 8].reversed().reduce(0) { $0 << 8 | Int64($1) }
            }
            guard let mark = HistoryWriter.Mark(rawValue: number(place)) else { break }
            if mark == .failed {
                marks.failure = String(decoding: bytes[(place + 16)...], as: UTF8.self)
                break
            }
            marks.marks.append((mark, number(place + 8)))
            place += 16
        }
        return marks
    }
}
