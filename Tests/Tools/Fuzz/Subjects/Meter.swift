import Foundation
import Glibc

/// Measures the processor time of inputs, and the growth of memory.
package struct Meter {
    /// Without optimisation ten times as long says the same.
    #if DEBUG
    package static let longest = 0.1
    #else
    package static let longest = 0.010
    #endif
    package static let largest = 1 << 20

    package struct Result {
        package var inputs = 0
        package var slowest = 0.0
        package var growth = 0
        package var problems: [String] = []
    }

    private static let batch = 256

    /// Feeds a subject this many inputs.
    package static func run(_ subject: Subject, inputs: Int, seed: UInt64) -> Result {
        var result = Result()
        // Tables and the like are created once, and belong to no input.
        for warmUp in 0..<UInt64(min(inputs, 200)) { _ = feed(subject, seed: seed &+ warmUp) }
        let total = max(1, inputs / subject.share)
        while result.inputs < total {
            let count = min(batch, total - result.inputs)
            resetPeak()
            let before = resident()
            for _ in 0..<count {
                let own = seed &+ UInt64(result.inputs)
                let start = seconds()
                let problem = feed(subject, seed: own)
                var cost = seconds() - start
                if cost > longest { cost = min(cost, again(subject, seed: own)) }
                result.inputs += 1
                result.slowest = max(result.slowest, cost)
                if let problem { note("seed \(own): \(problem)", &result) }
                if cost > longest { note("seed \(own): \(Int(cost * 1000)) ms", &result) }
            }
            let growth = peak() - before
            result.growth = max(result.growth, growth)
            if growth > largest {
                note("seeds \(seed &+ UInt64(result.inputs - count))…: \(growth / 1024) KiB", &result)
            }
        }
        return result
    }

    /// Returns the time of an input when it is repeated, without the kernel's first work for it.
    private static func again(_ subject: Subject, seed: UInt64) -> Double {
        let start = seconds()
        _ = feed(subject, seed: seed)
        return seconds() - start
    }

    /// Each input has a seed of its own, so that it can be fed again alone.
    private static func feed(_ subject: Subject, seed: UInt64) -> String? {
        var dice = Dice(seed: seed)
        return subject.feed(&dice)
    }

    private static func note(_ problem: String, _ result: inout Result) {
        if result.problems.count < 10 { result.problems.append(problem) }
    }

    /// Returns the processor time of this thread, without other threads and processes.
    private static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    // MARK: Memory

    private static let resetFile = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
    private static let statusFile = open("/proc/self/status", O_RDONLY | O_CLOEXEC)

    private static func resetPeak() { _ = write(resetFile, "5", 1) }

    package static func resident() -> Int { status("VmRSS:") }

    private static func peak() -> Int { status("VmHWM:") }

    private static func status(_ key: String) -> Int {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = pread(statusFile, &buffer, buffer.count, 0)
        guard count > 0 else { return 0 }
        for line in String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "\n")
        where line.hasPrefix(key) {
            return (Int(line.split { !$0.isNumber }.first ?? "") ?? 0) * 1024
        }
        return 0
    }
}
