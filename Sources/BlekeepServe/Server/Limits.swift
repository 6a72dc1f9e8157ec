import NIOCore

/// What the server allows its clients.
enum Limits {
    /// The most connections, and how many of them may follow events, so that others find room.
    static let connections = 320
    static let followers = 256
    /// The most connections beyond these, which get the answer that there is no room.
    static let refusals = 64
    static let requestBytes = 16 << 10
    /// The time for a client to send a request, or to begin the next one.
    static let request: TimeAmount = .seconds(10)
    static let idle: TimeAmount = .seconds(60)
    /// The time in which bytes after a bad request are ignored.
    static let ending: TimeAmount = .seconds(2)
    /// The time for a client to take a part of an answer.
    static let part: TimeAmount = .seconds(60)
    /// The time between two signs of life to a client that follows events.
    static let heartbeat: TimeAmount = .seconds(25)
    /// The pause after new readings couldn't be read.
    static let retry: TimeAmount = .seconds(5)
}
