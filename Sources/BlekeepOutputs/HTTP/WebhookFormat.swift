import BlekeepRecords

/// A JSON array of readings, each as a line of `--json`.
package struct WebhookFormat: RequestFormat {
    let configuration: WebhookConfiguration
    package let writer: any LineWriter

    package init(_ configuration: WebhookConfiguration, tags: DeviceTags = DeviceTags()) {
        self.configuration = configuration
        writer = JSONLineWriter(tags: tags)
    }

    package var name: String { "webhook" }
    package var server: HTTPServerConfiguration { configuration.server }
    /// Few servers take compressed requests.
    package var isCompressed: Bool { false }

    package func request(_ lines: ArraySlice<BatchQueue.Line>, secret: String?) -> HTTPRequest {
        var body = [UInt8(ascii: "[")]
        body += lines.map(\.bytes).joined(separator: [UInt8(ascii: ",")])
        body.append(UInt8(ascii: "]"))
        var headers = ["Content-Type: application/json"]
        if let secret {
            let isBearer = configuration.header == WebhookConfiguration.defaultHeader
            headers.append("\(configuration.header): \(isBearer ? "Bearer " : "")\(secret)")
        }
        return HTTPRequest(path: server.path.isEmpty ? "/" : server.path, headers: headers, body: body)
    }

    package func verdict(_ answer: HTTPAnswer) -> BatchVerdict {
        BatchVerdict(answer, from: server.name) { status, reason in
            switch status {
            case 400, 422:
                .refused(reason.isEmpty ? "status \(status)" : "\(Untrusted(reason, limit: ServerReason.limit))")
            case 401: .kept(ServerError("\(server.name) refused the token; check `token_file` and `header`"))
            default: nil
            }
        }
    }
}
