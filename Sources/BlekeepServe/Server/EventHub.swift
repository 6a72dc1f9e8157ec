import BlekeepHistory
import Logging
import NIOCore
import RunLoop

/// Hands new readings to the clients that follow them. Without clients, it follows nothing.
///
/// Each client has a position in the history, and at most one page on its way. Clients that have everything up to `tip`
/// share the next page. Others read their own, so that a slow one delays none and takes no memory. Only the connections'
/// thread uses it.
final class EventHub: @unchecked Sendable {
    private let thread: HistoryThread
    private let eventLoop: any EventLoop
    private let log: Logger
    private let follower: HistoryFollower
    private var followers: [ObjectIdentifier: EventFollower] = [:]
    /// The last number that was read for all.
    private var tip: Int64 = 0
    private var isReading = false
    /// Whether the history changed since the last read began.
    private var isStale = false
    private var heartbeat: RepeatedTask?

    init(_ thread: HistoryThread, on eventLoop: any EventLoop, log: Logger) {
        self.thread = thread
        self.eventLoop = eventLoop
        self.log = log
        let news = News()
        follower = HistoryFollower(path: thread.history.path, on: thread.loop) {
            eventLoop.execute { news.hub?.changed() }
        }
        news.hub = self
    }

    private final class News: @unchecked Sendable { weak var hub: EventHub? }

    var hasRoom: Bool { followers.count < Limits.followers }

    // MARK: Clients

    func add(_ client: EventFollower) {
        followers[ObjectIdentifier(client)] = client
        if followers.count == 1 {
            tip = client.position
            setFollowing(true)
            beginHeartbeat()
        }
        client.write(EventPage.greeting)
        // What came since the client's position was read.
        changed()
    }

    func remove(_ client: EventFollower) {
        guard followers.removeValue(forKey: ObjectIdentifier(client)) != nil, followers.isEmpty else { return }
        setFollowing(false)
        heartbeat?.cancel()
        heartbeat = nil
    }

    private func setFollowing(_ isOn: Bool) {
        let follower = UnsafeTransfer(follower)
        thread.loop.perform { isOn ? follower.value.start() : follower.value.stop() }
    }

    private func beginHeartbeat() {
        heartbeat = eventLoop.scheduleRepeatedTask(initialDelay: Limits.heartbeat, delay: Limits.heartbeat) {
            [weak self] _ in
            guard let self else { return }
            for client in followers.values where client.isIdle { client.write(EventPage.heartbeat) }
        }
    }

    // MARK: Readings

    private func changed() {
        isStale = true
        readTip()
    }

    private func readTip() {
        guard isStale, !isReading, !followers.isEmpty else { return }
        (isStale, isReading) = (false, true)
        let after = tip
        thread.run(on: eventLoop) { try $0.events(after: after) }.assumeIsolated().whenComplete { result in
            self.isReading = false
            switch result {
            case .success(let page): self.share(page, after: after)
            case .failure(let error):
                self.log.debug("can't read new readings: \(error)")
                _ = self.eventLoop.scheduleTask(in: Limits.retry) { self.changed() }
            }
            self.readTip()
        }
    }

    private func share(_ page: EventPage, after: Int64) {
        if page.isFull { isStale = true }
        tip = page.last
        let buffer = ByteBuffer(bytes: page.bytes)
        for client in followers.values {
            // An older history took the place of this one: its numbers come again.
            if page.last < after, client.position > page.last { client.position = page.last }
            if client.isIdle, client.position == after, page.last > after {
                client.position = page.last
                if buffer.readableBytes > 0 { client.write(buffer) }
            } else {
                catchUp(client)
            }
        }
    }

    /// Gives a client the next page of what it lacks, if it took the last one.
    func catchUp(_ client: EventFollower) {
        guard client.isIdle, !client.isReading, client.position < tip, followers[ObjectIdentifier(client)] != nil else {
            return
        }
        client.isReading = true
        let after = client.position
        thread.run(on: eventLoop) { try $0.events(after: after) }.assumeIsolated().whenComplete { result in
            client.isReading = false
            guard case .success(let page) = result, self.followers[ObjectIdentifier(client)] != nil else { return }
            // The tip may have passed this page.
            client.position = page.last
            if page.bytes.isEmpty { self.catchUp(client) } else { client.write(ByteBuffer(bytes: page.bytes)) }
        }
    }
}

/// A value that another thread uses from now on.
struct UnsafeTransfer<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// A client that follows new readings.
final class EventFollower {
    /// The number of the last reading that the client has, or that is on its way to it.
    var position: Int64
    /// Whether a page is being read for it.
    var isReading = false
    private var isWriting = false
    private let send: (ByteBuffer) -> EventLoopFuture<Void>
    private let onWritten: (EventFollower) -> Void

    /// - Parameters:
    ///   - send: sends a part of the answer. The future is complete when the client's socket took it.
    ///   - onWritten: called then.
    init(
        after position: Int64, send: @escaping (ByteBuffer) -> EventLoopFuture<Void>,
        onWritten: @escaping (EventFollower) -> Void
    ) {
        self.position = position
        self.send = send
        self.onWritten = onWritten
    }

    /// Whether the client took everything that was sent, and nothing is being read for it.
    var isIdle: Bool { !isWriting && !isReading }

    func write(_ bytes: [UInt8]) { write(ByteBuffer(bytes: bytes)) }

    func write(_ buffer: ByteBuffer) {
        isWriting = true
        send(buffer).assumeIsolated().whenSuccess {
            self.isWriting = false
            self.onWritten(self)
        }
    }
}
