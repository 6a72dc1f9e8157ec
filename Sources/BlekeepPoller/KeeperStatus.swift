import RunLoop

/// The status of the poller and its devices at a given time, for users.
package struct KeeperStatus: Sendable {
    package struct Device: Sendable {
        package var name: String
        package var address: BluetoothAddress
        package var state: DeviceCondition.State
        package var link: Link
        /// The last signal strength in dBm; `nil` when BlueZ hasn't heard the device recently.
        package var rssi: Int?
        /// The shortest interval of its characteristics.
        package var interval: Duration
        package var nextTick: Uptime
        /// The end of the pause after a failure.
        package var notBefore: Uptime
        package var goodTicks: Int
        package var failedTicks: Int
        /// The last failure; `nil` after a success.
        package var lastFailure: ReadingFailure?
        /// Whether only the user can help.
        package var needsUser: Bool
        package var isConnected: Bool
        /// The current time between ticks; `nil` when the device is paused.
        package var currentInterval: Duration?
        /// The reason for the interval, in a few words.
        package var intervalReason: String
        /// The values that its throttles dropped since the start.
        package var thinned = ThinnedValues()
    }

    package enum Link: String, Sendable, CaseIterable {
        /// Not connected, and no connection is needed now.
        case released
        /// Never connected. blekeep takes the device's advertisements.
        case listening
        /// BlueZ doesn't know the device yet.
        case searching
        /// An attempt failed, and the next one comes after a pause.
        case waiting
        case connecting, resolving, reading, held, closing
    }

    package var devices: [Device]
    /// The message of the outage that prevents polling of all devices.
    package var outage: String? { outageFailure?.message }
    package var outageFailure: ReadingFailure?
    package var adapters: [GatewayStatus.Adapter]
    package var power: PowerStatus
    /// The lines that the reader of the output missed.
    package var missed: MissedLines?

    init(_ state: KeeperState, at now: Uptime, rssi: (DeviceState) -> Int?) {
        devices = state.devices.filter { !$0.hasLeft }.map { device in
            Device(
                name: device.plan.name, address: device.plan.address, state: device.health.condition.state,
                link: Link(device, at: now), rssi: rssi(device),
                interval: device.plan.shortestInterval, nextTick: device.nextTick, notBefore: device.retry.notBefore,
                goodTicks: device.health.goodTicks, failedTicks: device.health.failedTicks,
                lastFailure: device.health.lastFailure,
                needsUser: device.retry.userActionNeeded != nil, isConnected: device.isConnected,
                currentInterval: device.shortestInterval, intervalReason: state.intervalReason(device.id))
        }
        let machine = state.machineSnapshot
        outageFailure = machine.outage
        adapters = machine.adapters
        power = state.power
    }
}

extension KeeperStatus.Link {
    fileprivate init(_ device: DeviceState, at now: Uptime) {
        switch device.link.phase {
        case .connecting, .watching: self = .connecting
        case .resolving: self = .resolving
        case .polling: self = .reading
        case .disconnecting: self = .closing
        case .held: self = .held
        case .released where device.plan.mode == .passive: self = .listening
        case .released where device.isConnected: self = .held
        case .released where now < device.retry.notBefore: self = .waiting
        case .released where device.hasTick && !device.isKnown: self = .searching
        case .released: self = .released
        }
    }
}
