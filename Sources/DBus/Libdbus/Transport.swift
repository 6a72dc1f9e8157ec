internal import CDBus
internal import Glibc
import RunLoop

/// A libdbus connection on the run loop, which polls its descriptors.
final class Transport {
    var onMessage: ((consuming Message) -> Void)?
    var onDisconnect: (() -> Void)?

    private var connection: OpaquePointer?
    private let loop: RunLoop
    private var watches: [OpaquePointer: Watch] = [:]

    init(_ connection: ConnectionOpening.Connection, loop: RunLoop) {
        self.loop = loop
        self.connection = connection.raw
        dbus_connection_set_exit_on_disconnect(connection.raw, 0)
        dbus_connection_set_max_message_size(connection.raw, 32 << 20)
        dbus_connection_set_max_received_size(connection.raw, 64 << 20)
    }

    deinit { close() }

    func attach() {
        guard let connection else { return }
        let me = Unmanaged.passUnretained(self).toOpaque()
        dbus_connection_set_watch_functions(
            connection,
            { watch, data in
                Transport.from(data)?.add(watch)
                return 1
            },
            { watch, data in Transport.from(data)?.remove(watch) },
            { watch, data in Transport.from(data)?.toggle(watch) },
            me, nil)
        dbus_connection_set_dispatch_status_function(
            connection,
            { _, status, data in
                if status == DBUS_DISPATCH_DATA_REMAINS { Transport.from(data)?.drainSoon() }
            }, me, nil)
    }

    /// Sends a message. Returns its serial; `nil` without a message or memory.
    func send(_ message: consuming Message?, expectsReply: Bool = true) -> UInt32? {
        guard let message, let connection else { return nil }
        if !expectsReply, message.type == DBUS_MESSAGE_TYPE_METHOD_CALL { dbus_message_set_no_reply(message.raw, 1) }
        var serial: dbus_uint32_t = 0
        return dbus_connection_send(connection, message.raw, &serial) != 0 ? serial : nil
    }

    func close() {
        guard let connection else { return }
        self.connection = nil
        dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
        dbus_connection_set_dispatch_status_function(connection, nil, nil, nil)
        for watch in watches.values { loop.unwatch(watch) }
        watches = [:]
        dbus_connection_close(connection)
        dbus_connection_unref(connection)
    }

    // MARK: Reading

    private var isDraining = false
    private var drainIsDue = false

    private func drainSoon() {
        guard !drainIsDue else { return }
        drainIsDue = true
        // The closure runs only on this loop.
        nonisolated(unsafe) let me = self
        loop.perform { me.drain() }
    }

    private func drain() {
        drainIsDue = false
        guard !isDraining else { return }
        isDraining = true
        defer { isDraining = false }
        while let connection, let message = Message(owning: dbus_connection_pop_message(connection)) {
            if message.type == DBUS_MESSAGE_TYPE_SIGNAL, message.isLocal,
                message.interface == "org.freedesktop.DBus.Local"
            {
                onDisconnect?()
                return
            }
            onMessage?(message)
        }
        if let connection, dbus_connection_get_is_connected(connection) == 0 { onDisconnect?() }
    }

    // MARK: Watches

    private static func from(_ data: UnsafeMutableRawPointer?) -> Transport? {
        data.map { Unmanaged<Transport>.fromOpaque($0).takeUnretainedValue() }
    }

    private func add(_ raw: OpaquePointer?) {
        guard let raw else { return }
        watches[raw] = loop.watch(dbus_watch_get_unix_fd(raw), for: Self.wanted(raw)) { [weak self] ready in
            guard let self else { return }
            dbus_watch_handle(raw, Self.flags(ready))
            if self.drainIsDue { self.drain() }
        }
    }

    private func remove(_ raw: OpaquePointer?) {
        guard let raw, let watch = watches.removeValue(forKey: raw) else { return }
        loop.unwatch(watch)
    }

    private func toggle(_ raw: OpaquePointer?) {
        guard let raw else { return }
        watches[raw]?.events = Self.wanted(raw)
    }

    /// The events that libdbus waits for; 0 while the watch is disabled.
    private static func wanted(_ raw: OpaquePointer) -> Int16 {
        guard dbus_watch_get_enabled(raw) != 0 else { return 0 }
        let flags = dbus_watch_get_flags(raw)
        return Int16(
            (flags & DBUS_WATCH_READABLE.rawValue != 0 ? POLLIN : 0)
                | (flags & DBUS_WATCH_WRITABLE.rawValue != 0 ? POLLOUT : 0))
    }

    private static func flags(_ ready: Int16) -> UInt32 {
        let pairs: [(Int32, DBusWatchFlags)] = [
            (POLLIN, DBUS_WATCH_READABLE), (POLLOUT, DBUS_WATCH_WRITABLE), (POLLERR, DBUS_WATCH_ERROR),
            (POLLHUP, DBUS_WATCH_HANGUP),
        ]
        return pairs.reduce(0) { Int32(ready) & $1.0 != 0 ? $0 | $1.1.rawValue : $0 }
    }
}
