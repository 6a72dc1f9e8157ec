import Logging
import NIOCore
import NIOHTTP1

/// A client's connection: takes one request after another, and sends the answers.
final class Connection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: Server
    private let limit: RequestLimit
    private let isRefused: Bool
    private var head: HTTPRequestHead?
    private var hasBody = false
    /// Whether an answer has begun that didn't end.
    private var isAnswering = false
    private var timer: Scheduled<Void>?
    private var follower: EventFollower?

    /// - Parameter isRefused: whether there is no room, so that the client only gets to know that.
    init(_ server: Server, limit: RequestLimit, isRefused: Bool) {
        self.server = server
        self.limit = limit
        self.isRefused = isRefused
    }

    // MARK: The request

    func channelActive(context: ChannelHandlerContext) {
        arm(Limits.request, in: context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            hasBody = false
            if head.waitsWithBody { refuseBody() }
        case .body: hasBody = true
        case .end:
            limit.reset()
            disarm()
            guard let head else { return }
            answer(Request(head, hasBody: hasBody), in: context)
        }
    }

    /// Answers a client that waits for permission to send a body, which no request to this server has.
    private func refuseBody() {
        disarm()
        limit.end(with: Problem(.contentTooLarge, "a request to this server has no body"))
    }

    func channelInactive(context: ChannelHandlerContext) {
        disarm()
        if let follower { server.hub.remove(follower) }
        follower = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let problem: Problem? =
            switch error {
            case is RequestLimit.Exceeded where head == nil:
                Problem(.headersTooLarge, "the request has more than \(Limits.requestBytes) bytes; shorten it")
            case is RequestLimit.Exceeded: Problem(.contentTooLarge, "a request to this server has no body")
            case HTTPParserError.headerOverflow: Problem(.headersTooLarge, "a header of the request is too long")
            case is HTTPParserError: Problem(.badRequest, "the request isn't HTTP/1.1")
            default: nil
            }
        guard let problem, !isAnswering, context.channel.isActive else { return context.close(promise: nil) }
        disarm()
        limit.end(with: problem)
    }

    // MARK: The answer

    private func answer(_ request: Request, in context: ChannelHandlerContext) {
        isAnswering = true
        do throws(Problem) {
            let route = try route(request)
            server.thread.answer(route, encodings: request.encodings, on: context.eventLoop).assumeIsolated()
                .whenSuccess { answer in
                    guard context.channel.isActive else { return }
                    self.send(answer, in: context)
                }
        } catch { send(error.answer(accept: request.accept), in: context) }
    }

    private func route(_ request: Request) throws(Problem) -> Route {
        if isRefused {
            head?.headers.replaceOrAdd(name: "connection", value: "close")
            throw Problem(
                .unavailable, "the server has \(Limits.connections) connections; try again later", headers: Self.busy)
        }
        try server.hosts.check(request.hosts, isRequired: request.isCurrent)
        try OriginRule.check(request.origins, host: request.hosts.first)
        try server.token.check(request.authorizations)
        return try Route(request)
    }

    private static let busy = [Header("Retry-After", "10")]

    private func send(_ answer: Answer, in context: ChannelHandlerContext) {
        if case .events = answer.body, !server.hub.hasRoom {
            let sentence = "\(Limits.followers) clients follow the events; try again later"
            return send(Problem(.unavailable, sentence, headers: Self.busy).answer, in: context)
        }
        begin(answer, in: context)
        guard head?.method != .HEAD else { return end(context) }
        switch answer.body {
        case .bytes(let bytes):
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
            end(context)
        case .pages(let source): sendPage(of: source, context)
        case .events(let after):
            let follower = EventFollower(after: after) {
                self.write($0, in: context)
            } onWritten: { [hub = server.hub] in
                hub.catchUp($0)
            }
            self.follower = follower
            server.hub.add(follower)
        }
    }

    private func sendPage(of source: ReadingPages, _ context: ChannelHandlerContext) {
        server.thread.run(on: context.eventLoop) { try source.next($0) }.assumeIsolated().whenComplete { result in
            guard context.channel.isActive else { return }
            switch result {
            case .success(let page?):
                self.write(ByteBuffer(bytes: page), in: context).assumeIsolated().whenSuccess {
                    self.sendPage(of: source, context)
                }
            case .success(nil): self.end(context)
            case .failure(let error):
                // Without its end, the client sees that the answer isn't whole.
                self.server.log.warning("an answer ended early: \(error)")
                context.close(promise: nil)
            }
        }
    }

    // MARK: Parts

    private func begin(_ answer: Answer, in context: ChannelHandlerContext) {
        isAnswering = true
        let isKept = answer.headers.contains { $0.name == "Cache-Control" }
        var headers = HTTPHeaders(
            [("Content-Type", answer.type)] + (isKept ? [] : [("Cache-Control", "no-store")])
                + [("X-Content-Type-Options", "nosniff")])
        for header in answer.headers { headers.add(name: header.name, value: header.value) }
        let isCurrent = head.map { $0.version != .http1_0 } ?? true
        if case .bytes(let bytes) = answer.body {
            headers.add(name: "Content-Length", value: "\(bytes.count)")
        } else if isCurrent, head?.method != .HEAD {
            headers.add(name: "Transfer-Encoding", value: "chunked")
        } else if !isCurrent {
            head?.headers.replaceOrAdd(name: "connection", value: "close")
        }
        if head?.isKeepAlive != true { headers.add(name: "Connection", value: "close") }
        let status = HTTPResponseStatus(statusCode: answer.status)
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
    }

    /// Sends a part. The connection ends if the client doesn't take it in time.
    private func write(_ buffer: ByteBuffer, in context: ChannelHandlerContext) -> EventLoopFuture<Void> {
        arm(Limits.part, in: context)
        let sent = context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(buffer))))
        sent.assumeIsolated().whenComplete { _ in self.disarm() }
        return sent
    }

    private func end(_ context: ChannelHandlerContext) {
        let isLast = head?.isKeepAlive != true
        (isAnswering, head) = (false, nil)
        arm(isLast ? Limits.part : Limits.idle, in: context)
        let sent = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        if isLast { sent.assumeIsolated().whenComplete { _ in context.close(promise: nil) } }
    }

    // MARK: Time

    private func arm(_ time: TimeAmount, in context: ChannelHandlerContext) {
        disarm()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
    }

    private func disarm() {
        timer?.cancel()
        timer = nil
    }
}

extension HTTPRequestHead {
    /// Whether the client sends a body only when the server asks for it. (RFC 9110, 10.1.1)
    fileprivate var waitsWithBody: Bool {
        guard !headers["expect"].isEmpty else { return false }
        return !headers["transfer-encoding"].isEmpty || headers["content-length"].contains { $0 != "0" }
    }
}

extension Request {
    init(_ head: HTTPRequestHead, hasBody: Bool) {
        self.init(method: head.method.rawValue, target: head.uri)
        hosts = head.headers["host"]
        authorizations = head.headers["authorization"]
        origins = head.headers["origin"]
        accept = head.headers["accept"].joined(separator: ",")
        encodings = head.headers["accept-encoding"].joined(separator: ",")
        lastEvent = head.headers["last-event-id"]
        self.hasBody = hasBody
        isCurrent = head.version != .http1_0
    }
}

/// Checks which page in a browser sent a request. A page of another site may not read this server.
enum OriginRule {
    /// - Parameters:
    ///   - origins: the values of all `Origin` headers. Programs and the server's own pages send none.
    ///   - host: the value of the `Host` header.
    static func check(_ origins: [String], host: String?) throws(Problem) {
        guard !origins.isEmpty else { return }
        let own = host.map { ["http://\($0)", "https://\($0)"].map { $0.lowercased() } } ?? []
        guard origins.count == 1, let origin = origins.first, own.contains(origin.lowercased()) else {
            throw Problem(
                .forbidden,
                "a page of '\(Problem.shown(origins.first ?? ""))' may not read this server; open its own page")
        }
    }
}
