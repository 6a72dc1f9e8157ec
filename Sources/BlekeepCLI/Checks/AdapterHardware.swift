import Blekeep

/// What the kernel says of an adapter's hardware.
enum AdapterHardware {
    /// Returns the product of a USB adapter with its numbers, such as `CSR8510 A10 (0a12:0001)`; what the device tree calls
    /// another one; `nil` where the kernel says nothing.
    static func name(of adapter: String, in folder: String = "/sys/class/bluetooth") -> String? {
        func line(_ path: String) -> String? { SystemFile.line(of: "\(folder)/\(adapter)/device/\(path)") }
        // The parent of a USB interface is the device.
        guard let vendor = line("../idVendor"), let product = line("../idProduct") else {
            return line("of_node/compatible")?.split(separator: "\0").first.map(String.init)
        }
        return "\(line("../product") ?? "USB") (\(vendor):\(product))"
    }
}
