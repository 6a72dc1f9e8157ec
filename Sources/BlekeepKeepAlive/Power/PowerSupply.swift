/// The machine's power supplies, from the kernel.
package struct SupplyFacts: Sendable, Hashable {
    package var state: PowerState
    /// The charge of the emptiest battery in percent; `nil` without a battery.
    package var percentage: Double?

    package init(state: PowerState, percentage: Double? = nil) { (self.state, self.percentage) = (state, percentage) }
}

/// Reads the machine's power supplies in /sys/class/power_supply.
enum PowerSupply {
    static let folder = "/sys/class/power_supply"

    /// Returns `battery` when a battery discharges and no mains supply is online; `unknown` without the folder.
    static func facts(in folder: String = folder) -> SupplyFacts {
        guard let names = SystemFile.names(in: folder) else { return SupplyFacts(state: .unknown) }
        // The batteries of mice and headsets don't power the machine.
        let supplies = names.map { "\(folder)/\($0)" }.filter { SystemFile.line(of: "\($0)/scope") != "Device" }
        let batteries = supplies.filter {
            SystemFile.line(of: "\($0)/type") == "Battery" && SystemFile.line(of: "\($0)/present") != "0"
        }
        let hasMains = supplies.contains {
            SystemFile.line(of: "\($0)/type") != "Battery" && SystemFile.line(of: "\($0)/online") == "1"
        }
        let drains = batteries.contains { SystemFile.line(of: "\($0)/status") == "Discharging" }
        let levels = batteries.compactMap { SystemFile.line(of: "\($0)/capacity").flatMap(Int.init) }.filter {
            0...100 ~= $0
        }
        return SupplyFacts(state: drains && !hasMains ? .battery : .mains, percentage: levels.min().map(Double.init))
    }
}
