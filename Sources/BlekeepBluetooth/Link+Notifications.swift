import DBus
import RunLoop

extension Link {
    /// Subscribes to a characteristic, and returns the values that the device sends, until the connection ends.
    ///
    /// ```swift
    /// let heartRate = try await link.characteristic(BluetoothUUID(0x2A37))
    /// for await bytes in try await link.notifications(of: heartRate) {
    ///     print(try LayoutDecoder(BluetoothUUID(0x2A37))?.decode(bytes) ?? [])
    /// }
    /// ```
    ///
    /// Buffers 256 values, and drops the oldest when your loop falls behind. The subscription ends with your loop.
    ///
    /// - Throws: `pairing` when the device must be paired first; `characteristic` when it can't notify; `link` or
    ///   `timedOut` when the connection ends or the device doesn't reply.
    public func notifications(of characteristic: Characteristic) async throws(BluetoothError) -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(256))
        let path = characteristic.path
        try await request("subscribing to \(characteristic.uuid)", at: path) { link throws(BusError) in
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
}
