/// What may be done to BlueZ and its radio where nothing gentle helps. Each of them may hurt somebody else, so none is
/// done unless a person has allowed it.
package enum RecoveryStep: String, Sendable, Hashable, CaseIterable {
    /// The adapter is switched off and on again when none of its devices can be reached: every 10 minutes at most, and
    /// not while another program has a link on it.
    case powerCycle = "power_cycle"
    /// systemd is asked to restart `bluetooth.service` when that did not help, or when bluetoothd answers nothing for
    /// 5 minutes: every 30 minutes at most, and not while another program has a link on any adapter.
    case restartBluetooth = "restart_bluetooth"
    /// BlueZ's memory of an unpaired device whose values no longer fit is removed: once a day at most.
    case forgetStale = "forget_stale"
    /// `PreferredBearer` of a device for which BlueZ tries classic Bluetooth is set to `le`. BlueZ keeps that, and
    /// connects the device by itself whenever it advertises.
    case preferLowEnergy = "prefer_le"
}
