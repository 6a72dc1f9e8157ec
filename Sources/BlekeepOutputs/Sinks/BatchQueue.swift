import RunLoop

/// The readings that wait for a request, as text, and the keys of their confirmations. Pure.
///
/// New readings wait until a request is full or the oldest has waited long enough. The backlog doesn't wait.
package struct BatchQueue {
    package struct Line: Hashable {
        package let bytes: [UInt8]
        package let key: Int
    }

    private var live: [Line] = []
    private var backlog: [Line] = []
    private var liveBytes = 0
    /// When the oldest new reading came.
    private var oldest = Uptime.start
    /// The number of unfinished lines for each key.
    private var left: [Int: Int] = [:]
    private var age: Duration
    /// The number of bytes for one request, before compression. It shrinks when the server finds a request too large.
    private(set) var maxBytes = Self.maxBytes

    static let maxLines = 5000
    static let maxBytes = 512 << 10
    static let leastBytes = 1 << 10

    /// - Parameter age: how long a new reading waits for others.
    init(age: Duration) { self.age = age }

    mutating func add(_ lines: [[UInt8]], key: Int, isLive: Bool, at now: Uptime) {
        guard !lines.isEmpty else { return }
        left[key, default: 0] += lines.count
        let lines = lines.map { Line(bytes: $0, key: key) }
        if isLive {
            if live.isEmpty { oldest = now }
            live += lines
            liveBytes += lines.reduce(0) { $0 + $1.bytes.count + 1 }
        } else {
            backlog += lines
        }
    }

    /// Makes new readings wait no more.
    mutating func hurry() { age = .zero }

    /// When the next request is due; `nil` when nothing waits.
    var due: Uptime? {
        if !backlog.isEmpty || live.count >= Self.maxLines || liveBytes >= maxBytes { return .start }
        return live.isEmpty ? nil : oldest + age
    }

    /// Whether a request with new readings is due.
    func isLiveDue(at now: Uptime) -> Bool {
        !live.isEmpty && (live.count >= Self.maxLines || liveBytes >= maxBytes || now >= oldest + age)
    }

    /// Takes the lines of the next request, at least one: new readings if they are due, and otherwise a part of the
    /// backlog. A server that refuses the one must not keep the other from arriving.
    mutating func nextRequest(at now: Uptime) -> (lines: [Line], isLive: Bool) {
        var request: [Line] = []
        var bytes = 0
        let isLive = backlog.isEmpty || isLiveDue(at: now)
        if isLive {
            liveBytes -= Self.move(from: &live, to: &request, bytes: &bytes, maxBytes: maxBytes)
        } else {
            _ = Self.move(from: &backlog, to: &request, bytes: &bytes, maxBytes: maxBytes)
        }
        return (request, isLive)
    }

    /// Returns lines of the backlog, so that new readings come first.
    mutating func putBack(_ lines: [Line]) { backlog = lines + backlog }

    private static func move(
        from lines: inout [Line], to request: inout [Line], bytes: inout Int, maxBytes: Int
    ) -> Int {
        let before = bytes
        var count = 0
        for line in lines {
            let more = bytes + line.bytes.count + 1
            guard request.count < maxLines, request.isEmpty || more <= maxBytes else { break }
            request.append(line)
            (bytes, count) = (more, count + 1)
        }
        lines.removeFirst(count)
        return bytes - before
    }

    /// Sends fewer bytes in a request from now on.
    mutating func shrink(below bytes: Int) { maxBytes = max(Self.leastBytes, min(maxBytes, bytes / 2)) }

    /// Drops all lines.
    mutating func removeAll() { (live, backlog, liveBytes, left) = ([], [], 0, [:]) }

    /// Counts lines that the server has, or refuses for good. Returns the keys without further lines, in order.
    mutating func finish(_ lines: some Sequence<Line>) -> [Int] {
        var done: [Int] = []
        for line in lines {
            guard let count = left[line.key] else { continue }
            left[line.key] = count > 1 ? count - 1 : nil
            if count == 1 { done.append(line.key) }
        }
        return done
    }
}
