import Blekeep
import BlekeepOutputs
import BlekeepSimulation

/// Of formats that nothing else recognizes.
private let companies: [UInt16] = [
    0xEC88, 0x0969, 0x0059, 0x2449, 0x00DC, 0x02E1, 0x0702, 0x0133, 0x06D5, 0x4152, 0x8290, 0x089A, 0xEF88, 0xAA55,
    0x0010,
]
private let services: [UInt16] = [
    0x181A, 0xFE95, 0xFDCD, 0xFD3D, 0x181B, 0x181C, 0x181D, 0x181E, 0xF525, 0xFEAB, 0x2A6E, 0xAA20,
]

extension Subject {
    /// The advertised data of devices.
    package static let adverts = Subject(name: "advertising data") { dice in
        let bytes = dice.bytes(upTo: 256)
        let key = AdvertisementKey([UInt8](repeating: 7, count: 16))
        var heard: [Broadcast?] = []
        var data = AdvertisedData(address: anyAddress)
        // One decoder takes all that follows, as from one device; the others are new.
        var listener = BroadcastDecoder(key: key)
        func hear(_ format: BroadcastFormat? = nil) {
            var decoder = BroadcastDecoder(format: format, key: key)
            heard += decoder.decode(data).map(\.broadcast)
            heard += listener.decode(data, change: .changed(manufacturerData: true, serviceData: true)).map(\.broadcast)
        }
        for head in [[], [0x40], [0x41], [0x44], [UInt8(0)], [0x10], [0x20], [0x30]] {
            for service in [BTHome.service, Eddystone.service] {
                data.serviceData = [service: head + bytes]
                hear()
            }
        }
        for head in [[], [3], [5], [6], [UInt8(2), 0x15]] {
            for company in [Ruuvi.company, IBeacon.company] {
                data.manufacturerData = [company: head + bytes]
                hear()
            }
        }
        // Each format has a subject of its own below.
        let format = dice.pick(BroadcastFormat.allCases)
        data.name = dice.pick(["TP357", "TP972", "sps", "iBBQ", "GVH5075", "GVH5178", "MOCREO", "WoSensorTH"])
        data.manufacturerData = [companies[dice.below(companies.count)]: bytes]
        for service in services {
            data.serviceData = [BluetoothUUID(service): bytes]
            hear(format)
            hear()
        }
        for broadcast in heard {
            if let broadcast, let problem = check(broadcast.measurements) { return problem }
        }
        return nil
    }

    /// Each advertising format by itself, so that each gets as many packets: those of its simulated sensors, cut, changed, or
    /// with other bytes behind their beginning.
    package static let formats: [Subject] = BroadcastFormat.allCases.map { format in
        let sensors = Scenario.beacons.peripherals.filter { $0.services.isEmpty }.map { sensor in
            let data = sensor.data(at: .zero)
            return AdvertisedData(
                address: sensor.address, name: sensor.name, services: sensor.advertised,
                manufacturerData: data.manufacturerData, serviceData: data.serviceData)
        }
        let key = SensorTable.key(of: "Boat")
        let samples = sensors.filter { data in
            var decoder = BroadcastDecoder(key: data.manufacturerData[0x02E1] == nil ? nil : key)
            return decoder.decode(data).contains { $0.format == format && $0.broadcast != nil }
        }
        return Subject(name: "format \(format.rawValue)") { dice in
            guard var data = samples.randomElement(using: &dice) else { return "no sensor" }
            func other(_ bytes: [UInt8]) -> [UInt8] {
                switch dice.below(4) {
                case 0: Array(bytes.prefix(dice.below(bytes.count + 1)))
                case 1: dice.broken(bytes)
                case 2: dice.broken(Array(bytes.prefix(dice.below(9)))) + dice.bytes(upTo: 30)
                default:
                    bytes.prefix(dice.below(6))
                        + (0..<max(0, bytes.count - 6)).map { _ in dice.byte() }
                }
            }
            data.manufacturerData = data.manufacturerData.mapValues(other)
            data.serviceData = data.serviceData.mapValues(other)
            var decoder = BroadcastDecoder(
                format: dice.below(2) == 0 ? format : nil, key: format == .victron || dice.below(8) == 0 ? key : nil)
            for packet in decoder.decode(data) {
                guard let broadcast = packet.broadcast else { continue }
                if let problem = check(broadcast.measurements) { return problem }
                for value in broadcast.measurements where !broadcast.format.hasField(value.field) {
                    return "\(broadcast.format) has no field \(value.field)"
                }
            }
            return nil
        }
    }

    /// Each decoder by itself, so that each gets as many inputs.
    package static let decoders: [Subject] = {
        let numbers: [(String, BluetoothUUID)] = (UInt16(0x2A00)...0x2CFF).map { number in
            (String(number, radix: 16), BluetoothUUID(number))
        }
        let layouts = numbers.compactMap { name, uuid in
            LayoutDecoder(uuid).map { decoder in
                Subject(name: "decoder \(name)") { dice in
                    check((try? decoder.decode(dice.bytes(upTo: 64))) ?? [])
                }
            }
        }
        let formats = (UInt8(0)...28).map { code in
            Subject(name: "presentation format \(code)") { dice in
                let descriptor = [code] + (0..<6).map { _ in dice.byte() }
                guard let format = try? PresentationFormat(dice.below(9) == 0 ? dice.broken(descriptor) : descriptor),
                    let measurement = try? format.decode(dice.bytes(upTo: 64))
                else { return nil }
                return check([measurement])
            }
        }
        return layouts + formats
    }()

    /// Whatever came out can be shown to people and written for programs.
    package static func check(_ measurements: [Measurement]) -> String? {
        for measurement in measurements.prefix(64) {
            _ = DisplayUnit.human(measurement)
            guard let value = measurement.value else { continue }
            var bytes: [UInt8] = []
            JSONText.append(value, to: &bytes)
            if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "JSON of \(measurement)" }
            if case .number(let number) = value, !number.isFinite { return "not finite: \(measurement)" }
        }
        return nil
    }
}
