internal import Glibc

/// The machine's power supplies, from the kernel.
package struct SupplyFacts: Sendable, Hashable {
    package var state: PowerState
    /// The charge of the emptiest battery in percent; `nil` without a battery.
    package var percentage: Double?

    package init(state: PowerState, percentage: Double? = nil) {
        self.state = state
        self.percentage = percentage
    }
}

/// Reads the machine's power supplies in /sys/class/power_supply.
enum PowerSupply {
    static let folder = "/sys/class/power_supply"

    /// Returns `battery` when a battery discharges and no mains supply is online; `unknown` without the folder.
    static func facts(in folder: String = folder) -> SupplyFacts {
        guard let names = entries(of: folder) else { return SupplyFacts(state: .unknown) }
        // The batteries of mice and headsets don't power the machine.
        let supplies = names.map { "\(folder)/\($0)" }.filter { text("\($0)/scope") != "Device" }
        let batteries = supplies.filter { text("\($0)/type") == "Battery" && text("\($0)/present") != "0" }
        let hasMains = supplies.contains { text("\($0)/type") != "Battery" && text("\($0)/online") == "1" }
        let drains = batteries.contains { text("\($0)/status") == "Discharging" }
        let levels = batteries.compactMap { text("\($0)/capacity").flatMap(Int.init) }.filter { 0...100 ~= $0 }
        return SupplyFacts(state: drains && !hasMains ? .battery : .mains, percentage: levels.min().map(Double.init))
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
