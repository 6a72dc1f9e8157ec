/// The status of a device in the ledger: a line of `blekeep status`. Times are in milliseconds since 1970.
package struct StoredDeviceStatus: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable {
        /// blekeep hasn't tried anything.
        case new
        /// The last tick brought values.
        case good
        /// An attempt failed, and the next one comes soon.
        case trying
        /// Attempts failed repeatedly.
        case lost
        /// Only the user can help.
        case needsYou = "needs_user"
    }

    package enum Link: String, Sendable, CaseIterable {
        /// blekeep made the connection.
        case held
        /// blekeep is connecting. A connection that is up is its own.
        case making = "connecting"
        /// Another program made the connection.
        case foreign
        case none
    }

    package var id: DeviceID
    package var address: BluetoothAddress
    /// The user's name for the device.
    package var name: String
    package var state = State.new
    /// When the state began.
    package var since: Int64
    /// When the last value came.
    package var lastGood: Int64?
    /// The number of consecutive ticks with values, and of consecutive failed attempts.
    package var goods: Int64 = 0
    package var failures: Int64 = 0
    /// The last failure; `nil` after a success.
    package var failure: ReadingFailure?
    package var remedy: OpenEnum<Remedy>?
    /// The number of the device's last entry.
    package var entries: Int64 = 0
    /// The number of attempts in that entry, and when the last of them ended.
    package var lastCount: Int64 = 0
    package var lastEnd: Int64 = 0

    /// When the next attempt or tick is due.
    package var next: Int64?
    /// The time between ticks; `nil` when the device is paused.
    package var interval: Duration?
    package var intervalReason = ""
    package var link = Link.none
    package var rssi: Int?
    /// The values that its throttles dropped since the start.
    package var thinned = ThinnedValues()
    /// `nil` for a device that no user paused.
    package var pause: UserPause?
    /// What its advertisements were recognized by; `nil` before blekeep listened to them.
    package var identity: BroadcastIdentity?

    /// - Parameter id: `nil` for that of a device without an ID of its own.
    package init(id: DeviceID? = nil, address: BluetoothAddress, name: String, since: Int64) {
        self.id = id ?? DeviceID(address)
        self.address = address
        self.name = name
        self.since = since
    }

    package init(_ device: DeviceConfiguration, since: Int64) {
        self.init(id: device.id, address: device.address, name: device.name, since: since)
    }
}

/// The status of `blekeep poll` in the ledger: its process, the adapters, the power, and outages.
package struct StoredKeeperStatus: Sendable, Hashable {
    package var pid: Int32
    /// When the process started, and when it last wrote; in milliseconds since 1970.
    package var started: Int64
    package var seen: Int64
    /// Whether the process ends by itself, after some ticks.
    package var isOneOff = false
    /// When the process ended normally; `nil` when it runs, or was killed.
    package var ended: Int64?
    /// The outage that prevents polling of all devices.
    package var outage: ReadingFailure?
    package var adapters: [Adapter] = []
    /// The power mode and its reason, such as `low: low battery 14 %`.
    package var power: String
    /// The lines that the reader of the output missed since the start.
    package var missed: MissedLines?
    /// The slow writes since the start; `nil` when there was none.
    package var slow: SlowWrites?
    /// `nil` in a ledger from an earlier version.
    package var life: SignOfLife?

    package struct Adapter: Sendable, Hashable {
        package var name: String
        package var isOn: Bool
        package var trouble: Trouble?

        package enum Trouble: Sendable, Hashable {
            /// blekeep turned the adapter off, and is about to turn it on.
            case cycling
            /// No recovery step helped.
            case stuck
            /// The adapter can't make new connections since this time, in milliseconds since 1970. Open ones go on.
            case noNewLinks(since: Int64, attempts: Int, devices: Int)
            /// The adapter lacks the air time for all its devices.
            case tooManyDevices(AirShortage)
            /// BlueZ refuses to search for devices.
            case noDiscovery
            /// BlueZ refuses a part of the filter of searches, so that blekeep searches without it.
            case noFilter

            /// Returns the message for users.
            ///
            /// - Parameter now: milliseconds since 1970.
            package func message(now: Int64) -> String {
                switch self {
                case .cycling: "is being turned off and on"
                case .stuck: "may be stuck"
                case .noNewLinks(let since, let attempts, let devices):
                    "can't make new connections: \(attempts) attempts to \(devices) nearby devices failed in "
                        + AttemptMessages.span(from: min(since, now), to: now)
                case .tooManyDevices(let shortage): "has too little time: \(shortage.message())"
                case .noDiscovery: "can't search: BlueZ refuses it, as 'blekeep doctor' shows"
                case .noFilter: "searches without a part of the filter that BlueZ refuses, as 'blekeep doctor' shows"
                }
            }

            /// A word for programs, as the history and JSON have it.
            package enum Code: String, Sendable, CaseIterable {
                case cycling, stuck
                case noNewLinks = "no_new_links"
                case tooManyDevices = "too_many_devices"
                case noDiscovery = "no_discovery"
                case noFilter = "no_filter"
            }

            package var code: Code {
                switch self {
                case .cycling: .cycling
                case .stuck: .stuck
                case .noNewLinks: .noNewLinks
                case .tooManyDevices: .tooManyDevices
                case .noDiscovery: .noDiscovery
                case .noFilter: .noFilter
                }
            }

            /// Whether it prevents reading.
            package var isGrave: Bool {
                switch self {
                case .tooManyDevices, .noFilter: false
                case .cycling, .stuck, .noNewLinks, .noDiscovery: true
                }
            }
        }

        package init(name: String, isOn: Bool, trouble: Trouble? = nil) {
            self.name = name
            self.isOn = isOn
            self.trouble = trouble
        }
    }

    /// `nil` before the power was ever read.
    package var powerMode: PowerMode? { power.split(separator: ":").first.flatMap { PowerMode(rawValue: String($0)) } }

    package init(pid: Int32, started: Int64, seen: Int64, power: String) {
        self.pid = pid
        self.started = started
        self.seen = seen
        self.power = power
    }
}
