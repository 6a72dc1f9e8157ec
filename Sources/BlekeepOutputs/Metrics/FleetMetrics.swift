/// What the gateways of a fleet say, for Prometheus.
package enum FleetMetrics {
    /// - Parameters:
    ///   - view: `nil` when the broker or the database hasn't answered yet.
    ///   - isConnected: whether it answers now. Without it, the rest is what the gateways said last.
    package static func page(_ view: FleetView?, isConnected: Bool) -> MetricsPage {
        var connected = gauge("connected", "Whether the fleet's broker or database answers.")
        connected.set(isConnected, labels: [:])
        guard let view else { return MetricsPage([connected]) }
        return MetricsPage(
            [connected] + families(of: view.gateways) + families(of: view.devices) + families(of: view.versions))
    }

    private static func families(of gateways: [FleetView.Gateway]) -> [MetricFamily] {
        var online = gauge("gateway_online", "Whether the gateway is online.")
        var last = gauge("gateway_last_message_timestamp_seconds", "When the gateway said anything last.")
        var devices = gauge("gateway_devices", "Devices that the gateway reads, or read last.")
        var backlog = gauge(
            "gateway_backlog_readings", "Readings that wait at the gateway for the broker or the database.")
        var trouble = gauge("gateway_bluetooth_problem", "Whether the gateway has trouble with Bluetooth.")
        var lead = gauge("gateway_clock_lead_seconds", "How far the gateway's clock is ahead of this machine's.")
        var build = gauge("gateway_info", "1, with the gateway's version of blekeep.")
        for gateway in gateways {
            let labels: KeyValuePairs = ["gateway": gateway.name]
            online.set(gateway.isOnline == true, labels: labels)
            last.set(gateway.lastMessage.map { Double($0) / 1000 }, labels: labels)
            devices.set(gateway.reads.map(Double.init), labels: labels)
            backlog.set(gateway.state?.backlog.map(Double.init), labels: labels)
            lead.set(gateway.clockLead.map(Double.init), labels: labels)
            if let problem = gateway.state?.hasBluetoothProblem { trouble.set(problem, labels: labels) }
            if let version = gateway.state?.version {
                build.set(1, labels: ["gateway": gateway.name, "version": version])
            }
        }
        return [online, last, devices, backlog, trouble, lead, build]
    }

    private static func families(of versions: FleetVersions?) -> [MetricFamily] {
        var wanted = gauge(
            "configuration_version", "The version of the fleet's configuration that all gateways are to have.")
        var version = gauge(
            "gateway_configuration_version", "The version of the fleet's configuration that the gateway runs.")
        var refused = gauge("gateway_configuration_refused", "Whether the gateway refuses another version.")
        wanted.set(versions?.all.map(Double.init), labels: [:])
        for (name, gateway) in (versions?.gateways ?? [:]).sorted(by: { $0.key < $1.key }) {
            version.set(gateway.version.map(Double.init), labels: ["gateway": name])
            refused.set(gateway.refused != nil, labels: ["gateway": name])
        }
        return [wanted, version, refused]
    }

    private static func families(of devices: [FleetView.Device]) -> [MetricFamily] {
        var state = gauge("device_state", "1 for the state of the device in the fleet, 0 for the others.")
        var reader = gauge("device_reader", "1 for the gateway that reads the device, or should.")
        var rssi = gauge("device_rssi_dbm", "The signal strength of the device at each gateway.")
        for device in devices {
            for each in FleetView.Device.State.allCases {
                state.set(each == device.state, labels: ["device": device.name, "state": each.rawValue])
            }
            if let gateway = device.reader?.gateway {
                reader.set(1, labels: ["device": device.name, "gateway": gateway])
            }
            for mention in device.others + [device.reader].compactMap(\.self) where mention.isOnline == true {
                rssi.set(
                    mention.report?.rssi.map(Double.init),
                    labels: ["device": device.name, "gateway": mention.gateway])
            }
        }
        return [state, reader, rssi]
    }

    private static func gauge(_ name: String, _ help: String) -> MetricFamily {
        MetricFamily("blekeep_fleet_\(name)", .gauge, help: help)
    }
}
