internal import Glibc

/// What the kernel says of the machine's supplies, in /sys/class/power_supply.
enum PowerSupply {
    /// On the battery when one discharges and no mains supply is there; `unknown` where the kernel tells nothing.
    @Sendable static func state() -> PowerState { state(in: "/sys/class/power_supply") }

    static func state(in folder: String) -> PowerState {
        guard let names = entries(of: folder) else { return .unknown }
        // The batteries of mice and headsets are not what feeds the machine.
        let supplies = names.map { "\(folder)/\($0)" }.filter { text("\($0)/scope") != "Device" }
        let hasMains = supplies.contains { text("\($0)/type") != "Battery" && text("\($0)/online") == "1" }
        let drains = supplies.contains { text("\($0)/type") == "Battery" && text("\($0)/status") == "Discharging" }
        return drains && !hasMains ? .battery : .mains
    }

    private static func entries(of folder: String) -> [String]? {
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func text(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = read(file, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
