import RunLoop

/// Finds the lines that a server refuses, when it refuses a request as a whole. Pure.
///
/// Of many lines, it tries some alone. If the server takes none of them, all count as refused, so that the number of requests
/// stays small where a server wants none of 100,000 lines. Otherwise, it tries the lines in between, down to those refused.
struct Bisection {
    private struct Sampling {
        let lines: Range<Int>
        var samples: [Int]
        var tried = 0
        var refused: [Int] = []
        var sample: Int { samples[tried] }
    }

    private var waiting: [Range<Int>]
    private var sampling: Sampling?
    private let count: Int
    private let samples: Int
    /// How many lines the server refused, and its last reason.
    private(set) var refused = 0
    private(set) var reason = ""
    /// Whether the server took a part of the lines.
    private(set) var hasAccepted = false

    /// - Parameter samples: the number of lines to try alone when the server refuses all of them.
    init(count: Int, samples: Int = Self.maxSamples) {
        waiting = count > 0 ? [0..<count] : []
        self.count = count
        self.samples = samples
    }

    static let maxSamples = 16
    /// The number of samples after many batches of which the server took none.
    static let minSamples = 8

    /// The lines to send next; `nil` at the end.
    var next: Range<Int>? { sampling.map { $0.sample..<$0.sample + 1 } ?? waiting.last }

    /// The lines that were neither taken nor refused.
    var rest: [Range<Int>] { (sampling.map { [$0.lines] } ?? []) + waiting.reversed() }

    /// Whether no line is being tried in place of others.
    var canPause: Bool { sampling == nil }

    /// - Parameter refused: how many of the lines the server refused, while it took the others.
    mutating func accepted(refused count: Int = 0, _ reason: String = "") {
        refused += count
        if count > 0 { self.reason = reason }
        hasAccepted = true
        if sampling == nil { waiting.removeLast() } else { tried(isRefused: false) }
    }

    mutating func refused(_ reason: String) {
        self.reason = reason
        guard sampling == nil else { return tried(isRefused: true) }
        guard let lines = waiting.last else { return }
        let samples = lines.count == count ? samples : Self.maxSamples
        guard lines.count > 2 * samples else { return halve(reason) }
        waiting.removeLast()
        sampling = Sampling(lines: lines, samples: (0..<samples).map { Self.sample($0, of: samples, in: lines) })
    }

    /// The last sample is the newest line. The others have no even distances, as the lines of two devices may alternate.
    private static func sample(_ index: Int, of samples: Int, in lines: Range<Int>) -> Int {
        guard index < samples - 1 else { return lines.upperBound - 1 }
        let start = lines.lowerBound + index * lines.count / samples
        let size = lines.count / samples
        return start + Int(SplitMix64.number(seed: UInt64(start)) % UInt64(size))
    }

    /// Sends the next lines in halves.
    mutating func halve(_ reason: String) {
        self.reason = reason
        guard sampling == nil else { return tried(isRefused: true) }
        guard let lines = waiting.popLast() else { return }
        guard lines.count > 1 else {
            refused += 1
            return
        }
        let middle = lines.lowerBound + lines.count / 2
        // The first half comes first.
        waiting += [middle..<lines.upperBound, lines.lowerBound..<middle]
    }

    private mutating func tried(isRefused: Bool) {
        guard var sampling else { return }
        if isRefused { sampling.refused.append(sampling.sample) }
        sampling.tried += 1
        guard sampling.tried == sampling.samples.count else {
            self.sampling = sampling
            return
        }
        self.sampling = nil
        guard sampling.refused.count < sampling.samples.count else {
            refused += sampling.lines.count
            return
        }
        refused += sampling.refused.count
        let starts = [sampling.lines.lowerBound] + sampling.samples.map { $0 + 1 }
        waiting += zip(starts, sampling.samples).map { $0..<$1 }.filter { !$0.isEmpty }.reversed()
    }
}
