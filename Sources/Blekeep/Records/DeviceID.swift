/// A device's index in the configuration.
typealias DeviceID = Int
