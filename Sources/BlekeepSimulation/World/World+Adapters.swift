import Blekeep
import DBus
import RunLoop

/// What can go wrong with adapters and with bluetoothd. To be called on the world's run loop.
extension World {
    public func power(adapter index: Int = 0, on isOn: Bool) {
        let radio = radio(index)
        if let adapter = bluez?.adapter(radio) { adapter.power(isOn) } else { radio.isPowered = isOn }
    }

    /// Nothing goes through the adapter any more, until `cure` or something stronger is done.
    ///
    /// - Parameter sparing: a peripheral whose link stays nevertheless.
    public func wedge(adapter index: Int = 0, until cure: Cure, sparing: String? = nil) {
        let radio = radio(index)
        radio.wedge = cure
        bluez?.adapter(radio)?.wedged(sparing: sparing)
    }

    /// It is well again by itself.
    public func unwedge(adapter index: Int = 0) {
        let radio = radio(index)
        if let adapter = bluez?.adapter(radio) { adapter.cure(.replug) } else { radio.wedge = nil }
    }

    /// The adapter is pulled out.
    public func unplug(adapter index: Int = 0) {
        let radio = radio(index)
        guard radio.isPlugged else { return }
        radio.isPlugged = false
        radio.wedge = nil
        bluez?.remove(radio)
    }

    /// The adapter is back, perhaps under another number.
    public func plug(adapter index: Int = 0, as newIndex: Int? = nil) {
        let radio = radio(index)
        guard !radio.isPlugged else { return }
        radio.isPlugged = true
        radio.index = newIndex ?? radio.index
        bluez?.add(radio)
    }

    /// bluetoothd dies and is started again after a while, if the world is run by `run()` or `mounted`.
    public func restartBluez(after delay: Duration) {
        stop()
        startLater(delay)
    }

    /// bluetoothd is told to end, and takes leave of everybody: its adapters go first.
    func endBluez() {
        for radio in radios {
            bluez?.adapter(radio)?.sayOff()
            bluez?.remove(radio)
        }
    }

    private func radio(_ index: Int) -> Radio {
        guard let radio = radios.first(where: { $0.index == index }) else {
            preconditionFailure("no adapter \(index) in scenario \(scenario.name)")
        }
        return radio
    }
}
