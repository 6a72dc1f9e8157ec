/// Faults of adapters and of bluetoothd. Call these on the world's run loop.
extension World {
    public func power(adapter index: Int = 0, on isOn: Bool) {
        let radio = radio(index)
        if let adapter = bluez?.adapter(radio) { adapter.power(isOn) } else { radio.isPowered = isOn }
    }

    /// Makes the adapter stuck, until `cure` or a stronger cure.
    ///
    /// - Parameters:
    ///   - index: the adapter's place in the scenario.
    ///   - cure: the weakest recovery step that ends it.
    ///   - sparing: the name of a peripheral whose connection stays.
    public func wedge(adapter index: Int = 0, until cure: Cure, sparing: String? = nil) {
        let radio = radio(index)
        radio.wedge = cure
        bluez?.adapter(radio)?.wedged(sparing: sparing)
    }

    /// Ends the stuck state of the adapter.
    public func unwedge(adapter index: Int = 0) {
        let radio = radio(index)
        if let adapter = bluez?.adapter(radio) { adapter.cure(.replug) } else { radio.wedge = nil }
    }

    /// Unplugs the adapter.
    public func unplug(adapter index: Int = 0) {
        let radio = radio(index)
        guard radio.isPlugged else { return }
        radio.isPlugged = false
        radio.wedge = nil
        bluez?.remove(radio)
    }

    /// Plugs the adapter in again, perhaps with another number, which no other adapter has.
    public func plug(adapter index: Int = 0, as newIndex: Int? = nil) {
        let radio = radio(index)
        guard !radio.isPlugged else { return }
        let number = newIndex ?? radio.index
        precondition(!radios.contains { $0 !== radio && $0.index == number }, "another adapter has number \(number)")
        radio.isPlugged = true
        radio.index = number
        bluez?.add(radio)
    }

    /// Kills bluetoothd. `run()` or `mounted` starts it again after `delay`.
    public func restartBluez(after delay: Duration) {
        stop()
        startLater(delay)
    }

    /// Ends bluetoothd in order. It first removes its adapters.
    package func endBluez() {
        for radio in radios {
            bluez?.adapter(radio)?.sayOff()
            bluez?.remove(radio)
        }
    }

    func radio(_ index: Int) -> Radio {
        guard let radio = radios.first(where: { $0.index == index }) else {
            preconditionFailure("no adapter \(index) in scenario \(scenario.name)")
        }
        return radio
    }
}
