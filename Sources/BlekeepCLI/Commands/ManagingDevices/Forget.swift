import ArgumentParser
import Blekeep
import BlekeepOutputs
import Glibc

struct Forget: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Remove a device and its keys from BlueZ.",
        discussion: """
            The device keeps its own keys. Put it into pairing mode before you pair it again.

            Example:
              blekeep forget F0:00:00:00:00:03
            """)

    @Argument(help: .device, completion: .device)
    var device: String

    @Flag(help: "Also remove the services that BlueZ cached; needs root.")
    var cache = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    func run() throws {
        let session = try PairingSession(device, options)
        let device = session.device
        let choice = session.adapter
        let (wasKnown, radio) = try session.run("removing \(device.name)") { central in
            let radio = await central.adapters.first { radio in
                switch choice {
                case .address(let address)?: radio.address == address
                case .name(let name)?: radio.name == name
                case nil: radio.isPowered
                }
            }
            return (try await central.peripheral(device.address).forget(), radio?.address)
        }
        let wasCached = cache ? try removeCache(of: device.address, on: radio) : false
        guard wasKnown || wasCached else { throw Failure(.notFound, "BlueZ doesn't know \(device.name)") }
        let object: JSON = .object(JSON.pairs(of: device.name, address: device.address.description, state: "forgotten"))
        try StandardOutput().line(options.json ? object.text : "removed \(device.name) from BlueZ")
    }

    /// - Returns: whether the file existed.
    private func removeCache(of device: BluetoothAddress, on radio: BluetoothAddress?) throws(Failure) -> Bool {
        guard let radio else { return false }
        let path = "/var/lib/bluetooth/\(radio)/cache/\(device)"
        if unlink(path) == 0 { return true }
        guard errno != ENOENT else { return false }
        let why = strerror(errno).map { String(cString: $0) } ?? ""
        throw Failure(.someFailed, "can't remove \(path) (\(why)); try with sudo")
    }
}
