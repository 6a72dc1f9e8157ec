/// How long an HTTP server may take, in seconds.
struct HTTPLimits {
    /// For a connection, with TLS.
    var connecting = 10
    /// Without a byte in either direction.
    var silence = 15
    /// For a request and its answer.
    var request = 30

    /// For all of it. libcurl's clock stops while the machine sleeps, and this one doesn't.
    var patience: Duration { .seconds(request + 10) }
}
