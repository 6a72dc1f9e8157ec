/// The status of a device, as it is stored, sent to sinks and D-Bus, and shown. Times are in milliseconds since 1970.
package struct DeviceStatus: Sendable, Hashable {
    /// The connection, and what blekeep does with it.
    package enum Link: String, Sendable, CaseIterable {
        /// Not connected, and no connection is needed now.
        case released
        /// Never connected. blekeep takes the device's advertisements.
        case listening
        /// BlueZ doesn't know the device yet.
        case searching
        /// blekeep is connecting. A connection that is up is its own.
        case connecting
        /// blekeep made the connection: it waits for the services, reads, keeps it without work, or ends it.
        case resolving, reading, held, closing
        /// Another program made the connection.
        case foreign

        package var isConnected: Bool {
            switch self {
            case .released, .listening, .searching, .connecting: false
            case .resolving, .reading, .held, .closing, .foreign: true
            }
        }

        /// Whether blekeep made the connection, or is making it.
        package var isOurs: Bool { self == .connecting || isConnected && self != .foreign }

        /// Whether there is no connection, and no attempt to make one.
        package var isIdle: Bool { !isOurs && self != .foreign }
    }

    package var id: DeviceID
    package var address: BluetoothAddress
    /// The user's name for the device.
    package var name: String
    package var condition = DeviceCondition.new
    /// When the condition's state began.
    package var since: Int64
    /// When the last value came.
    package var lastValue: Int64?
    /// The number of the device's last entry in the log of attempts.
    package var entries: Int64 = 0
    /// The number of attempts in that entry, and when the last of them ended.
    package var lastCount: Int64 = 0
    package var lastEnd: Int64 = 0

    /// When the next attempt or tick is due.
    package var next: Int64?
    /// The time between ticks; `nil` when the device is paused.
    package var interval: Duration?
    package var intervalReason = ""
    package var link = Link.released
    package var rssi: Int?
    /// The values that its throttles dropped since the start.
    package var thinned = ThinnedValues()
    /// `nil` for a device that no user paused.
    package var pause: UserPause?
    /// What its advertisements were recognized by; `nil` before blekeep listened to them.
    package var identity: BroadcastIdentity?

    /// - Parameter id: `nil` for that of a device without an ID of its own.
    package init(
        id: DeviceID? = nil, address: BluetoothAddress, name: String, condition: DeviceCondition = .new, since: Int64
    ) {
        self.id = id ?? DeviceID(address)
        self.address = address
        self.name = name
        self.condition = condition
        self.since = since
    }

    package init(_ device: DeviceConfiguration, since: Int64) {
        self.init(id: device.id, address: device.address, name: device.name, since: since)
    }

    package var state: DeviceCondition.State { condition.state }
    /// The last failure; `nil` when everything was read.
    package var failure: ReadingFailure? { condition.failure }

    /// Takes the device's condition at `time`.
    package mutating func record(_ condition: DeviceCondition, at time: Int64) {
        if state != condition.state { since = time }
        self.condition = condition
        if state == .good { lastValue = time }
    }
}
