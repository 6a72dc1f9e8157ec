/// Lines that wait for a reader. With a limit, the queue drops whole lines when the reader stops reading.
///
/// After the first dropped line, the queue drops every line until the reader has read the queue. The reader misses one
/// continuous part of the output.
package struct OutputQueue {
    /// The most bytes that wait; `nil` keeps everything.
    private let limit: Int?
    private var bytes: [UInt8] = []
    /// The number of bytes at the start of `bytes` that were read.
    private var start = 0
    /// The number of dropped lines since the reader stopped reading; `nil` while it reads.
    private(set) var missed: Int?

    package init(limit: Int?) {
        self.limit = limit
    }

    package var count: Int { bytes.count - start }
    package var isEmpty: Bool { count == 0 }

    /// Adds as many lines as there is room for. Each ends with a line feed.
    ///
    /// - Returns: the lines without room.
    package mutating func add(_ lines: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard missed == nil else { return lines }
        let room = limit.map { $0 - count } ?? lines.count
        guard lines.count > room else {
            bytes += lines
            return []
        }
        let end = lines.prefix(max(0, room)).lastIndex(of: Self.lineFeed).map { $0 + 1 } ?? lines.startIndex
        bytes += lines[..<end]
        return lines[end...]
    }

    /// Drops these lines, and all later ones until the reader has read the queue.
    ///
    /// - Returns: the number of lines.
    package mutating func drop(_ lines: ArraySlice<UInt8>) -> Int {
        guard !lines.isEmpty else { return 0 }
        let number = lines.count { $0 == Self.lineFeed } + (lines.last == Self.lineFeed ? 0 : 1)
        missed = (missed ?? 0) + number
        return number
    }

    private static let lineFeed = UInt8(ascii: "\n")

    /// Calls `body` with the waiting bytes.
    package func withWaiting<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    /// Removes the first bytes, after they were written.
    package mutating func remove(first number: Int) {
        start += min(number, count)
        if isEmpty {
            bytes = []
            start = 0
        } else if start > bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
    }

    /// Accepts lines again, if the reader has read the queue after it had stopped.
    ///
    /// - Returns: the number of dropped lines; `nil` if the reader didn't stop, or still doesn't read.
    package mutating func resume() -> Int? {
        guard isEmpty, let missed else { return nil }
        self.missed = nil
        return missed
    }

    package mutating func removeAll() {
        bytes = []
        start = 0
    }
}
