/// The messages that the broker hasn't confirmed, by the batch of readings that they carry.
struct MQTTDeliveries {
    enum Confirmation: Hashable {
        /// A message of a batch that has others.
        case part
        /// The last message of a batch, and the batch's key, if it has one.
        case batch(Int?)
    }

    private struct Batch {
        let key: Int?
        var messages: Set<Int32>
    }

    private var batches: [Batch] = []

    var isEmpty: Bool { batches.isEmpty }

    /// Whether this message carries readings.
    func contains(_ message: Int32) -> Bool { batches.contains { $0.messages.contains(message) } }

    mutating func add(_ messages: [Int32], key: Int?) {
        if !messages.isEmpty { batches.append(Batch(key: key, messages: Set(messages))) }
    }

    /// - Returns: `nil` for a message that carries no readings.
    mutating func confirm(_ message: Int32) -> Confirmation? {
        guard let index = batches.firstIndex(where: { $0.messages.contains(message) }) else { return nil }
        batches[index].messages.remove(message)
        guard batches[index].messages.isEmpty else { return .part }
        return .batch(batches.remove(at: index).key)
    }
}
