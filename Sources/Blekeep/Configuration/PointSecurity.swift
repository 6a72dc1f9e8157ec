/// What a link must be before a characteristic is read or subscribed to.
package enum PointSecurity: String, Sendable, CaseIterable {
    /// Anything: the device itself says no where it wants to.
    case none
    /// Of a paired device, and so encrypted.
    case encrypted
    /// Of a device that was paired with a passkey or a comparison. BlueZ does not tell how a device was paired: the
    /// keeper sees only that it is, but `blekeep pair` makes no other pairing with such a device.
    case authenticated
}
