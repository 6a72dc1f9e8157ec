import DBus

extension Bus {
    /// Takes a name that nobody may have but the one simulated service.
    ///
    /// - Throws: `unreachable` when somebody else has it; what the bus says, else.
    func claim(_ name: BusName) async throws(BusError) {
        guard try await own(name) else { throw .unreachable("somebody else owns \(name) on this bus") }
    }
}
