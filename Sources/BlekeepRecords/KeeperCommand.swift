/// A command of a user to the running poller, about one device.
package struct KeeperCommand: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        /// Read the device now. Its later ticks don't move.
        case poll
        case pause(PauseLength)
        case resume
        /// Write a characteristic that the configuration allows to write, and read the device.
        case write(WriteRequest)
    }

    package var device: DeviceID
    package var action: Action

    package init(_ action: Action, _ device: DeviceID) {
        self.device = device
        self.action = action
    }
}

/// A value for a characteristic.
package struct WriteRequest: Sendable, Hashable {
    /// `nil` for the first service with the characteristic.
    package var service: BluetoothUUID?
    package var characteristic: BluetoothUUID
    /// The number among the same characteristics, from 1.
    package var instance: Int
    package var value: ValueText

    package init(
        service: BluetoothUUID? = nil, characteristic: BluetoothUUID, instance: Int = 1, value: ValueText
    ) {
        self.service = service
        self.characteristic = characteristic
        self.instance = instance
        self.value = value
    }

    /// Whether both name the same characteristic.
    package func hasTarget(of other: WriteRequest) -> Bool {
        service == other.service && characteristic == other.characteristic && instance == other.instance
    }
}

extension DeviceConfiguration {
    /// Whether the configuration allows this write.
    package func allows(_ request: WriteRequest) -> Bool {
        mode != .passive
            && characteristics.contains {
                $0.isWritable && $0.characteristic == request.characteristic
                    && ($0.service == nil || request.service == nil || $0.service == request.service)
            }
    }
}
