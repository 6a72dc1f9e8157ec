import Blekeep

extension DeviceConfiguration {
    /// How long a value of this device counts as current: three intervals and a moment, as one tick that fails is no
    /// reason to worry.
    ///
    /// - Parameter interval: the interval of devices that set none.
    func valueLifetime(default interval: Duration) -> Duration {
        (adaptive?.upperBound ?? self.interval ?? interval) * 3 + .seconds(30)
    }
}
