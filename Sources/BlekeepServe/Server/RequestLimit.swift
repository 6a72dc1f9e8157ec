import NIOCore

/// Limits the bytes of a request, whichever part of it is long, before anything parses them.
///
/// It also sends the answers to requests that aren't any: the other handlers expect an answer to a request only.
final class RequestLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The bytes since the last complete request.
    private var count = 0
    /// Whether the connection is ending, so that further bytes don't matter.
    private var isEnding = false
    private var context: ChannelHandlerContext?

    struct Exceeded: Error, CustomStringConvertible {
        var description: String { "the request is too large" }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// A request is complete.
    func reset() { count = 0 }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnding else { return }
        count += unwrapInboundIn(data).readableBytes
        guard count <= Limits.requestBytes else { return context.fireErrorCaught(Exceeded()) }
        context.fireChannelRead(data)
    }

    /// Answers with a problem, and ends the connection.
    ///
    /// Bytes that the server doesn't read would make the system reset the connection, and the client might lose the answer.
    /// So it reads on until the client closes the connection, or for a while.
    func end(with problem: Problem) {
        guard let context, !isEnding else { return }
        isEnding = true
        let answer = problem.answer
        guard case .bytes(let bytes) = answer.body else { return }
        var head = "HTTP/1.1 \(answer.status) \(problem.title)\r\nContent-Type: \(answer.type)\r\n"
        head += "Content-Length: \(bytes.count)\r\nConnection: close\r\n\r\n"
        var buffer = ByteBuffer(string: head)
        buffer.writeBytes(bytes)
        context.writeAndFlush(wrapOutboundOut(buffer)).assumeIsolated().whenComplete { _ in
            context.close(mode: .output, promise: nil)
        }
        context.eventLoop.assumeIsolated().scheduleTask(in: Limits.ending) { context.close(promise: nil) }
    }
}
