/// Finds messages at which a broker closes the connection: MQTT 3.1.1 has no other answer to a message that a broker doesn't
/// take. Pure.
///
/// After some connections that ended with unconfirmed messages, messages go one at a time. One at which two such connections
/// end, although the broker confirmed others, is skipped from then on, and so is each that is as long, if it was the longest.
struct MQTTPoison {
    /// What tells messages apart.
    struct Fingerprint: Hashable {
        let length: Int
        private let hash: Int

        init(_ topic: String, _ payload: [UInt8]) {
            var hasher = Hasher()
            hasher.combine(topic)
            hasher.combine(payload)
            (length, hash) = (topic.utf8.count + payload.count, hasher.finalize())
        }
    }

    private var ends = 0
    private var suspect: Fingerprint?
    private var skipped: [Fingerprint] = []
    private var minTooLong = Int.max
    private var longestConfirmed = 0

    /// The number of connections that end before messages go one at a time.
    private static let maxEnds = 3
    private static let maxSkipped = 64

    /// Whether to send one message at a time.
    var isIsolating: Bool { ends >= Self.maxEnds }

    func contains(_ message: Fingerprint) -> Bool { message.length >= minTooLong || skipped.contains(message) }

    /// Takes the end of a connection that the broker closed without a reason, or because of a message.
    ///
    /// - Parameters:
    ///   - unconfirmed: the messages without an answer.
    ///   - longest: the length of the longest message that the broker confirmed; 0 without any.
    ///   - hasLasted: whether the connection is no part of a series.
    mutating func connectionEnded(unconfirmed: [Fingerprint], longest: Int, hasLasted: Bool) {
        longestConfirmed = max(longestConfirmed, longest)
        let wasIsolating = isIsolating
        ends = unconfirmed.isEmpty || hasLasted ? 0 : ends + 1
        guard wasIsolating, longest > 0, unconfirmed.count == 1, let message = unconfirmed.first else { return }
        let isLongest = message.length > longestConfirmed
        guard let before = suspect, before == message || isLongest && before.length > longestConfirmed else {
            suspect = message
            return
        }
        suspect = nil
        if isLongest { minTooLong = min(before.length, message.length) }
        skipped = skipped.suffix(Self.maxSkipped - 1) + [message]
    }
}
