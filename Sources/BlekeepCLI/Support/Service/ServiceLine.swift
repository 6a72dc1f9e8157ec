import Blekeep
import BlekeepOutputs

/// The status of the poller in a line, such as `3 devices: 2 good, 1 lost; hci0 off`. Pure.
struct ServiceLine {
    private var devices: [DeviceID: DeviceStatus] = [:]
    private var keeper: GatewayStatus?

    mutating func apply(_ changes: LedgerChanges) {
        for status in changes.statuses {
            devices[status.id] = changes.leftDevices.contains(status.id) ? nil : status
        }
        if let keeper = changes.keeper { self.keeper = keeper }
    }

    var text: String {
        if let outage = keeper?.outage { return Untrusted(Advice.message(outage), limit: 200).description }
        let states = Dictionary(grouping: devices.values) { $0.pause == nil ? $0.state.words : "paused" }
        let order = DeviceCondition.State.allCases.map(\.words) + ["paused"]
        let counts = order.compactMap { state in states[state].map { "\($0.count) \(state)" } }
        let off = keeper?.adapters.filter { !$0.isOn }.map { "; \(Untrusted($0.name)) off" }.joined() ?? ""
        let noun = devices.count == 1 ? "device" : "devices"
        return "\(devices.count) \(noun)\(counts.isEmpty ? "" : ": ")\(counts.joined(separator: ", "))\(off)"
    }
}
