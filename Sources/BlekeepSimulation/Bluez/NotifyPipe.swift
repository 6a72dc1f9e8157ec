import DBus
import Glibc
import RunLoop

/// BlueZ's end of the socket of a client that acquired a characteristic's notifications.
final class NotifyPipe {
    private let bus: any Bus
    private let end: FileHandle
    /// The client's end, until the client gets it. Then a weak reference shows whether a client inside this process has it.
    private var ready: FileHandle?
    private weak var other: FileHandle?
    private var watch: Watch?

    /// - Parameter onRelease: called when the client closed its end. On a loopback bus, check `isReleased` instead.
    init?(on bus: any Bus, onRelease: @escaping () -> Void) {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        self.bus = bus
        end = FileHandle(owning: ends[0])
        let other = FileHandle(owning: ends[1])
        ready = other
        self.other = other
        guard !(bus is LoopbackBus) else { return }
        watch = bus.loop.watch(ends[0], for: Int16(POLLIN)) { events in
            if events & Int16(POLLHUP) != 0 { onRelease() }
        }
    }

    func handOut() -> FileHandle {
        defer { ready = nil }
        return ready ?? end
    }

    /// Whether the client closed its end. Inside one process, the end is one object, which no longer exists then.
    var isReleased: Bool { bus is LoopbackBus && ready == nil && other == nil }

    func send(_ value: [UInt8]) {
        _ = Glibc.send(end.descriptor, value, value.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    func close() {
        if let watch { bus.loop.unwatch(watch) }
        watch = nil
        // Shut down, so that the client sees the end at once, even while it holds its own end.
        shutdown(end.descriptor, Int32(SHUT_RDWR))
    }
}
