import DBus
import RunLoop

extension Link {
    /// The values that the device sends by itself, from now on; ends with the link, or when nobody listens any more.
    /// Who is slow loses the oldest of more than 256.
    public func notifications(
        of characteristic: Characteristic
    ) async throws(BluetoothError) -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(256))
        let path = characteristic.path
        try await ask("subscribing to \(characteristic.uuid)", at: path) { link throws(BusError) in
            let entry = link.core.notifications.add(
                at: path, receive: { continuation.yield($0) }, end: { continuation.finish() })
            do throws(BusError) {
                try await link.adoptRules()
                try await link.startNotify(path)
            } catch {
                entry.remove()
                throw error
            }
            continuation.onTermination = { _ in
                link.core.loop.perform {
                    if entry.remove(), !link.core.isClosed { link.stopNotify(path) }
                }
            }
        }
        return stream
    }

    /// The same as `notifications(of:)` for high rates: BlueZ hands out a socket, and the values do not pass the message
    /// bus. Ends with the link, or when nobody listens any more. Who is slow loses the oldest of more than 4096.
    ///
    /// - Throws: `characteristic` where BlueZ gives no socket; `notifications(of:)` may do then.
    public func acquiredNotifications(
        of characteristic: Characteristic
    ) async throws(BluetoothError) -> (values: AsyncStream<[UInt8]>, mtu: Int) {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(4096))
        let path = characteristic.path
        let link = link
        let result: Result<UInt16, BusError> = await core.onLoop { core in
            do throws(BusError) {
                let acquired = try await link.acquireNotify(path)
                let socket = NotifySocket(acquired.first, on: core.loop) { continuation.yield($0) }
                let finish = {
                    socket.close()
                    continuation.finish()
                }
                let entry = core.notifications.add(at: path, takesSignals: false, receive: { _ in }, end: finish)
                socket.onEnd = finish
                continuation.onTermination = { _ in
                    core.loop.perform {
                        socket.close()
                        entry.remove()
                    }
                }
                return .success(acquired.second)
            } catch { return .failure(error) }
        }
        do throws(BusError) { return (stream, Int(try result.get())) } catch {
            throw NotifySocket.refusal(error, of: characteristic.uuid)
        }
    }
}
