import RunLoop

/// How the keeper's devices are at a moment: a picture for people, with no way back into the keeper.
package struct KeeperStatus: Sendable {
    package struct Device: Sendable {
        package var name: String
        package var address: BluetoothAddress
        package var link: Link
        /// In dBm, as BlueZ heard it last; `nil` when it was not heard of late.
        package var rssi: Int?
        /// The shortest of its points' intervals.
        package var interval: Duration
        package var nextTick: Uptime
        /// The device is left alone until then, after a failure.
        package var notBefore: Uptime
        package var goodTicks: Int
        package var failedTicks: Int
        /// What went wrong last; `nil` as soon as something goes well.
        package var lastFailure: ReadingFailure?
        /// Whether it is left alone because only the user can help.
        package var needsUser: Bool
        package var isConnected: Bool
        /// Whose link there is.
        package var standing: StoredDeviceStatus.Link
        /// From tick to tick at the moment; `nil`: it is paused.
        package var currentInterval: Duration?
        /// Why the interval is this one, in a few words.
        package var intervalReason: String
        /// What its throttles made of the values that it sent by itself, since the start.
        package var thinned = ThinnedValues()
    }

    package enum Link: String, Sendable {
        /// No link, and none is wanted at the moment.
        case released
        /// No link is wanted: what the device advertises is taken.
        case listening
        /// BlueZ has not heard of the device yet.
        case searching
        /// It was tried in vain, and will be again.
        case waiting
        case connecting, resolving, reading, held, closing
    }

    package var devices: [Device]
    /// What keeps every device from being polled, in words.
    package var outage: String? { outageFailure?.message }
    package var outageFailure: ReadingFailure?
    /// The adapters that are there.
    package var adapters: [StoredKeeperStatus.Adapter]
    /// How much has to be saved, and why.
    package var power: PowerStatus
    /// What the reader of the output has missed.
    package var missed: MissedLines?

    init(_ state: KeeperState, at now: Uptime, rssi: (DeviceState) -> Int?) {
        devices = state.devices.map { device in
            Device(
                name: device.plan.name, address: device.plan.address, link: Link(device, at: now), rssi: rssi(device),
                interval: device.plan.shortestInterval, nextTick: device.nextTick, notBefore: device.retry.notBefore,
                goodTicks: device.health.goodTicks, failedTicks: device.health.failedTicks,
                lastFailure: device.health.lastFailure,
                needsUser: device.retry.parked != nil, isConnected: device.isConnected,
                standing: state.standing(of: device.id), currentInterval: device.shortestInterval,
                intervalReason: state.intervalReason(device.id))
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
