import BlekeepRecords
internal import Foundation

/// The state of the gateway itself, as a JSON object:
///
/// ```json
/// {"version":"0.1.0","power_mode":"battery","battery":72,"backlog":0,"bluetooth_problem":false,"adapters":{"hci0":"on"},
///  "time":1764170000000}
/// ```
package struct GatewayState: Hashable, Sendable {
    /// blekeep's version.
    let version: String
    private var mode: PowerMode?
    /// The charge of the machine's battery in percent; `nil` without a battery.
    private(set) var battery: Int?
    /// The number of readings that wait for the broker.
    private(set) var backlog: Int64 = 0
    /// Whether no device can be read, or an adapter is stuck.
    private(set) var hasBluetoothProblem = false
    /// `on`, `off` or the code of a problem, by the adapter's name.
    private var adapters: [String: String] = [:]

    init(version: String) { self.version = version }

    /// Whether the history has reported the state.
    var isKnown: Bool { mode != nil }

    /// Takes changes of the history.
    ///
    /// - Parameter sink: the name of the sink whose backlog counts.
    mutating func apply(_ changes: LedgerChanges, heartbeat: Heartbeat?, sink: String) {
        if let own = changes.sinks.first(where: { $0.name == sink }) { backlog = own.backlog }
        if let heartbeat { battery = heartbeat.percentage.flatMap { Int(exactly: $0.rounded()) } }
        guard let poller = changes.poller else { return }
        mode = poller.power?.mode
        adapters = Dictionary(poller.adapters.map { ($0.name, $0.trouble?.code.rawValue ?? ($0.isOn ? "on" : "off")) })
        { $1 }
        hasBluetoothProblem =
            poller.outage != nil || !poller.adapters.contains(where: \.isOn)
            || poller.adapters.contains { $0.trouble?.isGrave == true }
    }

    /// - Parameter time: the gateway's time, in milliseconds since 1970. The broker may retain the message for long.
    package func payload(at time: Int64) -> [UInt8] {
        let adapters = adapters.sorted { $0.key < $1.key }.map { (key: $0.key, value: JSON.text($0.value)) }
        let object = JSON.object([
            "version": .text(version), "power_mode": .text(mode?.rawValue), "battery": .integer(battery),
            "backlog": .integer(Int(backlog)),
            "bluetooth_problem": .boolean(hasBluetoothProblem), "adapters": .object(adapters),
            "time": .integer(Int(time)),
        ])
        return object.bytes
    }
}

/// What a gateway says of itself, as another program reads it.
package struct GatewayStateReport: Sendable, Hashable {
    package let version: String?
    package let powerMode: PowerMode?
    /// The number of readings that wait for the broker.
    package let backlog: Int64?
    package let hasBluetoothProblem: Bool?
    /// The gateway's time when it said this, in milliseconds since 1970.
    let time: Int64?

    private struct Message: Decodable {
        var version: String?
        var power_mode: String?
        var backlog: Int64?
        var bluetooth_problem: Bool?
        var time: Int64?
    }

    /// `nil` for another message.
    package init?(_ payload: [UInt8]) {
        guard payload.count <= FleetMessage.maxLength,
            let message = try? JSONDecoder().decode(Message.self, from: Data(payload))
        else { return nil }
        version = message.version.map { Untrusted($0, limit: 32).description }
        powerMode = message.power_mode.flatMap { PowerMode(rawValue: $0) }
        backlog = message.backlog
        hasBluetoothProblem = message.bluetooth_problem
        time = message.time
    }
}
