import BlekeepLog

/// Tells systemd about the state of the service, over the socket that it names in `NOTIFY_SOCKET`; see sd_notify(3).
struct ServiceNotification {
    private let socket: DatagramSocket

    /// - Returns: `nil` without systemd, or when the socket can't be used.
    init?(_ environment: [String: String]) {
        guard let name = environment["NOTIFY_SOCKET"], let socket = DatagramSocket(name) else { return nil }
        self.socket = socket
    }

    /// Sends an assignment such as `READY=1`, without waiting.
    func send(_ assignment: String) { socket.send(Array(assignment.utf8)) }
}
