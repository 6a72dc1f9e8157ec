// A program as a user of the library writes it: its main is async, on the default pool; built in CI, and run there
// against the simulated world, and with real BlueZ in the lab.
import Blekeep

@main
struct Sample {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let address = BluetoothAddress(arguments.first ?? "") else {
            print("usage: blekeep-sample ADDRESS            three ticks that read the battery level")
            print("       blekeep-sample ADDRESS CHARACTERISTIC")
            print("                                         keep a connection, and write there, for five connections")
            return
        }
        let central = try await Central()
        if let characteristic = arguments.dropFirst().first.flatMap({ BluetoothUUID($0) }) {
            await keep(central, address, writing: characteristic)
        } else {
            await poll(central, address)
        }
    }

    static func poll(_ central: Central, _ address: BluetoothAddress) async {
        let keepAlive = KeepAlive.shared
        keepAlive.onKeepAliveCallback = { tick in
            do {
                let bytes = try await central.peripheral(address).withLink { try await $0.read(BluetoothUUID(0x2A19)) }
                print("tick \(tick.number) (\(tick.reason), on \(tick.power)): battery \(bytes)")
                return .newData
            } catch {
                print("tick \(tick.number): \(error)")
                return .failed
            }
        }
        let ticks = keepAlive.ticks
        keepAlive.start(interval: .seconds(5))
        for await tick in ticks where tick.number == 2 { break }
        keepAlive.stop()
    }

    static func keep(_ central: Central, _ address: BluetoothAddress, writing uuid: BluetoothUUID) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await state in central.adapterStates { print("adapter:", state) } }
            var connections = 0
            for await state in central.peripheral(address).keepConnected() {
                print("connection:", state)
                guard case .connected(let link) = state else { continue }
                do { try await use(link, writing: uuid) } catch { print("error:", error) }
                connections += 1
                if connections == 5 { break }
            }
            group.cancelAll()
        }
    }

    static func use(_ link: Link, writing uuid: BluetoothUUID) async throws {
        for service in await link.services {
            print("service:", service.uuid, service.characteristics.map(\.uuid))
        }
        let characteristic = try await link.characteristic(uuid)
        let length = try await link.maxWriteLength(withResponse: false)
        print("MTU:", try await link.mtu, "without a response:", length)
        for size in [length, length + 1] {
            do {
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
                try await link.write(bytes, to: characteristic, withResponse: false)
                print("wrote \(size) bytes, which is \(try await link.read(characteristic) == bytes)")
            } catch { print("error:", error) }
        }
    }
}
