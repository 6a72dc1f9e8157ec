/// The metrics that aren't measured by a device.
extension MetricFamily {
    /// By name, without samples.
    static let own = Dictionary(all.map { ($0, MetricFamily($0, $1, help: $2)) }) { first, _ in first }

    private static let all: [(name: String, kind: Kind, help: String)] = [
        ("blekeep_device_connected", .gauge, "Whether the device is connected."),
        ("blekeep_device_state", .gauge, "1 for the state of the device, 0 for the others."),
        ("blekeep_device_last_value_timestamp_seconds", .gauge, "When the last value of the device arrived."),
        ("blekeep_rule_firing", .gauge, "Whether the rule fires for the device."),
        ("blekeep_rule_firings_total", .counter, "How often the rule fired for the device."),
        ("blekeep_device_rssi_dbm", .gauge, "The last signal strength of the device."),
        ("blekeep_device_interval_seconds", .gauge, "The time between ticks; absent while the device is paused."),
        ("blekeep_device_tag", .gauge, "1 for each tag of the device."),
        ("blekeep_ticks_total", .counter, "Ticks by result: with values, without values, or not run."),
        ("blekeep_tick_lateness_seconds", .histogram, "From the time when a tick was due until its first read."),
        (
            "blekeep_connect_duration_seconds", .histogram,
            "From an attempt to connect the device until it was connected."
        ),
        ("blekeep_values_total", .counter, "Values of the device."),
        ("blekeep_connects_total", .counter, "Attempts to connect to the device."),
        ("blekeep_read_errors_total", .counter, "Failed reads by error code."),
        ("blekeep_adapter_powered", .gauge, "Whether the adapter is on."),
        ("blekeep_adapter_trouble", .gauge, "1 for the trouble of the adapter, 0 for the others."),
        (
            "blekeep_scan_seconds_total", .counter,
            "How long the adapters scanned actively: sensors in range answered requests."
        ),
        ("blekeep_packets_total", .counter, "Packets of devices that blekeep listens to."),
        ("blekeep_outage", .gauge, "Whether BlueZ, the adapter or the bus keeps all devices from being read."),
        ("blekeep_sink_failing", .gauge, "Whether the last attempt of the sink failed."),
        ("blekeep_sink_backlog_readings", .gauge, "Readings that wait for the sink."),
        ("blekeep_history_slow_writes_total", .counter, "Writes to the history that took more than 1 s."),
        ("blekeep_power_mode", .gauge, "1 for the power mode in force, 0 for the others."),
        ("blekeep_machine_battery_ratio", .gauge, "The charge of the machine's battery."),
        ("blekeep_polling", .gauge, "Whether blekeep poll runs and writes in time."),
        ("blekeep_build_info", .gauge, "1, with the version of blekeep and the name of the gateway."),
        ("blekeep_start_timestamp_seconds", .gauge, "When blekeep poll started."),
    ]
}
