internal import CDBus
import RunLoop
import Synchronization

/// Opens a connection to a message bus, on a separate thread.
///
/// libdbus blocks in connect(2) when the daemon's backlog is full, and can't use a socket that is already connected.
/// Authentication happens later, on the run loop, and doesn't block.
final class ConnectionOpening: @unchecked Sendable {
    /// A connection that nothing else refers to.
    struct Connection: @unchecked Sendable {
        let raw: OpaquePointer

        func close() {
            dbus_connection_close(raw)
            dbus_connection_unref(raw)
        }
    }

    private typealias Outcome = Result<Connection, BusError>

    /// The addresses at which an abandoned thread still blocks. Another thread would block, too.
    private static let stuck = Mutex<Set<String>>([])

    private let address: String
    private let loop: RunLoop
    private var waiting: UnsafeContinuation<Outcome, Never>?

    private init(_ address: String, _ loop: RunLoop) { (self.address, self.loop) = (address, loop) }

    /// Opens a connection. Returns at once when the task is cancelled.
    ///
    /// - Throws: `unreachable` when no bus listens there, or when it doesn't accept the connection in time.
    static func open(_ address: String, within limit: Duration, on loop: RunLoop) async throws(BusError) -> Connection {
        let opening = ConnectionOpening(address, loop)
        if stuck.withLock({ $0.contains(address) }) { throw opening.refusal }
        let deadline = loop.schedule(at: loop.now + limit) { opening.giveUp(opening.refusal) }
        defer { loop.disarm(deadline) }
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                opening.waiting = continuation
                if Task.isCancelled { opening.finish(.failure(.disconnected)) } else { opening.start() }
            }
        } onCancel: {
            loop.perform { opening.giveUp(.disconnected) }
        }
        return try outcome.get()
    }

    private var refusal: BusError { .unreachable("the message bus at \(address) doesn't accept connections") }

    private func start() {
        do throws(RunLoopError) {
            try LoopThread.start { [self] in
                let outcome = Self.open(address)
                Self.stuck.withLock { _ = $0.remove(address) }
                loop.perform { self.finish(outcome) }
            }
        } catch { finish(.failure(.unreachable("the system has no threads left"))) }
    }

    private static func open(_ address: String) -> Outcome {
        var error = DBusError()
        dbus_error_init(&error)
        if let raw = dbus_connection_open_private(address, &error) { return .success(Connection(raw: raw)) }
        defer { dbus_error_free(&error) }
        let text = error.message.map { String(cString: $0) } ?? "unknown error"
        // libdbus names the socket again: `Failed to connect to socket /run/…: Permission denied`.
        let why = text.hasPrefix("Failed to connect") ? text.split(separator: ": ").last.map(String.init) ?? text : text
        if dbus_error_has_name(&error, "org.freedesktop.DBus.Error.AccessDenied") != 0 {
            return .failure(.forbidden("this user may not use the message bus at \(address): \(why)"))
        }
        return .failure(.unreachable("there is no message bus at \(address): \(why)"))
    }

    private func giveUp(_ error: BusError) {
        guard waiting != nil else { return }
        Self.stuck.withLock { _ = $0.insert(address) }
        finish(.failure(error))
    }

    private func finish(_ outcome: Outcome) {
        if let waiting {
            self.waiting = nil
            waiting.resume(returning: outcome)
        } else if case .success(let connection) = outcome {
            connection.close()
        }
    }
}
