import BlekeepRecords
import DBus

/// What the poller's own object on the bus shows. Pure.
struct GatewayView {
    let version: String
    /// The gateway's name.
    var name: String
    private var keeper: GatewayStatus?
    private var sinks: [SinkStatus] = []

    init(version: String, name: String) { (self.version, self.name) = (version, name) }

    /// Takes what the history holds now.
    ///
    /// - Returns: whether it differs.
    mutating func apply(_ changes: LedgerChanges) -> Bool {
        let before = properties
        if let keeper = changes.keeper { self.keeper = keeper }
        for sink in changes.sinks {
            if let index = sinks.firstIndex(where: { $0.name == sink.name }) {
                sinks[index] = sink
            } else {
                sinks.append(sink)
            }
        }
        return properties != before
    }

    /// The properties for a message.
    var properties: Properties {
        var properties: Properties = [:]
        properties[Keeper1.version] = version
        properties[Keeper1.gateway] = name
        properties[Keeper1.powerMode] = keeper?.power?.mode.rawValue ?? ""
        properties[Keeper1.powerReason] = keeper?.power?.reason ?? ""
        properties[Keeper1.outage] = keeper?.outage?.code.rawValue ?? ""
        properties[Keeper1.outageMessage] = keeper?.outage?.message ?? ""
        properties[Keeper1.adapters] = (keeper?.adapters ?? []).map { adapter in
            var entry: Properties = ["Name": Variant(adapter.name), "On": Variant(adapter.isOn)]
            entry["Trouble"] = adapter.trouble.map { Variant($0.code.rawValue) }
            return entry
        }
        properties[Keeper1.sinks] = sinks.map { sink in
            var entry: Properties = ["Name": Variant(sink.name), "Backlog": Variant(UInt64(clamping: sink.backlog))]
            entry["Error"] = sink.failure.map { Variant($0) }
            return entry
        }
        return properties
    }
}
