import RunLoop

/// The last time that `poll` wrote to the ledger, and the time within which it writes again. A `poll` that doesn't is stuck.
package struct SignOfLife: Sendable, Hashable {
    package var clocks: ClockReading
    /// The longest time until the next write, without the machine's sleep.
    package var silence: Duration

    package init(clocks: ClockReading, silence: Duration) { (self.clocks, self.silence) = (clocks, silence) }

    /// The shortest time between two writes that are only signs of life.
    static let least: Duration = .seconds(10)
    /// The time for the work of a tick until the next write.
    package static let work: Duration = .seconds(15)
    /// An allowance for a busy machine or a slow disk.
    package static let grace: Duration = .seconds(10)

    /// Returns the expected time until the next write: until the next device is due, and some time for its work.
    package static func silence(of devices: some Sequence<DeviceSnapshot>, at now: Uptime) -> Duration {
        var next = HeartbeatScheduler.longestSilence
        for device in devices {
            guard let interval = device.interval else { continue }
            let due = device.notBefore > now ? device.notBefore : device.nextTick
            guard due < .never else { continue }
            // A device that is out of range may stay due for as long again.
            next = min(next, due > now ? due - now : max(interval, now - due))
        }
        return max(next, least) + work
    }

    /// Whether `poll` should have written again by now.
    package func isOverdue(at now: ClockReading) -> Bool {
        // The machine restarted, so a `poll` that runs now hasn't written yet.
        guard now.boot == clocks.boot, now.sinceBoot >= clocks.sinceBoot else { return true }
        return now.awake - clocks.awake > silence + Self.grace
    }
}
