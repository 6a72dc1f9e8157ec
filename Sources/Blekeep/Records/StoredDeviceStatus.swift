/// How the keeper and a device stand to each other: a line of `blekeep status`.
package struct StoredDeviceStatus: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable {
        /// Nothing was tried so far.
        case new
        /// The last tick brought values.
        case good
        /// Something failed, and is tried again soon.
        case trying
        /// It failed again and again.
        case lost
        /// Only a person can help.
        case needsYou = "needs you"
    }

    package enum Link: String, Sendable, CaseIterable {
        /// A link that we made.
        case held
        /// A link that we are making: if it is up, it is ours.
        case making = "connecting"
        /// A link that somebody else made.
        case foreign
        case none
    }

    package var address: BluetoothAddress
    /// As the person calls it.
    package var name: String
    package var state = State.new
    /// Since when, in milliseconds since 1970, as all times here.
    package var since: Int64
    /// When a value came last; `nil`: never.
    package var lastGood: Int64?
    /// Ticks with values, and attempts without, in a row.
    package var goods: Int64 = 0
    package var failures: Int64 = 0
    /// What went wrong last; `nil` as soon as something goes well.
    package var failure: ReadingFailure?
    package var remedy: OpenEnum<Remedy>?
    /// The number of its last entry.
    package var entries: Int64 = 0
    /// How many attempts that one counts by now, and when the last of them ended.
    package var lastCount: Int64 = 0
    package var lastEnd: Int64 = 0

    // As the keeper saw it when this was written.
    /// When something is due next.
    package var next: Int64?
    /// From tick to tick; `nil`: it is paused.
    package var interval: Duration?
    package var intervalReason = ""
    package var link = Link.none
    package var rssi: Int?
    /// What its throttles have dropped since the start.
    package var thinned = ThinnedValues()

    package init(address: BluetoothAddress, name: String, since: Int64) {
        self.address = address
        self.name = name
        self.since = since
    }
}

/// What stands above all devices, and the process that keeps them.
package struct StoredKeeperStatus: Sendable, Hashable {
    package var pid: Int32
    /// When it started, and when it wrote last; in milliseconds since 1970.
    package var started: Int64
    package var seen: Int64
    /// When it ended in good order; `nil`: it runs, or it was killed.
    package var ended: Int64?
    /// What keeps every device from being polled.
    package var outage: ReadingFailure?
    /// Each adapter with whether it is on.
    package var adapters: [Adapter] = []
    /// The power mode and why it is this one.
    package var power: String
    /// What the reader of the output has missed since the start.
    package var missed: MissedLines?
    /// `nil` in what an earlier version has written.
    package var life: SignOfLife?

    package struct Adapter: Sendable, Hashable {
        package var name: String
        package var isOn: Bool
        package var trouble: Trouble?

        package enum Trouble: Sendable, Hashable {
            /// It was switched off by us, and is about to be switched on.
            case cycling
            /// Nothing that was tried has helped.
            case stuck
            /// No link has been made since then, in milliseconds since 1970, though so many devices are there; those
            /// that are up go on.
            case noNewLinks(since: Int64, attempts: Int, devices: Int)
            /// Its devices are read less often than they should be.
            case tooManyDevices(AirShortage)

            /// - Parameter now: in milliseconds since 1970.
            package func words(now: Int64) -> String {
                switch self {
                case .cycling: "is being switched off and on"
                case .stuck: "may be stuck"
                case .noNewLinks(let since, let attempts, let devices):
                    "can't make new connections: \(attempts) attempts to \(devices) nearby devices failed in "
                        + AttemptMessages.span(from: min(since, now), to: now)
                case .tooManyDevices(let shortage): "has too little time: \(shortage.words())"
                }
            }

            /// One word, for programs.
            package var code: String {
                switch self {
                case .cycling: "cycling"
                case .stuck: "stuck"
                case .noNewLinks: "no_new_links"
                case .tooManyDevices: "too_many_devices"
                }
            }

            /// Whether devices can't be read at all for it.
            package var isGrave: Bool { if case .tooManyDevices = self { false } else { true } }
        }

        package init(name: String, isOn: Bool, trouble: Trouble? = nil) {
            self.name = name
            self.isOn = isOn
            self.trouble = trouble
        }
    }

    package init(pid: Int32, started: Int64, seen: Int64, power: String) {
        self.pid = pid
        self.started = started
        self.seen = seen
        self.power = power
    }
}
