/// The metrics that aren't measured by a device.
extension MetricFamily {
    /// By name, without samples.
    static let own = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

    private static let all = [
        MetricFamily("blekeep_device_connected", .gauge, help: "Whether the device is connected."),
        MetricFamily("blekeep_device_state", .gauge, help: "1 for the state of the device, 0 for the others."),
        MetricFamily(
            "blekeep_device_last_value_timestamp_seconds", .gauge, help: "When the last value of the device arrived."),
        MetricFamily("blekeep_rule_firing", .gauge, help: "Whether the rule fires for the device."),
        MetricFamily("blekeep_rule_firings_total", .counter, help: "How often the rule fired for the device."),
        MetricFamily("blekeep_device_rssi_dbm", .gauge, help: "The last signal strength of the device."),
        MetricFamily(
            "blekeep_device_interval_seconds", .gauge,
            help: "The time between ticks; absent while the device is paused."),
        MetricFamily("blekeep_device_tag", .gauge, help: "1 for each tag of the device."),
        MetricFamily(
            "blekeep_ticks_total", .counter, help: "Ticks by result: with values, without values, or not run."),
        MetricFamily(
            "blekeep_tick_lateness_seconds", .histogram, help: "From the time when a tick was due until its first read."
        ),
        MetricFamily(
            "blekeep_connect_duration_seconds", .histogram,
            help: "From an attempt to connect the device until it was connected."),
        MetricFamily("blekeep_values_total", .counter, help: "Values of the device."),
        MetricFamily("blekeep_connects_total", .counter, help: "Attempts to connect to the device."),
        MetricFamily("blekeep_read_errors_total", .counter, help: "Failed reads by error code."),
        MetricFamily("blekeep_adapter_powered", .gauge, help: "Whether the adapter is on."),
        MetricFamily("blekeep_adapter_trouble", .gauge, help: "1 for the trouble of the adapter, 0 for the others."),
        MetricFamily(
            "blekeep_scan_seconds_total", .counter,
            help: "How long the adapters scanned actively: sensors in range answered requests."),
        MetricFamily("blekeep_packets_total", .counter, help: "Packets of devices that blekeep listens to."),
        MetricFamily(
            "blekeep_outage", .gauge, help: "Whether BlueZ, the adapter or the bus keeps all devices from being read."),
        MetricFamily("blekeep_sink_failing", .gauge, help: "Whether the last attempt of the sink failed."),
        MetricFamily("blekeep_sink_backlog_readings", .gauge, help: "Readings that wait for the sink."),
        MetricFamily(
            "blekeep_history_slow_writes_total", .counter, help: "Writes to the history that took more than 1 s."),
        MetricFamily("blekeep_power_mode", .gauge, help: "1 for the power mode in force, 0 for the others."),
        MetricFamily("blekeep_machine_battery_ratio", .gauge, help: "The charge of the machine's battery."),
        MetricFamily("blekeep_polling", .gauge, help: "Whether blekeep poll runs and writes in time."),
        MetricFamily("blekeep_build_info", .gauge, help: "1, with the version of blekeep and the name of the gateway."),
        MetricFamily("blekeep_start_timestamp_seconds", .gauge, help: "When blekeep poll started."),
    ]
}
