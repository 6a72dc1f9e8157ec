import DBus
import Glibc
import RunLoop

/// BlueZ's end of the socket through which a client has acquired a characteristic's notifications.
final class NotifyPipe {
    /// What BlueZ says of links whose peripheral takes the largest.
    static let mtu: UInt16 = 517

    private let bus: any Bus
    private let end: FileHandle
    /// The client's end, until it is handed out; then only whether somebody inside this process still has it.
    private var ready: FileHandle?
    private weak var other: FileHandle?
    private var watch: Watch?

    /// - Parameter onRelease: called when the client has closed its end; on a loopback bus `isReleased` has to be asked.
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

    /// Whether the client has let go. Inside one process its end is one object, and its life tells.
    var isReleased: Bool { bus is LoopbackBus && ready == nil && other == nil }

    func send(_ value: [UInt8]) {
        _ = Glibc.send(end.descriptor, value, value.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }

    func close() {
        if let watch { bus.loop.unwatch(watch) }
        watch = nil
        // The client may hold its end for long; it is to see that this one is gone at once.
        shutdown(end.descriptor, Int32(SHUT_RDWR))
    }
}
