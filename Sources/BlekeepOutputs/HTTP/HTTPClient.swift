import BlekeepRecords
internal import CLoaded
import Glibc
import RunLoop

/// Sends one request at a time to an HTTP server. libcurl speaks the protocol; its sockets and its timer are on the run
/// loop.
///
/// libcurl gets addresses instead of a name, because it would start a thread to resolve a name.
final class HTTPClient: @unchecked Sendable {
    typealias Completion = (Result<HTTPAnswer, ServerError>) -> Void

    private let server: HTTPServerConfiguration
    private let loop: RunLoop
    private let limits: HTTPLimits
    private let multi: UnsafeMutableRawPointer
    private var watches: [Int32: Watch] = [:]
    private var transfer: CurlTransfer?
    private var completion: Completion?
    private lazy var timer = ClosureTimer { [weak self] in self?.act(CURL_SOCKET_TIMEOUT, bits: 0) }
    private lazy var watchdog = ClosureTimer { [weak self] in self?.giveUp() }

    private static let isReady = blekeep_curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init(_ server: HTTPServerConfiguration, on loop: RunLoop, limits: HTTPLimits = HTTPLimits()) throws(ServerError) {
        if let missing = LoadedLibrary.curl.missing { throw ServerError(missing) }
        guard Self.isReady, let multi = blekeep_curl_multi_init() else {
            throw ServerError("there is no memory for a connection")
        }
        self.server = server
        self.loop = loop
        self.limits = limits
        self.multi = multi
        blekeep_set_callbacks(
            multi,
            { _, socket, action, context, _ in
                HTTPClient.from(context)?.follow(socket, action: action)
                return 0
            },
            { _, milliseconds, context in
                HTTPClient.from(context)?.arm(milliseconds)
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        close()
        blekeep_set_callbacks(multi, nil, nil, nil)
        blekeep_curl_multi_cleanup(multi)
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> HTTPClient? {
        context.map { Unmanaged<HTTPClient>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: Requests

    /// Sends a request, and calls `completion` later, once. Not while another one is in progress.
    ///
    /// - Parameter addresses: the addresses of the server's host; empty when it is an address.
    func send(_ request: HTTPRequest, addresses: [String], then completion: @escaping Completion) {
        guard transfer == nil, let transfer = CurlTransfer(request, to: server, addresses: addresses, limits: limits)
        else {
            return loop.soon { completion(.failure(ServerError("there is no memory for a request"))) }
        }
        (self.transfer, self.completion) = (transfer, completion)
        loop.arm(watchdog, at: loop.now + limits.patience)
        guard blekeep_curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
            return loop.soon { self.finish(.failure(ServerError("there is no memory for a request"))) }
        }
    }

    /// Ends the request in progress without calling its completion.
    func close() {
        completion = nil
        if let transfer { blekeep_curl_multi_remove_handle(multi, transfer.easy) }
        transfer = nil
        loop.disarm(timer)
        loop.disarm(watchdog)
        for watch in watches.values { loop.unwatch(watch) }
        watches = [:]
    }

    private func giveUp() {
        finish(.failure(ServerError("\(server.name) didn't respond in \(DurationText.text(limits.patience))")))
    }

    private func finish(_ result: Result<HTTPAnswer, ServerError>) {
        let completion = completion
        self.completion = nil
        if let transfer { blekeep_curl_multi_remove_handle(multi, transfer.easy) }
        transfer = nil
        loop.disarm(watchdog)
        completion?(result)
    }

    // MARK: libcurl on the run loop

    /// Watches a socket for the events that libcurl now waits for.
    private func follow(_ socket: Int32, action: Int32) {
        let events: Int16? =
            switch action {
            case CURL_POLL_IN: Int16(POLLIN)
            case CURL_POLL_OUT: Int16(POLLOUT)
            case CURL_POLL_INOUT: Int16(POLLIN | POLLOUT)
            default: nil
            }
        guard let events else {
            if let watch = watches.removeValue(forKey: socket) { loop.unwatch(watch) }
            return
        }
        if let watch = watches[socket] {
            watch.events = events
        } else {
            watches[socket] = loop.watch(socket, for: events) { [unowned self] in self.ready(socket, events: $0) }
        }
    }

    private func ready(_ socket: Int32, events: Int16) {
        // libcurl finds the error of a socket when it reads.
        var bits: Int32 = 0
        if events & Int16(POLLIN | POLLHUP | POLLERR | POLLNVAL) != 0 { bits |= CURL_CSELECT_IN }
        if events & Int16(POLLOUT | POLLERR) != 0 { bits |= CURL_CSELECT_OUT }
        act(socket, bits: bits)
    }

    private func arm(_ milliseconds: Int) {
        if milliseconds < 0 { return loop.disarm(timer) }
        loop.arm(timer, at: loop.now + .milliseconds(milliseconds))
    }

    private func act(_ socket: Int32, bits: Int32) {
        var running: Int32 = 0
        blekeep_curl_multi_socket_action(multi, socket, bits, &running)
        if socket == CURL_SOCKET_TIMEOUT {
            // libcurl doesn't set the timer again when the timer fired too early by libcurl's clock.
            var milliseconds = -1
            if blekeep_curl_multi_timeout(multi, &milliseconds) == CURLM_OK { arm(milliseconds) }
        }
        collect()
    }

    private func collect() {
        var code = CURLE_OK
        while let easy = blekeep_next_ended(multi, &code) {
            guard let transfer, transfer.easy == easy else { continue }
            finish(transfer.result(code, server: server))
            return
        }
    }
}
