import DBus
internal import Glibc
import RunLoop

/// The socket through which BlueZ hands on what a characteristic notifies: one value a packet. On the loop.
final class NotifySocket: @unchecked Sendable {
    private var handle: FileHandle?
    private var watch: Watch?
    private let loop: RunLoop
    private let receive: ([UInt8]) -> Void
    /// Called when BlueZ has closed its end.
    var onEnd: (() -> Void)?

    init(_ handle: FileHandle, on loop: RunLoop, receive: @escaping ([UInt8]) -> Void) {
        self.handle = handle
        self.loop = loop
        self.receive = receive
        watch = loop.watch(handle.descriptor, for: Int16(POLLIN)) { [unowned self] _ in self.read() }
    }

    /// Lets BlueZ know that nobody listens any more.
    func close() {
        if let watch { loop.unwatch(watch) }
        watch = nil
        handle = nil
        onEnd = nil
    }

    /// Takes what is there; a bounded number at a time, so that a fast sender does not keep the rest waiting.
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
                // An empty value and the end look the same in a packet socket; only the end is told as a hang-up.
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

    /// Why BlueZ gave no socket, in words.
    static func refusal(_ error: BusError, of uuid: BluetoothUUID) -> BluetoothError {
        let reasons = [
            "org.bluez.Error.NotSupported": "it has none for characteristics that only indicate",
            "org.bluez.Error.NotPermitted": "another program has it already",
            "org.bluez.Error.InProgress": "another program has subscribed already",
            "org.freedesktop.DBus.Error.UnknownMethod": "this version of BlueZ has none",
        ]
        if case .remote(let name, _) = error, let reason = reasons[name] {
            return BluetoothError(.characteristic, "BlueZ gives no socket for \(uuid): \(reason)")
        }
        return BluetoothError(error, "acquiring \(uuid)")
    }
}
