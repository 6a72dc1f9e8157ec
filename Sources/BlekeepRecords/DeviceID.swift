/// A device's index in the configuration.
package typealias DeviceID = Int
