/// A guarantee of the poller. It must hold at every step (S), or after the end of all faults (L).
package enum Invariant: String, Sendable, CaseIterable {
    /// At most one Connect is in progress on an adapter, and none during discovery.
    case noOverlap = "S1 no-overlap"
    /// At most one read is in progress on a connection.
    case oneRead = "S2 one-read"
    /// Every call and every wait ends by its deadline.
    case bounded = "S3 bounded"
    /// The poller makes no call to an object or a bluetoothd that is gone.
    case noStale = "S4 no-stale"
    /// The device just sent each stored value, a device with the status connected may be connected, and the stored status
    /// of a device is the poller's.
    case truth = "S5 truth"
    /// Each value that was read is stored, shown and written to a file once, and a server has each that it is said to have.
    case noLoss = "S6 no-loss"
    /// Sequence numbers rise, so do the times of each field of a device, and the log of attempts has no hole.
    case order = "S7 order"
    /// The poller ends no connections of other programs, and destroys nothing.
    case doNoHarm = "S8 do-no-harm"
    /// Signals of other programs than BlueZ have no effect. The poller doesn't connect a connected device.
    case noSpoof = "S9 no-spoof"
    /// Before a sleep, and at the end, all readings are on the disk.
    case flush = "S10 flush"
    /// The poller never ends by itself.
    case alive = "S11 alive"
    /// The log stays within its limit.
    case quiet = "S12 quiet"
    /// There are no more connections, reads and syncs than the intervals need, and fewer when they fail.
    case sparse = "S13 sparse"
    /// Memory use has a limit.
    case memory = "S14 memory"
    /// The poller starts nothing on a connection that it ends, and ends no connection during a read.
    case patient = "S15 patient"
    /// The poller delays a sleep only until everything is disconnected.
    case yield = "S16 yield"
    /// The poller never reaches the bus daemon's limits.
    case limits = "S17 limits"
    /// The ledger says that blekeep connects a device before it does, so that the next run knows the connection.
    case claim = "S18 claim"
    /// After a new configuration, the poller soon leaves removed devices alone, and reads the others as they are now. It
    /// doesn't disturb devices that didn't change.
    case reconfigured = "S19 reconfigured"
    /// After the end of all faults, the poller soon reads every device.
    case recover = "L1 recover"
    /// With more devices than slots, all get turns.
    case fair = "L2 fair"
    /// Readings that waited for the store are stored.
    case drain = "L3 drain"
    /// The poller retries devices that need the user.
    case unpark = "L4 unpark"
    /// The power mode is the one that the machine requires.
    case mode = "L5 mode"
    /// Each tick brings all values that the device has, and says once what it lacks.
    case complete = "L6 complete"
}

package struct Violation: Sendable, Hashable, CustomStringConvertible {
    package var invariant: Invariant
    package var moment: Duration
    package var what: String

    package var description: String { "\(invariant.rawValue) at \(moment): \(what)" }
}
