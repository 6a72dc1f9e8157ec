/// The status of `blekeep poll` in the ledger: its process, the adapters, the power, and outages.
package struct GatewayStatus: Sendable, Hashable {
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
    /// `nil` before the power was ever read.
    package var power: Power?
    /// The lines that the reader of the output missed since the start.
    package var missed: MissedLines?
    /// The slow writes since the start; `nil` when there was none.
    package var slow: SlowWrites?
    /// `nil` in a ledger from an earlier version.
    package var life: SignOfLife?

    /// The power mode and its reason, such as `low: low battery 14 %`.
    package struct Power: Sendable, Hashable, CustomStringConvertible {
        package var mode: PowerMode
        package var reason: String

        package init(mode: PowerMode, reason: String) { (self.mode, self.reason) = (mode, reason) }

        package var description: String { "\(mode.rawValue): \(reason)" }
    }

    package struct Adapter: Sendable, Hashable {
        package var name: String
        package var isOn: Bool
        package var trouble: Trouble?
        /// How blekeep hears devices with it; `nil` while it hears none.
        package var listening: Listening?

        package enum Listening: String, Sendable, CaseIterable {
            /// BlueZ's monitors hear devices without asking them.
            case passive
            /// Discovery runs in windows.
            case windows
            /// Discovery runs without a pause.
            case open
            /// `scan` is `passive`, and BlueZ can't.
            case deaf
        }

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
            package func message(now: Int64) -> String {
                switch self {
                case .cycling: "is being turned off and on"
                case .stuck: "may be stuck"
                case .noNewLinks(let since, let attempts, let devices):
                    "can't make new connections: \(attempts) attempts to \(devices) nearby devices failed in "
                        + AttemptMessages.span(from: min(since, now), to: now)
                case .tooManyDevices(let shortage): "has too little time: \(shortage.message())"
                case .noDiscovery: "can't search: BlueZ doesn't do it"
                case .noFilter: "searches without a part of the filter that BlueZ refuses"
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

        package init(name: String, isOn: Bool, trouble: Trouble? = nil, listening: Listening? = nil) {
            self.name = name
            self.isOn = isOn
            self.trouble = trouble
            self.listening = listening
        }
    }

    package init(pid: Int32, started: Int64, seen: Int64, power: Power? = nil) {
        self.pid = pid
        self.started = started
        self.seen = seen
        self.power = power
    }
}
