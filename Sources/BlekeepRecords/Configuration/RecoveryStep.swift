/// A recovery step that may affect other programs. blekeep takes it only if the user allowed it.
package enum RecoveryStep: String, Sendable, Hashable, CaseIterable {
    /// Turn an adapter off and on when blekeep reaches none of its devices: at most every 10 minutes, and not while
    /// another program has a connection on it.
    case powerCycle = "power_cycle"
    /// Restart `bluetooth.service` when a power cycle didn't help, or when bluetoothd doesn't reply for 5 minutes: at
    /// most every 30 minutes, and not while another program has a connection on any adapter.
    case restartBluetooth = "restart_bluetooth"
    /// Remove an unpaired device whose values no longer match from BlueZ's cache: at most once a day.
    case forgetStale = "forget_stale"
    /// Set `PreferredBearer` to `le` for a device with which BlueZ tries classic Bluetooth. BlueZ stores that, and
    /// connects the device by itself whenever it advertises.
    case preferLowEnergy = "prefer_le"
}
