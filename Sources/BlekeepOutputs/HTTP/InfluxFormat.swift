import BlekeepRecords

/// Line protocol for InfluxDB 1 and 2.
package struct InfluxFormat: RequestFormat {
    let configuration: InfluxConfiguration
    package let writer: any LineWriter

    package init(_ configuration: InfluxConfiguration, tags: DeviceTags = DeviceTags()) {
        self.configuration = configuration
        writer = InfluxLineWriter(separatesReadings: true, tags: tags)
    }

    package var name: String { "influx" }
    package var server: HTTPServerConfiguration { configuration.server }
    package var isCompressed: Bool { true }

    package func request(_ lines: ArraySlice<BatchQueue.Line>, secret: String?) -> HTTPRequest {
        let body = Array(lines.map(\.bytes).joined(separator: [UInt8(ascii: "\n")]))
        var request = HTTPRequest(path: server.path, headers: ["Content-Type: text/plain; charset=utf-8"], body: body)
        switch configuration.target {
        case .database(let database, let user, _):
            request.path += "/write?db=\(PercentText.text(database))&precision=ns"
            (request.user, request.password) = (user, secret)
        case .bucket(let bucket, let organization, _):
            request.path += "/api/v2/write?org=\(PercentText.text(organization))"
            request.path += "&bucket=\(PercentText.text(bucket))&precision=ns"
            request.headers.append("Authorization: Token \(secret ?? "")")
        }
        return request
    }

    package func verdict(_ answer: HTTPAnswer) -> BatchVerdict {
        BatchVerdict(answer, from: server.name) { status, reason in
            switch status {
            case 400, 422, 500:
                Self.verdict(status, reason: reason, shown: "\(Untrusted(reason, limit: ServerReason.limit))")
            case 401: .kept(ServerError("\(server.name) \(unauthorized)"))
            case 403: .kept(ServerError("\(server.name) \(forbidden)"))
            case 404 where reason.contains("not found"): .kept(ServerError("\(server.name) \(missing)"))
            default: nil
            }
        }
    }

    /// InfluxDB refuses a request as a whole with the same status as one of its lines.
    private static func verdict(_ status: Int, reason: String, shown: String) -> BatchVerdict? {
        if let words = reason.firstRange(of: "partial write") {
            // "partial write: points beyond retention policy dropped=24"
            let digits = reason[words.upperBound...].firstRange(of: "dropped=").map {
                reason[$0.upperBound...].prefix { $0.isNumber }
            }
            return .partly(max(1, digits.flatMap { Int($0) } ?? 1), shown)
        }
        let isAboutLines = ["unable to parse", "failed to parse", "no data written"].contains { reason.contains($0) }
        return isAboutLines && status != 500 ? .refused(shown) : nil
    }

    private var unauthorized: String {
        switch configuration.target {
        case .database(_, let user?, _): "refused user '\(Untrusted(user))': user or password is wrong"
        case .database: "requires a user and a password; set `user` and `password_file`"
        case .bucket: "refused the token; check `token_file`"
        }
    }

    private var forbidden: String {
        switch configuration.target {
        case .database(let database, let user, _):
            "doesn't let user '\(Untrusted(user ?? ""))' write to the database '\(Untrusted(database))'; grant it WRITE"
        case .bucket(let bucket, _, _): "doesn't let this token write to the bucket '\(Untrusted(bucket))'"
        }
    }

    private var missing: String {
        switch configuration.target {
        case .database(let database, _, _):
            "has no database '\(Untrusted(database))'; create it with 'CREATE DATABASE \"\(Untrusted(database))\"'"
        case .bucket(let bucket, let organization, _):
            "has no bucket '\(Untrusted(bucket))' in the organization '\(Untrusted(organization))'; check `bucket` and `org`"
        }
    }
}
