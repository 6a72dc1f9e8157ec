import RunLoop

/// Detects an adapter that can't make new connections while existing ones work.
///
/// Only attempts to nearby devices that were read before count.
struct ConnectStallDetector: Sendable, Hashable {
    /// The consecutive failures that prove a stall.
    static let proof: (attempts: Int, devices: Int, within: Duration) = (6, 2, .seconds(120))

    private var since: Uptime?
    private var attempts = 0
    private var devices: Set<DeviceIndex> = []
    /// The reported stall with all failures since; `nil` without a stall.
    private(set) var stall: ConnectStall?

    /// Counts a failed attempt. Returns the stall to report, once.
    mutating func failed(_ device: DeviceIndex, at now: Uptime) -> ConnectStall? {
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

    /// Takes a new connection. Returns the reported stall that it ends.
    mutating func made() -> ConnectStall? {
        defer { self = ConnectStallDetector() }
        return stall
    }

    /// Forgets the failures so far, because bluetoothd or the bus caused them. A reported stall stays until a new connection.
    mutating func resetEvidence() {
        since = nil
        attempts = 0
        devices = []
    }
}
