// The examples of the documentation, each as a function, so that they compile as a user's program does. `ExampleTests` compares
// them. After a change of an example: RECORD_SNAPSHOTS=1 swift test --filter ExampleTests. If old examples no longer compile,
// first delete all below the mark.
// swift-format-ignore-file
import Blekeep
import BlekeepSimulation
import Foundation
import Glibc

/// What the examples use without a declaration.
struct Given: Sendable {
    let central: Central
    let address: BluetoothAddress
    let link: Link
    let characteristic: Link.Characteristic
    let decoder: any Decoder
    let bytes: [UInt8]
}

func readMySensors(within time: Duration) async -> Bool { true }
func upload() async {}

// MARK: Examples

extension Given {
    /// README.md
    func README1() async throws {
        KeepAlive.shared.onKeepAliveCallback = { tick in       // at once, then every 30 s
            await readMySensors(within: tick.remaining) ? .newData : .failed
        }
        KeepAlive.shared.start()
        let central = try await Central()                       // read a device yourself
        let bytes = try await central.peripheral(address).withLink { try await $0.read(BluetoothUUID(0x2A6E)) }
        _ = (central, bytes)
    }
}

extension Given {
    /// Sources/Blekeep/Blekeep.docc/Simulation.md
    func Simulation1() async throws {
        try await World.serve(.house) { world, address in
            setenv("DBUS_SYSTEM_BUS_ADDRESS", address, 1)
            world.hide("Freezer")           // out of range
            // Start what you want to test, and check it here.
        }
    }
}

extension Given {
    /// Sources/Blekeep/Blekeep.docc/Simulation.md
    func Simulation2() async throws {
        try await World.serve(gateways: Scenario.house.gateways(2)) { worlds, addresses in
            worlds[0].move("Freezer", attenuation: 60)      // out of range of the first gateway
            worlds[1].move("Freezer", attenuation: 0)       // beside the second one
        }
    }
}

extension Given {
    /// Sources/Blekeep/Blekeep.docc/UsingTheLibrary.md
    func UsingTheLibrary2() async throws {
        struct Thermometer {
            static func main() async throws {
                let temperature = BluetoothUUID(0x2A6E)
                guard let address = BluetoothAddress("F0:00:00:00:00:01"), let decoder = LayoutDecoder(temperature) else { return }
                let central = try await Central()
                let bytes = try await central.peripheral(address).withLink { try await $0.read(temperature) }
                for measurement in try decoder.decode(bytes) {
                    if case .number(let number)? = measurement.value { print(number, measurement.unit ?? "") }     // 20.5 °C
                }
            }
        }
    }
}

extension Given {
    /// Sources/Blekeep/Blekeep.docc/UsingTheLibrary.md
    func UsingTheLibrary3() async throws {
        KeepAlive.shared.onKeepAliveCallback = { tick in
            await readMySensors(within: tick.remaining) ? .newData : .failed
        }
        KeepAlive.shared.start(interval: .seconds(30))
    }
}

extension Given {
    /// Sources/Blekeep/Blekeep.docc/UsingTheLibrary.md
    func UsingTheLibrary4() async throws {
        do {
            print(try await central.peripheral(address).withLink { try await $0.read(BluetoothUUID(0x2A19)) })
        } catch let error as BluetoothError {
            switch error.code {
            case .notFound, .link, .timedOut: print("next time, perhaps: \(error)")
            case .pairing: print("run 'blekeep pair \(address)': \(error)")
            case .noBluez, .noAdapter, .adapterOff: print("run 'blekeep doctor': \(error)")
            case .characteristic, .unsupported: print("another device? \(error)")
            }
        }
    }
}

extension Given {
    /// Sources/Blekeep/Blekeep.docc/UsingTheLibrary.md
    func UsingTheLibrary5() async throws {
        for await state in central.peripheral(address).keepConnected() {
            switch state {
            case .connecting, .reconnecting: print(state)
            case .connected(let link): print(await link.services.map(\.uuid))
            case .disconnected(let why): print(why, why.end ?? .unknown, why.pause ?? .zero)
            }
        }
    }
}

extension Given {
    /// Sources/Blekeep/Blekeep.docc/UsingTheLibrary.md
    func UsingTheLibrary6() async throws {
        for await state in central.adapterStates { print(state) }      // poweredOn, poweredOff, noAdapter, noBluez
    }
}

extension Given {
    /// Sources/Blekeep/Blekeep.docc/UsingTheLibrary.md
    func UsingTheLibrary7() async throws {
        let length = try await link.maxWriteLength(withResponse: false)      // mtu − 3
        for start in stride(from: 0, to: bytes.count, by: length) {
            try await link.write(Array(bytes[start...].prefix(length)), to: characteristic, withResponse: false)
        }
        _ = (length)
    }
}

extension Given {
    /// Sources/Blekeep/Blekeep.docc/UsingTheLibrary.md
    func UsingTheLibrary8() async throws {
        try await central.peripheral(address).withLink { link in
            let heartRate = try await link.characteristic(BluetoothUUID(0x2A37))
            for await bytes in try await link.notifications(of: heartRate) {
                print(try LayoutDecoder(BluetoothUUID(0x2A37))?.decode(bytes) ?? [])
            }
        }
    }
}

extension Given {
    /// Sources/Blekeep/Blekeep.docc/UsingTheLibrary.md
    func UsingTheLibrary9() async throws {
        var decoders: [BluetoothAddress: BroadcastDecoder] = [:]
        for try await heard in central.scan(for: .seconds(5)) {
            print(heard.address, heard.name ?? "", heard.rssi ?? 0)
            let packets = decoders[heard.address, default: BroadcastDecoder()].decode(heard.data, change: heard.change)
            for packet in packets { print(packet.broadcast?.measurements ?? []) }
        }
        _ = (decoders)
    }
}

extension Given {
    /// Sources/Blekeep/Blekeep.docc/UsingTheLibrary.md
    func UsingTheLibrary10() async throws {
        let options = PairingOptions(secret: PairingSecret("123456"))
        let bytes = try await central.peripheral(address).pair(options) { link, wasPaired in
            try await link.read(BluetoothUUID(0x2A6E))
        }
        _ = (options, bytes)
    }
}

extension Given {
    /// Sources/Blekeep/Blekeep.docc/UsingTheLibrary.md
    func UsingTheLibrary11() async throws {
        let layout = OwnLayout(
            characteristic: BluetoothUUID(0xFFF1), notation: "temperature sint16 *1e-2 °C 0x8000=unknown; battery uint8 %")
        let values = try layout.map { try LayoutDecoder($0).decode(bytes) }
        _ = (layout, values)
    }
}

extension Given {
    /// Sources/BlekeepBluetooth/AdapterChoice.swift
    func AdapterChoice1() async throws {
        let central = try await Central(adapter: AdapterChoice("hci1"))
        _ = (central)
    }
}

extension Given {
    /// Sources/BlekeepBluetooth/BlekeepBluetooth.docc/BlekeepBluetooth.md
    func BlekeepBluetooth1() async throws {
        let central = try await Central()
        let bytes = try await central.peripheral(address).withLink { link in
            try await link.read(BluetoothUUID(0x2A6E))
        }
        _ = (central, bytes)
    }
}

extension Given {
    /// Sources/BlekeepBluetooth/BluetoothError.swift
    func BluetoothError1() async throws {
        do {
            print(try await central.peripheral(address).withLink { try await $0.read(BluetoothUUID(0x2A19)) })
        } catch let error as BluetoothError where error.code == .notFound {
            print("out of range: \(error)")
        }
    }
}

extension Given {
    /// Sources/BlekeepBluetooth/Central.swift
    func Central1() async throws {
        let central = try await Central()
        let value = try await central.peripheral(address).withLink { link in
            try await link.read(BluetoothUUID(0x2A6E))
        }
        _ = (central, value)
    }
}

extension Given {
    /// Sources/BlekeepBluetooth/Central.swift
    func Central2() async throws {
        for await state in central.adapterStates where state == .poweredOn {
            print("ready")
        }
    }
}

extension Given {
    /// Sources/BlekeepBluetooth/Central.swift
    func Central3() async throws {
        for try await advertisement in central.scan(for: .seconds(5)) {
            print(advertisement.address, advertisement.name ?? "", advertisement.rssi ?? 0)
        }
    }
}

extension Given {
    /// Sources/BlekeepBluetooth/KeptConnection.swift
    func KeptConnection1() async throws {
        for await state in central.peripheral(address).keepConnected() {
            print(state)
            guard case .connected(let link) = state else { continue }
            print(try await link.read(BluetoothUUID(0x2A19)))
        }
    }
}

extension Given {
    /// Sources/BlekeepBluetooth/Link+Notifications.swift
    func LinkNotifications1() async throws {
        let heartRate = try await link.characteristic(BluetoothUUID(0x2A37))
        for await bytes in try await link.notifications(of: heartRate) {
            print(try LayoutDecoder(BluetoothUUID(0x2A37))?.decode(bytes) ?? [])
        }
        _ = (heartRate)
    }
}

extension Given {
    /// Sources/BlekeepBluetooth/Link.swift
    func Link1() async throws {
        try await central.peripheral(address).withLink { link in
            print(try await link.read(BluetoothUUID(0x2A6E)))
            let control = try await link.characteristic(BluetoothUUID(0x2A3D))
            try await link.write([1], to: control)
        }
    }
}

extension Given {
    /// Sources/BlekeepBluetooth/Link.swift
    func Link2() async throws {
        let length = try await link.maxWriteLength(withResponse: false)
        for start in stride(from: 0, to: bytes.count, by: length) {
            try await link.write(Array(bytes[start...].prefix(length)), to: characteristic, withResponse: false)
        }
        _ = (length)
    }
}

extension Given {
    /// Sources/BlekeepBluetooth/PairingAgent.swift
    func PairingAgent1() async throws {
        let user = PairingUser(show: { print($0) }) { request in
            if case .confirm(let number) = request { print("Does the device show \(PasskeyText(number))?") }
            return readLine() == "yes" ? .accept : .reject
        }
        _ = (user)
    }
}

extension Given {
    /// Sources/BlekeepBluetooth/Peripheral+Pairing.swift
    func PeripheralPairing1() async throws {
        let options = PairingOptions(secret: PairingSecret("123456"))
        let bytes = try await central.peripheral(address).pair(options) { link, wasPaired in
            try await link.read(BluetoothUUID(0x2A6E))
        }
        _ = (options, bytes)
    }
}

extension Given {
    /// Sources/BlekeepBluetooth/Peripheral.swift
    func Peripheral1() async throws {
        let bytes = try await central.peripheral(address).withLink { link in
            try await link.read(BluetoothUUID(0x2A19))
        }
        _ = (bytes)
    }
}

extension Given {
    /// Sources/BlekeepKeepAlive/BackgroundTask.swift
    func BackgroundTask1() async throws {
        await KeepAlive.shared.withBackgroundTask(named: "upload", onExpiration: { print("out of time") }) {
            await upload()
        }
    }
}

extension Given {
    /// Sources/BlekeepKeepAlive/KeepAlive.swift
    func KeepAlive1() async throws {
        KeepAlive.shared.onKeepAliveCallback = { tick in
            await readMySensors(within: tick.remaining) ? .newData : .failed
        }
        KeepAlive.shared.start()
    }
}

extension Given {
    /// Sources/BlekeepKeepAlive/KeepAlive.swift
    func KeepAlive2() async throws {
        KeepAlive.shared.start(interval: .seconds(30), powerIntervals: PowerIntervals(low: .every(.seconds(300))))
    }
}

extension Given {
    /// Sources/BlekeepKeepAlive/KeepAlive.swift
    func KeepAlive3() async throws {
        for await tick in KeepAlive.shared.ticks {
            KeepAlive.shared.report(await readMySensors(within: tick.remaining) ? .newData : .failed)
        }
    }
}

extension Given {
    /// Sources/BlekeepKeepAlive/Power/PowerIntervals.swift
    func PowerIntervals1() async throws {
        let intervals = PowerIntervals(battery: .times(2), low: .every(.seconds(300)), critical: .pause)
        KeepAlive.shared.start(interval: .seconds(30), powerIntervals: intervals)
        _ = (intervals)
    }
}

extension Given {
    /// Sources/BlekeepKeepAlive/Tick.swift
    func Tick1() async throws {
        KeepAlive.shared.onKeepAliveCallback = { tick in
            print("tick \(tick.number), on \(tick.power), \(tick.remaining) left")
            return .noData
        }
    }
}

extension Given {
    /// Sources/BlekeepReadings/Advertisements/BroadcastDecoder.swift
    func BroadcastDecoder1() async throws {
        var decoders: [BluetoothAddress: BroadcastDecoder] = [:]
        for try await heard in central.scan(for: .seconds(10)) {
            let packets = decoders[heard.address, default: BroadcastDecoder()].decode(heard.data, change: heard.change)
            for packet in packets { print(heard.address, packet.broadcast?.measurements ?? []) }
        }
        _ = (decoders)
    }
}

extension Given {
    /// Sources/BlekeepReadings/AssignedNumbers.swift
    func AssignedNumbers1() async throws {
        let name = AssignedNumbers.characteristicName(BluetoothUUID(0x2A19))        // "Battery Level"
        let uuid = AssignedNumbers.characteristic(named: "battery-level")           // 2a19
        _ = (name, uuid)
    }
}

extension Given {
    /// Sources/BlekeepReadings/BlekeepReadings.docc/BlekeepReadings.md
    func BlekeepReadings1() async throws {
        let measurements = try LayoutDecoder(BluetoothUUID(0x2A6E))?.decode([0x4E, 0x09]) ?? []
        for measurement in measurements { print(DisplayUnit.human(measurement)) }      // ("23.82", "°C")
        _ = (measurements)
    }
}

extension Given {
    /// Sources/BlekeepReadings/BluetoothAddress.swift
    func BluetoothAddress1() async throws {
        guard let address = BluetoothAddress("F0:00:00:00:00:01") else { return }
        let peripheral = central.peripheral(address)
        _ = (peripheral)
    }
}

extension Given {
    /// Sources/BlekeepReadings/BluetoothUUID.swift
    func BluetoothUUID1() async throws {
        let temperature = BluetoothUUID(0x2A6E)
        let vendor = BluetoothUUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e")
        _ = (temperature, vendor)
    }
}

extension Given {
    /// Sources/BlekeepReadings/DecoderChoice.swift
    func DecoderChoice1() async throws {
        let decoder = DecoderChoice.decoder(for: characteristic.uuid)
        let measurements = try decoder.decode(try await link.read(characteristic))
        _ = (decoder, measurements)
    }
}

extension Given {
    /// Sources/BlekeepReadings/DisplayUnit.swift
    func DisplayUnit1() async throws {
        let (value, unit) = DisplayUnit.human(Measurement(field: "pressure", value: .integer(100_900), unit: "Pa"))
        print(value, unit)                                          // 1009.0 hPa
        _ = (value, unit)
    }
}

extension Given {
    /// Sources/BlekeepReadings/LayoutDecoder.swift
    func LayoutDecoder1() async throws {
        let decoder = LayoutDecoder(BluetoothUUID(0x2A6E))
        let measurements = try decoder?.decode([0x4E, 0x09]) ?? []          // temperature 23.82 °C
        _ = (decoder, measurements)
    }
}

extension Given {
    /// Sources/BlekeepReadings/Measurement.swift
    func Measurement1() async throws {
        for measurement in try decoder.decode(bytes) {
            let (value, unit) = DisplayUnit.human(measurement)
            print(measurement.field, value, unit)                           // temperature 23.82 °C
        }
    }
}

extension Given {
    /// Sources/BlekeepReadings/OwnLayout.swift
    func OwnLayout1() async throws {
        let layout = OwnLayout(
            characteristic: BluetoothUUID(0xFFF1), name: "Grill",
            notation: "flags bits8; temperature sint16 *1e-2 °C 0x8000=unknown; humidity uint8 % ?0")
        let measurements = try layout.map { try LayoutDecoder($0).decode(bytes) }
        _ = (layout, measurements)
    }
}

extension Given {
    /// Sources/BlekeepReadings/PresentationFormat.swift
    func PresentationFormat1() async throws {
        guard let descriptor = characteristic.descriptors.first(where: { $0.uuid == BluetoothUUID(0x2904) }) else { return }
        let format = try PresentationFormat(try await link.read(descriptor))
        let measurement = try format.decode(try await link.read(characteristic))
        _ = (format, measurement)
    }
}

extension Given {
    /// Sources/BlekeepReadings/Quantity.swift
    func Quantity1() async throws {
        let quantity = Quantity(field: "battery_level", unit: "%")
        print(quantity.prometheusName, quantity.base(87))                  // battery_level_ratio 0.87
        _ = (quantity)
    }
}
