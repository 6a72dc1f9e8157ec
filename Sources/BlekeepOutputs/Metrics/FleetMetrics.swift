/// What the gateways of a fleet say, for Prometheus.
package enum FleetMetrics {
    /// - Parameters:
    ///   - view: `nil` when the broker or the database hasn't answered yet.
    ///   - isConnected: whether it answers now. Without it, the rest is what the gateways said last.
    package static func page(_ view: FleetView?, isConnected: Bool) -> MetricsPage {
        var connected = MetricFamily(
            "blekeep_fleet_connected", .gauge, help: "Whether the fleet's broker or database answers.")
        connected.set(isConnected, labels: [:])
        guard let view else { return MetricsPage([connected]) }
        return MetricsPage(
            [connected] + families(of: view.gateways) + families(of: view.devices) + families(of: view.versions))
    }

    private static func families(of gateways: [FleetView.Gateway]) -> [MetricFamily] {
        var online = MetricFamily("blekeep_fleet_gateway_online", .gauge, help: "Whether the gateway is online.")
        var last = MetricFamily(
            "blekeep_fleet_gateway_last_message_timestamp_seconds", .gauge, help: "When the gateway said anything last."
        )
        var devices = MetricFamily(
            "blekeep_fleet_gateway_devices", .gauge, help: "Devices that the gateway reads, or read last.")
        var backlog = MetricFamily(
            "blekeep_fleet_gateway_backlog_readings", .gauge,
            help: "Readings that wait at the gateway for the broker or the database.")
        var trouble = MetricFamily(
            "blekeep_fleet_gateway_bluetooth_problem", .gauge, help: "Whether the gateway has trouble with Bluetooth.")
        var lead = MetricFamily(
            "blekeep_fleet_gateway_clock_lead_seconds", .gauge,
            help: "How far the gateway's clock is ahead of this machine's.")
        var build = MetricFamily(
            "blekeep_fleet_gateway_info", .gauge, help: "1, with the gateway's version of blekeep.")
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
        var wanted = MetricFamily(
            "blekeep_fleet_configuration_version", .gauge,
            help: "The version of the fleet's configuration that all gateways are to have.")
        var version = MetricFamily(
            "blekeep_fleet_gateway_configuration_version", .gauge,
            help: "The version of the fleet's configuration that the gateway runs.")
        var refused = MetricFamily(
            "blekeep_fleet_gateway_configuration_refused", .gauge, help: "Whether the gateway refuses another version.")
        wanted.set(versions?.all.map(Double.init), labels: [:])
        for (name, gateway) in (versions?.gateways ?? [:]).sorted(by: { $0.key < $1.key }) {
            version.set(gateway.version.map(Double.init), labels: ["gateway": name])
            refused.set(gateway.refused != nil, labels: ["gateway": name])
        }
        return [wanted, version, refused]
    }

    private static func families(of devices: [FleetView.Device]) -> [MetricFamily] {
        var state = MetricFamily(
            "blekeep_fleet_device_state", .gauge, help: "1 for the state of the device in the fleet, 0 for the others.")
        var reader = MetricFamily(
            "blekeep_fleet_device_reader", .gauge, help: "1 for the gateway that reads the device, or should.")
        var rssi = MetricFamily(
            "blekeep_fleet_device_rssi_dbm", .gauge, help: "The signal strength of the device at each gateway.")
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
}
