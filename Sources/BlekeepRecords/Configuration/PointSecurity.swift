/// The security that a characteristic needs before blekeep reads it or subscribes to it.
package enum PointSecurity: String, Sendable, CaseIterable {
    /// None. The device itself may still require pairing.
    case none
    /// A paired device, and so an encrypted connection.
    case encrypted
    /// A device that was paired with a passkey or a comparison. BlueZ doesn't report how a device was paired. So blekeep
    /// checks only that it is paired, but `blekeep pair` refuses any other pairing with such a device.
    case authenticated
}
