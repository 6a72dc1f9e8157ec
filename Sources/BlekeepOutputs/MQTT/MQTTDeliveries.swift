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
        /// The number of readings in each message.
        var messages: [Int: Int]
    }

    private var batches: [Batch] = []

    /// The number of readings in a message; `nil` for a message that carries none.
    func readings(in message: Int) -> Int? { batches.lazy.compactMap { $0.messages[message] }.first }

    /// - Parameter messages: the number of readings in each message.
    mutating func add(_ messages: [Int: Int], key: Int?) {
        if !messages.isEmpty { batches.append(Batch(key: key, messages: messages)) }
    }

    /// - Returns: `nil` for a message that carries no readings.
    mutating func confirm(_ message: Int) -> Confirmation? {
        guard let index = batches.firstIndex(where: { $0.messages[message] != nil }) else { return nil }
        batches[index].messages[message] = nil
        guard batches[index].messages.isEmpty else { return .part }
        return .batch(batches.remove(at: index).key)
    }
}
