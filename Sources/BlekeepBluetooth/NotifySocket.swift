import DBus
internal import Glibc
import RunLoop

/// The socket through which BlueZ sends the values of a characteristic, one per packet. On the loop.
final class NotifySocket: @unchecked Sendable {
    private var handle: FileHandle?
    private var watch: Watch?
    private let loop: RunLoop
    private let receive: ([UInt8]) -> Void
    /// Called when BlueZ closed its end.
    var onEnd: (() -> Void)?

    init(_ handle: FileHandle, on loop: RunLoop, receive: @escaping ([UInt8]) -> Void) {
        self.handle = handle
        self.loop = loop
        self.receive = receive
        watch = loop.watch(handle.descriptor, for: Int16(POLLIN)) { [unowned self] _ in self.read() }
    }

    /// Closes the socket, which ends the subscription.
    func close() {
        if let watch { loop.unwatch(watch) }
        watch = nil
        handle = nil
        onEnd = nil
    }

    /// Reads at most 256 packets, so that a fast sender doesn't block the loop.
    private func read() {
        var buffer = [UInt8](repeating: 0, count: 1024)
        for _ in 0..<256 {
            guard let handle else { return }
            let count = recv(handle.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                receive(Array(buffer[..<count]))
            } else if count < 0, errno == EAGAIN || errno == EINTR {
                return
            } else {
                // recv() returns 0 for an empty value and for the end. Only the end is also a hang-up.
                guard count < 0 || isHungUp(handle) else { return receive([]) }
                onEnd?()
                return
            }
        }
    }

    private func isHungUp(_ handle: FileHandle) -> Bool {
        var descriptor = pollfd(fd: handle.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0 && descriptor.revents & Int16(POLLHUP | POLLERR) != 0
    }

    /// Converts the error of a request for a socket.
    static func refusal(_ error: BusError, of uuid: BluetoothUUID) -> BluetoothError {
        let reasons = [
            "org.bluez.Error.NotSupported": "the characteristic only indicates",
            "org.bluez.Error.NotPermitted": "another program has the socket already",
            "org.bluez.Error.InProgress": "another program is subscribed already",
            "org.freedesktop.DBus.Error.UnknownMethod": "this version of BlueZ doesn't have sockets",
        ]
        if case .remote(let name, _) = error, let reason = reasons[name] {
            return BluetoothError(.characteristic, "BlueZ gives no socket for \(uuid): \(reason)")
        }
        return BluetoothError(error, "acquiring \(uuid)")
    }
}
