import BlekeepRecords
import RunLoop

/// The peripherals, and the machines that hear them. A peripheral has one connection at a time, with any of these machines.
final class Air {
    private(set) var peripherals: [RadioPeripheral] = []
    private var hosts: [Host] = []

    /// Brings a machine, and those peripherals of its scenario that aren't there yet.
    func add(_ host: Host, peripherals models: [SimulatedPeripheral], seed: UInt64) {
        hosts.append(host)
        let known = Set(peripherals.map(\.model.address))
        let new = models.filter { !known.contains($0.address) }.map { RadioPeripheral($0, seed: seed) }
        peripherals += new
        for peripheral in new { changed(peripheral) }
        guard let radio = host.radios.first else { return }
        for model in models where model.acquaintance != .none {
            let isBonded = model.acquaintance == .bonded
            radio.kept[model.address] = StoredDevice(isBonded: isBonded)
            guard isBonded else { continue }
            for peripheral in peripherals where peripheral.model.address == model.address {
                peripheral.bond(with: radio)
            }
        }
    }

    // MARK: Changes

    /// Makes every machine notice that the peripheral goes out of range, comes back, or begins or stops to advertise.
    func rangeChanged(_ peripheral: RadioPeripheral) {
        peripheral.link?.rangeChanged()
        changed(peripheral)
    }

    /// Makes every machine notice that the peripheral may advertise now.
    func changed(_ peripheral: RadioPeripheral) {
        for host in hosts { host.bluez?.radioChanged(peripheral) }
    }

    /// The peripheral's objects in each bluetoothd.
    func devices(of peripheral: RadioPeripheral) -> [DeviceObject] {
        hosts.flatMap { $0.bluez?.devices(of: peripheral) ?? [] }
    }

    // MARK: Time

    /// Starts the time of peripherals that were added since the last call.
    func begin(on loop: RunLoop) {
        for peripheral in peripherals where !peripheral.hasBegun {
            peripheral.hasBegun = true
            if let nap = peripheral.behavior.nap { doze(peripheral, nap: nap, on: loop) }
        }
    }

    /// Takes the peripheral out of range and back, repeatedly.
    private func doze(_ peripheral: RadioPeripheral, nap: PeripheralBehavior.Nap, on loop: RunLoop) {
        loop.schedule(at: loop.now + (peripheral.isAway ? nap.away : nap.there)) {
            [weak self, weak peripheral, weak loop] in
            guard let self, let peripheral, let loop else { return }
            peripheral.isAway.toggle()
            self.rangeChanged(peripheral)
            self.doze(peripheral, nap: nap, on: loop)
        }
    }
}
