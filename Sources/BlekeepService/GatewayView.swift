import BlekeepRecords
import DBus

/// What the poller's own object on the bus shows. Pure.
struct GatewayView {
    let version: String
    var name: String
    let configuration: String
    private var poller: GatewayStatus?
    private var sinks: [SinkStatus] = []

    init(version: String, name: String, configuration: String) {
        (self.version, self.name, self.configuration) = (version, name, configuration)
    }

    /// Takes what the history holds now. Returns whether it differs.
    mutating func apply(_ changes: LedgerChanges) -> Bool {
        let before = properties
        if let poller = changes.poller { self.poller = poller }
        for sink in changes.sinks {
            if let index = sinks.firstIndex(where: { $0.name == sink.name }) {
                sinks[index] = sink
            } else {
                sinks.append(sink)
            }
        }
        return properties != before
    }

    var properties: Properties {
        var properties: Properties = [:]
        properties[Poller1.version] = version
        properties[Poller1.gateway] = name
        properties[Poller1.configuration] = configuration
        properties[Poller1.powerMode] = poller?.power?.mode.rawValue ?? ""
        properties[Poller1.powerReason] = poller?.power?.reason ?? ""
        properties[Poller1.outage] = poller?.outage?.code.rawValue ?? ""
        properties[Poller1.outageMessage] = poller?.outage?.message ?? ""
        properties[Poller1.adapters] = (poller?.adapters ?? []).map { adapter in
            var entry: Properties = ["Name": Variant(adapter.name), "On": Variant(adapter.isOn)]
            entry["Trouble"] = adapter.trouble.map { Variant($0.code.rawValue) }
            return entry
        }
        properties[Poller1.sinks] = sinks.map { sink in
            var entry: Properties = ["Name": Variant(sink.name), "Backlog": Variant(UInt64(clamping: sink.backlog))]
            entry["Error"] = sink.failure.map { Variant($0) }
            return entry
        }
        return properties
    }
}
