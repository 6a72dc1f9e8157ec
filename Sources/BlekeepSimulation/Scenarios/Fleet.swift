import BlekeepRecords

extension Scenario {
    /// Twenty sensors with different temperatures.
    public static let many = Scenario(
        "many", "twenty unknown sensors, more than an adapter can connect at a time; number n is about n °C warmer",
        peripherals: (1...20).map { number in
            .environmentalSensor(
                "Sensor \(number)", address: numbered(number, group: 2),
                temperature: (1000 + 100 * number)...(1050 + 100 * number)
            ).known(.none)
        })

    package static let askedName = (
        name: "asked",
        summary: "a device for each recipe, blekeep's and those of -c FILE, which must be asked; some answers get lost"
    )

    /// Returns a known device for each recipe with an example. Every seventh of its answers gets lost, comes twice, late or
    /// damaged.
    ///
    /// - Parameter devices: configured devices. Those with one of the recipes take the place of a device that is made up.
    package static func asked(_ recipes: [Recipe], configured devices: [DeviceConfiguration] = []) -> Scenario {
        let faults: [PeripheralBehavior.Answering.Fault] = [.lost, .twice, .late(.seconds(2)), .damaged]
        let taken = Set(devices.map(\.address))
        let peripherals = recipes.enumerated().flatMap { number, recipe in
            let own = devices.filter { $0.recipe == recipe.name }.map(\.address)
            // A user may have given the usual address to a device of another recipe.
            let usual = recipe.address(number + 1) ?? numbered(number + 1, group: 7)
            let addresses = own.isEmpty ? [taken.contains(usual) ? numbered(number + 1, group: 8) : usual] : own
            return addresses.compactMap { address in
                SimulatedPeripheral(recipe, address)?.behaving {
                    $0.answering = .init(faults[number % faults.count], every: 7)
                }
            }
        }
        return Scenario(askedName.name, askedName.summary, peripherals: peripherals)
    }

    /// Returns any number of known devices with any number of characteristics, for measurements and limits.
    public static func fleet(
        devices: Int, chars: Int, latency: Duration = .milliseconds(20), timing: BluezTiming = BluezTiming()
    ) -> Scenario {
        Scenario(
            "fleet", "\(devices) devices with \(chars) characteristics each",
            adapters: [SimulatedAdapter(maxConnections: max(7, devices))],
            peripherals: (1...max(1, devices)).map { number in
                var behavior = PeripheralBehavior()
                behavior.latency = latency
                return SimulatedPeripheral(
                    "Fleet \(number)", numbered(number, group: 3), behavior: behavior,
                    services: [
                        SimulatedService(
                            BluetoothUUID(0x181A),
                            (0..<chars).map { index in
                                SimulatedCharacteristic(
                                    BluetoothUUID(0x2A6E), [.read, .notify],
                                    constant: bytes(Int16(clamping: 2000 + number + index)))
                            })
                    ])
            }, timing: timing)
    }

    /// Returns a random static address that contains the group and the number.
    package static func numbered(_ number: Int, group: UInt64) -> BluetoothAddress {
        BluetoothAddress(bits: 0xF000_0000_0000 | group << 24 | UInt64(number))
    }
}

extension Recipe {
    /// An address that the recipe recognizes, and that ends with a number; `nil` if it goes by no address.
    fileprivate func address(_ number: Int) -> BluetoothAddress? {
        guard let start = recognition.first?.address else { return nil }
        let bytes = start.split(separator: ":").compactMap { UInt64($0, radix: 16) }
        guard bytes.count < 6 else { return nil }
        let bits = bytes.reduce(UInt64(0)) { $0 << 8 | $1 } << UInt64(8 * (6 - bytes.count))
        return BluetoothAddress(bits: bits | UInt64(number))
    }
}
