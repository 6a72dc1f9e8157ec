import RunLoop

/// When the keeper last wrote, and how long it may be silent after that: what tells a frozen one from one with little to
/// do.
package struct SignOfLife: Sendable, Hashable {
    package var clocks: ClockReading
    /// It writes again within this time, if only to say that it lives; time in which the machine sleeps doesn't count.
    package var silence: Duration

    package init(clocks: ClockReading, silence: Duration) {
        self.clocks = clocks
        self.silence = silence
    }

    /// It isn't written more often than this for its own sake.
    static let least: Duration = .seconds(10)
    /// How long the work of a tick may take until something is written.
    static let work: Duration = .seconds(15)
    /// How late it may be: a machine may be busy, or a disk slow.
    static let grace: Duration = .seconds(10)

    /// Returns the silence that is to be expected: until the next device is due, and a while for the work then.
    static func silence(of devices: [DeviceSnapshot], at now: Uptime) -> Duration {
        var next = HeartbeatScheduler.longestSilence
        for device in devices {
            guard let interval = device.interval else { continue }
            let due = device.notBefore > now ? device.notBefore : device.nextTick
            guard due < .never else { continue }
            // One that has been due for long, as it isn't heard, may be so for as long again.
            next = min(next, due > now ? due - now : max(interval, now - due))
        }
        return max(next, least) + work
    }

    /// Whether the keeper should have written again by now.
    package func isOverdue(at now: ClockReading) -> Bool {
        // The machine was started again since: whoever runs now has never written.
        guard now.boot == clocks.boot, now.sinceBoot >= clocks.sinceBoot else { return true }
        return now.awake - clocks.awake > silence + Self.grace
    }
}
