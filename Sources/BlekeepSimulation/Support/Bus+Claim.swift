import DBus

extension Bus {
    /// Takes a name that no other program may own.
    /// Throws `unreachable` when another program owns it; otherwise the error of the bus.
    package func claim(_ name: BusName) async throws(BusError) {
        guard try await own(name) else { throw .unreachable("another program owns \(name) on this bus") }
    }
}
