import RunLoop

/// The values that wait to be written to a device. Pure.
struct PendingWrites: Sendable {
    struct Write: Sendable, Hashable {
        /// Identifies the write for its answer.
        let number: Int
        let request: WriteRequest
        let deadline: Uptime
    }

    private(set) var waiting: [Write] = []
    private var last = 0

    static let most = 8
    /// How long a write may wait for the device.
    static let patience: Duration = .seconds(60)

    var isEmpty: Bool { waiting.isEmpty }

    /// When the next write has waited too long.
    var deadline: Uptime { waiting.first?.deadline ?? .never }

    /// Adds a write. It replaces one that waits for the same characteristic.
    ///
    /// - Returns: the number of the new write, `nil` when too many wait; and the number of the replaced one.
    mutating func add(_ request: WriteRequest, at now: Uptime) -> (number: Int?, replaced: Int?) {
        let replaced = waiting.firstIndex { $0.request.hasTarget(of: request) }.map { waiting.remove(at: $0).number }
        guard waiting.count < Self.most else { return (nil, replaced) }
        last += 1
        waiting.append(Write(number: last, request: request, deadline: now + Self.patience))
        return (last, replaced)
    }

    /// Removes and returns the oldest write.
    mutating func takeFirst() -> Write? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Removes and returns the writes that waited too long.
    mutating func takeExpired(at now: Uptime) -> [Write] {
        let expired = waiting.prefix { now >= $0.deadline }
        waiting.removeFirst(expired.count)
        return Array(expired)
    }
}
