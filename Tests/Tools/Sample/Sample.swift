// A program as a user of the library writes it: its main is async, on the default pool; built in CI, and run there
// against the simulated world.
import Blekeep

@main
struct Sample {
    static func main() async throws {
        guard let address = BluetoothAddress(CommandLine.arguments.dropFirst().first ?? "") else {
            print("usage: blekeep-sample ADDRESS")
            return
        }
        let central = try await Central()
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
}
