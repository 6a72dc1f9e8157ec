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
        /// What power and rhythm make of it at the moment; `nil`: no ticks.
        package var pace: Duration?
        package var nextTick: Uptime
        /// The device is left alone until then, after a failure.
        package var notBefore: Uptime
        package var goodTicks: Int
        package var failedTicks: Int
        /// What went wrong last; `nil` as soon as something goes well.
        package var lastFailure: ReadingFailure?
    }

    package enum Link: String, Sendable {
        /// No link, and none is wanted at the moment.
        case released
        /// BlueZ has not heard of the device yet.
        case searching
        /// It was tried in vain, and will be again.
        case waiting
        case connecting, resolving, reading, held, closing
    }

    package var devices: [Device]
    /// What keeps every device from being polled, in words.
    package var outage: String?
    /// How much has to be saved, and why.
    package var power: PowerStatus

    init(_ state: KeeperState, at now: Uptime, rssi: (DeviceState) -> Int?) {
        devices = state.devices.map { device in
            Device(
                name: device.plan.name, address: device.plan.address, link: Link(device, at: now), rssi: rssi(device),
                interval: device.plan.shortestInterval, pace: device.shortestInterval, nextTick: device.nextTick,
                notBefore: device.notBefore,
                goodTicks: device.good, failedTicks: device.bad, lastFailure: device.lastFailure)
        }
        power = state.power
        switch state.outage {
        case .bus(let why): outage = why
        case .bluez: outage = "bluetoothd is not running"
        case nil: outage = nil
        }
    }
}

extension KeeperStatus.Link {
    fileprivate init(_ device: DeviceState, at now: Uptime) {
        switch device.activity {
        case .connecting: self = .connecting
        case .resolving: self = .resolving
        case .polling: self = .reading
        case .disconnecting: self = .closing
        case .none where device.isConnected: self = .held
        case .none where now < device.notBefore: self = .waiting
        case .none where device.tick != nil && device.facts == nil: self = .searching
        case .none: self = .released
        }
    }
}
