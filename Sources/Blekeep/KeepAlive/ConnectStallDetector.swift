import RunLoop

/// Whether a radio makes new links: what is read through those that are up says nothing of that.
///
/// Only attempts count with devices that are there and have been read before: one that never could be reached, or is
/// gone, looks the same and proves nothing.
struct ConnectStallDetector: Sendable, Hashable {
    /// So many attempts in a row to so many devices, with no link made for so long, are no chance.
    static let proof: (attempts: Int, devices: Int, within: Duration) = (6, 2, .seconds(120))

    private var since: Uptime?
    private var attempts = 0
    private var devices: Set<DeviceID> = []
    /// What has been told, with what came after that; `nil`: there is nothing to tell.
    private(set) var stall: ConnectStall?

    /// An attempt to make a connection failed. Returns the stall to report, once.
    mutating func failed(_ device: DeviceID, at now: Uptime) -> ConnectStall? {
        let first = since ?? now
        since = first
        if attempts < .max { attempts += 1 }
        devices.insert(device)
        let isReported = stall != nil
        guard
            isReported
                || attempts >= Self.proof.attempts && devices.count >= Self.proof.devices
                    && now - first >= Self.proof.within
        else { return nil }
        stall = ConnectStall(since: stall?.since ?? first, attempts: attempts, devices: devices.count)
        return isReported ? nil : stall
    }

    /// A link was made. Says what is over now, if that was told.
    mutating func made() -> ConnectStall? {
        defer { self = ConnectStallDetector() }
        return stall
    }

    /// Something above the radio was to blame for what failed until now. What was told stands until a link is made.
    mutating func excuse() {
        since = nil
        attempts = 0
        devices = []
    }
}
