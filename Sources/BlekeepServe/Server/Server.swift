import BlekeepConfiguration
import BlekeepRecords
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// Accepts connections on one thread of its own, with a limit.
final class Server: @unchecked Sendable {
    let thread: HistoryThread
    let hosts: HostRule
    let token: TokenRule
    let log: Logger
    let hub: EventHub
    private let group: MultiThreadedEventLoopGroup
    /// Only the connections' thread uses it.
    private var connections = 0

    init(_ thread: HistoryThread, options: ServeOptions, token: String?, log: Logger) {
        self.thread = thread
        hosts = HostRule(options.hosts)
        self.token = TokenRule(token)
        self.log = log
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        // Its thread ends with the process, and may not outlive it before.
        _ = Unmanaged.passRetained(group)
        hub = EventHub(thread, on: group.next(), log: log)
    }

    /// Begins to listen.
    ///
    /// - Returns: the address, with the port that the system chose.
    /// - Throws: `IOError`.
    func listen(_ address: ListenAddress) throws -> SocketAddress? {
        let socket = try SocketAddress(ipAddress: address.host, port: address.port)
        return try ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // The pages of an answer wait here, and not in the socket.
            .childChannelOption(.socketOption(.so_sndbuf), value: 128 << 10)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.begin(channel) }
            }
            .bind(to: socket).wait().localAddress
    }

    private func begin(_ channel: any Channel) throws {
        guard connections < Limits.connections + Limits.refusals else {
            throw UserError("there are too many connections")
        }
        let isRefused = connections >= Limits.connections
        connections += 1
        channel.closeFuture.whenComplete { _ in self.connections -= 1 }
        var framing = HTTPResponseEncoder.Configuration()
        framing.automaticallySetFramingHeaders = false
        let limit = RequestLimit()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(limit)
        try pipeline.configureHTTPServerPipeline(
            withErrorHandling: false, withEncoderConfiguration: framing,
            withDecoderLimitConfiguration: .init())
        try pipeline.addHandler(Connection(self, limit: limit, isRefused: isRefused))
    }
}
