/// A device's place in the configuration: what events, effects and records call it by.
typealias DeviceID = Int
