internal import CLoaded
import Glibc

/// One request in libcurl: its options, and the answer received so far.
final class CurlTransfer {
    let easy: UnsafeMutableRawPointer
    private var lists: [OpaquePointer] = []
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var body: [UInt8] = []
    /// Whether the answer was longer than `HTTPAnswer.maxBytes`.
    private var isCut = false

    /// - Returns: `nil` without memory for it, or for options that libcurl doesn't have.
    init?(_ request: HTTPRequest, to server: HTTPServerConfiguration, addresses: [String], limits: HTTPLimits) {
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        guard let easy = blekeep_curl_easy_init() else {
            errorText.deallocate()
            return nil
        }
        self.easy = easy
        guard setLimits(limits), setAddress(request, server: server, addresses: addresses), setContent(request),
            setCertificates(server)
        else { return nil }
    }

    deinit {
        blekeep_curl_easy_cleanup(easy)
        for list in lists { blekeep_curl_slist_free_all(list) }
        errorText.deallocate()
    }

    private func set(_ option: CURLoption, to number: Int) -> Bool {
        blekeep_set_number(easy, option, number) == CURLE_OK
    }

    private func set(_ option: CURLoption, to text: String?) -> Bool {
        text.map { blekeep_set_text(easy, option, $0) == CURLE_OK } ?? true
    }

    private func set(_ option: CURLoption, to texts: [String]) -> Bool {
        var list: OpaquePointer?
        for text in texts {
            guard let longer = blekeep_curl_slist_append(list, text) else {
                blekeep_curl_slist_free_all(list)
                return false
            }
            list = longer
        }
        guard let list else { return true }
        lists.append(list)
        return blekeep_set_list(easy, option, list) == CURLE_OK
    }

    /// Forbids redirects, proxies and other protocols, and sets the time limits.
    private func setLimits(_ limits: HTTPLimits) -> Bool {
        set(CURLOPT_NOSIGNAL, to: 1) && set(CURLOPT_PROTOCOLS_STR, to: "http,https") && set(CURLOPT_PROXY, to: "")
            && set(CURLOPT_FOLLOWLOCATION, to: 0) && set(CURLOPT_HTTP_VERSION, to: Int(CURL_HTTP_VERSION_1_1))
            && set(CURLOPT_CONNECTTIMEOUT, to: limits.connecting) && set(CURLOPT_TIMEOUT, to: limits.request)
            && set(CURLOPT_LOW_SPEED_LIMIT, to: 1) && set(CURLOPT_LOW_SPEED_TIME, to: limits.silence)
            && blekeep_set_error_buffer(easy, errorText) == CURLE_OK
    }

    private func setAddress(_ request: HTTPRequest, server: HTTPServerConfiguration, addresses: [String]) -> Bool {
        let known = addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
        return set(CURLOPT_URL, to: server.origin + request.path)
            && set(CURLOPT_RESOLVE, to: addresses.isEmpty ? [] : ["\(server.host):\(server.port):\(known)"])
    }

    private func setContent(_ request: HTTPRequest) -> Bool {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let writer: curl_write_callback = { data, size, count, context in
            guard let data, let context else { return 0 }
            return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().receive(data, count: size * count)
        }
        if let user = request.user {
            guard set(CURLOPT_HTTPAUTH, to: 1), set(CURLOPT_USERNAME, to: user),
                set(CURLOPT_PASSWORD, to: request.password ?? "")
            else { return false }
        }
        return set(CURLOPT_POST, to: 1) && set(CURLOPT_USERAGENT, to: "blekeep")
            && request.body.withUnsafeBytes { blekeep_set_body(easy, $0.baseAddress, $0.count) } == CURLE_OK
            && set(CURLOPT_HTTPHEADER, to: request.headers + ["Expect:"])
            && blekeep_set_writer(easy, writer, context) == CURLE_OK
    }

    private func setCertificates(_ server: HTTPServerConfiguration) -> Bool {
        set(CURLOPT_SSL_VERIFYPEER, to: 1) && set(CURLOPT_SSL_VERIFYHOST, to: 2)
            && set(CURLOPT_CAINFO, to: server.caFile)
            && set(CURLOPT_SSLCERT, to: server.certificateFile) && set(CURLOPT_SSLKEY, to: server.keyFile)
    }

    // MARK: The answer

    private func receive(_ data: UnsafeMutablePointer<CChar>, count: Int) -> Int {
        let room = HTTPAnswer.maxBytes - body.count
        body += UnsafeRawBufferPointer(start: data, count: min(count, room))
        guard count > room else { return count }
        isCut = true
        return 0
    }

    /// - Parameter code: how the transfer ended.
    func result(_ code: CURLcode, server: HTTPServerConfiguration) -> Result<HTTPAnswer, ServerError> {
        guard code == CURLE_OK || isCut else {
            return .failure(
                ServerError(
                    code: code, system: Int32(truncatingIfNeeded: blekeep_get_number(easy, CURLINFO_OS_ERRNO)),
                    verified: blekeep_get_number(easy, CURLINFO_SSL_VERIFYRESULT),
                    detail: String(cString: errorText), server: server.name))
        }
        let seconds = blekeep_get_offset(easy, CURLINFO_RETRY_AFTER)
        return .success(
            HTTPAnswer(
                status: blekeep_get_number(easy, CURLINFO_RESPONSE_CODE),
                pause: seconds > 0 ? .seconds(seconds) : nil, body: body))
    }
}
