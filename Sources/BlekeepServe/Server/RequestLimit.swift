import NIOCore

/// Limits the bytes of a request, whichever part of it is long, before anything parses them.
final class RequestLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The bytes since the last complete request.
    private var count = 0

    struct Exceeded: Error {}

    /// A request is complete.
    func reset() { count = 0 }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        count += unwrapInboundIn(data).readableBytes
        guard count <= Limits.requestBytes else { return context.fireErrorCaught(Exceeded()) }
        context.fireChannelRead(data)
    }
}
