import Blekeep
import Yams

/// `influx:` and `webhook:` below `sinks:`.
extension ConfigurationParser {
    private static let serverKeys = ["url", "ca_file", "cert_file", "key_file", "batch_age", "backlog_rate"]
    static let influxKeys = serverKeys + ["database", "user", "password_file", "org", "bucket", "token_file"]
    static let webhookKeys = serverKeys + ["token_file", "header"]

    mutating func influx(_ entry: YAMLEntry) -> InfluxConfiguration? {
        guard let entries = reader.mapping(entry.node, what: "`influx`", keys: Self.influxKeys) else { return nil }
        let example = "http://influx.example:8086"
        let server = server(entries, of: entry, example: example)
        let target = target(entries, of: entry)
        guard let server, let target else { return nil }
        guard !server.path.contains("?") else {
            reader.note("`url` has a query; end it before the `?`", at: place("url", in: entries) ?? entry.place)
            return nil
        }
        var influx = InfluxConfiguration(server: server, target: target)
        while influx.server.path.hasSuffix("/") { influx.server.path.removeLast() }
        return influx
    }

    mutating func webhook(_ entry: YAMLEntry) -> WebhookConfiguration? {
        guard let entries = reader.mapping(entry.node, what: "`webhook`", keys: Self.webhookKeys) else { return nil }
        guard let server = server(entries, of: entry, example: "https://hook.example/readings") else { return nil }
        var webhook = WebhookConfiguration(server: server)
        webhook.tokenFile = entries["token_file"].flatMap { secretFile($0) }
        if let header = header(entries["header"]) { webhook.header = header }
        if entries["token_file"] == nil, let place = place("header", in: entries) {
            reader.note("`header` needs a `token_file`; add one", at: place)
        }
        return webhook
    }

    private func place(_ key: String, in entries: [String: YAMLEntry]) -> ConfigurationLocation? {
        entries[key].map { $0.valuePlace(in: reader.file) }
    }

    // MARK: The server

    private mutating func server(
        _ entries: [String: YAMLEntry], of entry: YAMLEntry, example: String
    ) -> HTTPServerConfiguration? {
        guard let urlEntry = entries["url"] else {
            reader.note(
                "\(entry.key) needs its `url`; add one, such as `url: \(example)`", at: reader.place(of: entry.node))
            return nil
        }
        guard let text = reader.text(urlEntry, what: "a URL") else { return nil }
        guard let url = HTTPURL(text) else {
            reader.note(
                "`url` isn't http://HOST or https://HOST, with :PORT where it is another than 80 or 443",
                at: urlEntry.valuePlace(in: reader.file))
            return nil
        }
        var server = HTTPServerConfiguration(
            host: url.host, port: url.port, isEncrypted: url.isEncrypted, path: url.path)
        server.caFile = entries["ca_file"].flatMap { path($0) }
        server.certificateFile = entries["cert_file"].flatMap { path($0) }
        server.keyFile = entries["key_file"].flatMap { path($0) }
        if let age = reader.duration(entries["batch_age"], in: HTTPServerConfiguration.batchAges) {
            server.batchAge = age
        }
        if let rate = reader.integer(entries["backlog_rate"], in: HTTPServerConfiguration.backlogRates) {
            server.backlogRate = rate
        }
        checkCertificates(server, entries)
        return server
    }

    private mutating func checkCertificates(_ server: HTTPServerConfiguration, _ entries: [String: YAMLEntry]) {
        let pair = place("cert_file", in: entries) ?? place("key_file", in: entries)
        if (entries["cert_file"] == nil) != (entries["key_file"] == nil), let pair {
            reader.note("`cert_file` and `key_file` belong together; add the other one", at: pair)
        }
        guard !server.isEncrypted else { return }
        for key in ["ca_file", "cert_file", "key_file"] {
            guard let place = place(key, in: entries) else { continue }
            reader.note("`\(key)` has no effect without TLS; write https:// in `url`", at: place)
            return
        }
    }

    // MARK: The database

    private mutating func target(_ entries: [String: YAMLEntry], of entry: YAMLEntry) -> InfluxConfiguration.Target? {
        let first = ["database", "user", "password_file"].first { entries[$0] != nil }
        let second = ["org", "bucket", "token_file"].first { entries[$0] != nil }
        if let first, let second, let place = place(second, in: entries) {
            reader.note("`\(first)` is for InfluxDB 1, and `\(second)` for InfluxDB 2; keep one", at: place)
            return nil
        }
        return second == nil ? database(entries, of: entry) : bucket(entries, of: entry)
    }

    private mutating func database(_ entries: [String: YAMLEntry], of entry: YAMLEntry) -> InfluxConfiguration.Target? {
        guard let databaseEntry = entries["database"] else {
            reader.note(
                "influx needs a `database` (InfluxDB 1), or `org`, `bucket` and `token_file` (InfluxDB 2)",
                at: reader.place(of: entry.node))
            return nil
        }
        if (entries["user"] == nil) != (entries["password_file"] == nil),
            let place = place("user", in: entries) ?? place("password_file", in: entries)
        {
            reader.note("`user` and `password_file` belong together; add the other one", at: place)
        }
        let user = entries["user"].flatMap { name($0) }
        let passwordFile = entries["password_file"].flatMap { secretFile($0) }
        return name(databaseEntry).map { .database($0, user: user, passwordFile: passwordFile) }
    }

    private mutating func bucket(_ entries: [String: YAMLEntry], of entry: YAMLEntry) -> InfluxConfiguration.Target? {
        guard let bucketEntry = entries["bucket"], let orgEntry = entries["org"], let fileEntry = entries["token_file"]
        else {
            reader.note(
                "InfluxDB 2 needs all of `org`, `bucket` and `token_file`; add those that are missing",
                at: reader.place(of: entry.node))
            return nil
        }
        guard let bucket = name(bucketEntry), let organization = name(orgEntry), let file = secretFile(fileEntry)
        else { return nil }
        return .bucket(bucket, organization: organization, tokenFile: file)
    }

    private mutating func name(_ entry: YAMLEntry) -> String? {
        guard let text = reader.text(entry, what: "a name") else { return nil }
        if !text.isEmpty, text.utf8.count <= 256, !text.unicodeScalars.contains(where: \.isInvisible) { return text }
        reader.note(
            "`\(entry.key)` is \(Quoted.text(text)); it can have up to 256 visible characters",
            at: entry.valuePlace(in: reader.file))
        return nil
    }

    private mutating func header(_ entry: YAMLEntry?) -> String? {
        guard let entry, let text = reader.text(entry, what: "a header's name") else { return nil }
        let others = "!#$%&'*+-.^_`|~".utf8
        let isToken = text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: others.contains($0)
            }
        }
        if isToken, (1...64).contains(text.utf8.count) { return text }
        reader.note(
            "`header` is \(Quoted.text(text)); it can be a header's name, such as X-Api-Key",
            at: entry.valuePlace(in: reader.file))
        return nil
    }
}
