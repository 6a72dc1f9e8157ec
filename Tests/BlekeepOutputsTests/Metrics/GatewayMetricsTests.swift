import BlekeepRecords
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepOutputs

/// What Prometheus gets of readings and of the ledger.
@Suite struct GatewayMetricsTests {
    private static let greenhouse = BluetoothAddress(bits: 0xF000_0000_0001)

    private func metrics(alias: String = "greenhouse", tags: [String] = []) -> GatewayMetrics {
        var devices = [
            DeviceConfiguration(alias: alias, address: Self.greenhouse),
            DeviceConfiguration(alias: nil, address: BluetoothAddress(bits: 0xF000_0000_0002)),
        ]
        devices[0].tags = tags
        return GatewayMetrics(PollConfiguration(interval: .seconds(30), devices: devices), version: "1.2.3")
    }

    private func lines(_ metrics: GatewayMetrics, at now: Uptime = .start) -> [String] {
        var metrics = metrics
        return String(decoding: metrics.page(at: now).bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func measured(_ metrics: GatewayMetrics, at now: Uptime = .start) -> [String] {
        lines(metrics, at: now).filter { $0.contains("address=") }
    }

    private static let labels =
        #"{device="greenhouse",address="F0:00:00:00:00:01",service="181a",characteristic="2a6e","#

    /// Further labels would begin new series whenever the tags change.
    @Test func tagsAreAMetricOfTheirOwn() throws {
        var metrics = metrics(tags: ["cellar", "cold"])
        metrics.record(try makeReading(), at: .start)
        let tagged = lines(metrics).filter { $0.contains("cellar") || $0.contains("cold") }
        #expect(
            tagged == [
                #"blekeep_device_tag{device="greenhouse",tag="cellar"} 1"#,
                #"blekeep_device_tag{device="greenhouse",tag="cold"} 1"#,
            ])
    }

    /// Two packets of manufacturer data with one field name are two numbers, whose label tells them apart.
    @Test func twoFormatsAreTwoNumbers() throws {
        var metrics = metrics()
        for reading in try makePackets() { metrics.record(reading, at: .start) }
        let found = measured(metrics).map { $0.replacing(#/.*,format=/#, with: "") }
        #expect(found.sorted() == [#""Govee"} 30.5"#, #""Ruuvi"} 20.5"#])
    }

    /// The status has the time of the last tick that read the device.
    @Test func theLastValueMayComeBetweenTicks() throws {
        var metrics = metrics()
        var status = DeviceStatus(address: Self.greenhouse, name: "greenhouse", since: 0)
        status.lastValue = 1500
        metrics.apply(LedgerChanges(statuses: [status]), heartbeat: nil)
        var reading = try makeReading()
        for (time, last) in [(1000, "1.5"), (48_500, "48.5"), (47_000, "48.5")] as [(Int64, String)] {
            reading.time = time
            metrics.record(reading, at: .start)
            let line = "blekeep_device_last_value_timestamp_seconds{device=\"greenhouse\"} \(last)"
            #expect(lines(metrics).contains(line))
        }
    }

    @Test func aRuleThatFiresIsOne() throws {
        var metrics = metrics()
        var rule = RuleStatus(rule: "warm", device: DeviceID(Self.greenhouse), condition: "temperature of a > 3 °C")
        (rule.phase, rule.firings) = (.firing, 2)
        var changes = LedgerChanges()
        changes.rules = [rule]
        metrics.apply(changes, heartbeat: nil)
        func rules(_ metrics: GatewayMetrics) -> [String] { lines(metrics).filter { $0.hasPrefix("blekeep_rule") } }
        #expect(
            rules(metrics) == [
                #"blekeep_rule_firing{rule="warm",device="greenhouse"} 1"#,
                #"blekeep_rule_firings_total{rule="warm",device="greenhouse"} 2"#,
            ])
        metrics.isPolling = false
        #expect(rules(metrics) == [#"blekeep_rule_firings_total{rule="warm",device="greenhouse"} 2"#])
        metrics.isPolling = true
        var left = LedgerChanges()
        left.leftRules = [RuleKey(rule)]
        metrics.apply(left, heartbeat: nil)
        #expect(rules(metrics) == [])
    }

    // MARK: Values

    @Test func namesAValueByItsQuantity() throws {
        var metrics = metrics()
        metrics.record(try makeReading(), at: .start)
        metrics.record(try makeReading(makeValue(.integer(87), field: "battery_level", unit: "%")), at: .start)
        metrics.record(try makeReading(makeValue(.boolean(true), field: "open", unit: nil)), at: .start)
        #expect(
            measured(metrics) == [
                "blekeep_battery_level_ratio\(Self.labels)field=\"battery_level\",number=\"1\"} 0.87",
                "blekeep_open\(Self.labels)field=\"open\",number=\"1\"} 1",
                "blekeep_temperature_celsius\(Self.labels)field=\"temperature\",number=\"1\"} 21.93",
            ])
        #expect(lines(metrics).contains("# TYPE blekeep_temperature_celsius gauge"))
    }

    @Test(arguments: [
        ("temperature", "°F", "blekeep_temperature_celsius", 212.0, "100"),
        ("speed", "km/h", "blekeep_speed_meters_per_second", 36, "10"),
        ("weight", "lb", "blekeep_weight_grams", 100, "45359.237"),
    ])
    func convertsUnitsThatPrometheusAvoids(
        field: String, unit: String, name: String, value: Double, text: String
    ) throws {
        var metrics = metrics()
        metrics.record(try makeReading(makeValue(.number(value), field: field, unit: unit)), at: .start)
        let line = try #require(measured(metrics).first)
        #expect(line.hasPrefix(name + "{"))
        #expect(line.hasSuffix("} \(text)"))
    }

    @Test func dropsAValueThatIsNoNumberAnyMore() throws {
        for gone: MeasuredValue? in [nil, .text("x"), .list([.integer(1)]), .number(.nan)] {
            var metrics = metrics()
            metrics.record(try makeReading(), at: .start)
            metrics.record(try makeReading(makeValue(gone)), at: .start)
            #expect(measured(metrics).isEmpty, "\(String(describing: gone))")
        }
    }

    @Test func dropsTheValuesOfAFailedRead() throws {
        var metrics = metrics()
        metrics.record(try makeReading(), at: .start)
        var other = try makeReading(makeValue(.integer(50), field: "humidity", unit: "%"))
        other.characteristic = BluetoothUUID(0x2A6F)
        metrics.record(other, at: .start)
        metrics.record(try makeReading(makeFailure()), at: .start)
        #expect(measured(metrics).map { $0.prefix(22) } == ["blekeep_humidity_ratio"])
        // The device failed as a whole.
        var all = try makeReading(makeFailure())
        (all.service, all.characteristic) = (nil, nil)
        metrics.record(all, at: .start)
        #expect(measured(metrics).isEmpty)
    }

    /// A sensor in a cellar repeats its packet, of which only the first is a reading.
    @Test func whatADeviceRepeatsStays() throws {
        var metrics = metrics()
        let reading = try makeReading()
        metrics.record(reading, at: .start)
        metrics.confirm(reading.id, at: .start + .seconds(100))
        #expect(measured(metrics, at: .start + .seconds(219)).count == 1)
        #expect(measured(metrics, at: .start + .seconds(220)).isEmpty)
    }

    @Test func dropsAValueAfterThreeIntervalsAndAMoment() throws {
        var metrics = metrics()
        metrics.record(try makeReading(), at: .start + .seconds(5))
        #expect(metrics.nextStale == .start + .seconds(125))
        #expect(measured(metrics, at: .start + .milliseconds(124_999)).count == 1)
        #expect(measured(metrics, at: .start + .seconds(125)).isEmpty)
        // Low power makes the interval longer.
        var status = DeviceStatus(address: Self.greenhouse, name: "greenhouse", since: 0)
        status.interval = .seconds(300)
        metrics.apply(LedgerChanges(statuses: [status]), heartbeat: nil)
        #expect(metrics.nextStale == .start + .seconds(935))
        #expect(measured(metrics, at: .start + .seconds(934)).count == 1)
    }

    @Test func keepsABoundedNumberOfFields() throws {
        var metrics = metrics()
        for number in 0...MeasuredValues.maxFields {
            metrics.record(try makeReading(makeValue(.integer(1), field: "x\(number)", unit: nil)), at: .start)
        }
        #expect(measured(metrics).count == MeasuredValues.maxFields)
    }

    @Test func ignoresDevicesThatAreNotConfigured() throws {
        var metrics = metrics()
        metrics.record(try makeReading(address: "F0:00:00:00:00:09"), at: .start)
        metrics.record(try makeReading(makeFailure(), address: "F0:00:00:00:00:09"), at: .start)
        #expect(measured(metrics).isEmpty)
        #expect(!lines(metrics).contains { $0.hasPrefix("blekeep_read_errors_total") })
    }

    /// The name of a field in a layout of one's own may be any.
    @Test func aFieldNeverTakesTheNameOfAnotherMetric() throws {
        var metrics = metrics()
        metrics.record(try makeReading(makeValue(.integer(5), field: "device_connected", unit: nil)), at: .start)
        #expect(measured(metrics).first?.hasPrefix("blekeep_device_connected_value{") == true)
    }

    // MARK: State

    @Test func countsFailuresByKnownCodes() throws {
        var metrics = metrics()
        for code in ["not_found", "not_found", "Chosen by a peripheral"] {
            metrics.record(try makeReading(makeFailure(code: code)), at: .start)
        }
        let counts = lines(metrics).filter { $0.hasPrefix("blekeep_read_errors_total") }
        #expect(
            counts == [
                #"blekeep_read_errors_total{device="greenhouse",error="not_found"} 2"#,
                #"blekeep_read_errors_total{device="greenhouse",error="other"} 1"#,
            ])
    }

    @Test func addsTheWorkOfAllHeartbeats() {
        var metrics = metrics()
        #expect(lines(metrics).contains(#"blekeep_ticks_total{device="greenhouse",result="good"} 0"#))
        var activity = DeviceActivity(device: "greenhouse", address: Self.greenhouse)
        (activity.good, activity.failed, activity.missed, activity.values, activity.connects) = (1, 2, 3, 4, 5)
        let clocks = ClockReading(boot: "", sinceBoot: .zero, awake: .zero, time: 0)
        for _ in 0..<2 { metrics.apply(LedgerChanges(), heartbeat: Heartbeat(clocks: clocks, activities: [activity])) }
        let lines = lines(metrics)
        for line in [
            #"ticks_total{device="greenhouse",result="good"} 2"#,
            #"ticks_total{device="greenhouse",result="failed"} 4"#,
            #"ticks_total{device="greenhouse",result="missed"} 6"#, #"values_total{device="greenhouse"} 8"#,
            #"connects_total{device="greenhouse"} 10"#, #"connects_total{device="F0:00:00:00:00:02"} 0"#,
        ] { #expect(lines.contains("blekeep_" + line), "\(line)") }
    }

    @Test func countsDurationsUpToEachBound() {
        var metrics = metrics()
        for milliseconds in [0, 50, 51, 60_000, 61_000] {
            metrics.record(.lateness(.milliseconds(milliseconds)), of: DeviceID(Self.greenhouse))
        }
        let samples = lines(metrics).filter { $0.hasPrefix("blekeep_tick_lateness_seconds") }
        let ends = samples.map { String($0.dropFirst("blekeep_tick_lateness_seconds".count)) }
        let expected = [
            #"_bucket{device="greenhouse",le="0.05"} 2"#, #"_bucket{device="greenhouse",le="0.1"} 3"#,
            #"_bucket{device="greenhouse",le="60.0"} 4"#, #"_bucket{device="greenhouse",le="+Inf"} 5"#,
            #"_sum{device="greenhouse"} 121.101"#, #"_count{device="greenhouse"} 5"#,
        ]
        #expect(Array(ends.prefix(2) + ends.suffix(4)) == expected)
    }

    private func full() throws -> GatewayMetrics {
        var metrics = metrics(alias: "the \"green\" \\ house", tags: ["cellar"])
        metrics.isPolling = true
        let fields: [(String, String?)] = [
            ("temperature", "°C"), ("temperature", "°F"), ("battery_level", "%"), ("counter", nil), ("count", nil),
            ("rain_total", "mm"), ("speed", "km/h"), ("weight", "lb"), ("energy", "kWh"), ("co2", "ppm"),
            ("packet_counter", nil), ("gauge", nil), ("1 x", "J/(kg·K)"), ("duration", "min"), ("pressure", "hPa"),
        ]
        for (number, (field, unit)) in fields.enumerated() {
            var reading = try makeReading(makeValue(.number(1.5), field: field, unit: unit))
            reading.instance = number + 1
            metrics.record(reading, at: .start)
        }
        metrics.record(try makeReading(makeFailure()), at: .start)
        var status = DeviceStatus(address: Self.greenhouse, name: "greenhouse", since: 0)
        status.condition = DeviceCondition(.needsUser, failure: ReadingFailure(.needsUser, "pair it"))
        (status.link, status.lastValue) = (.held, 1_795_231_081_500)
        (status.rssi, status.interval) = (-60, .milliseconds(7500))
        var poller = GatewayStatus(
            pid: 1, started: 1_795_231_080_123, seen: 0, power: .init(mode: .low, reason: "low battery 14 %"))
        poller.adapters = [.init(name: "hci0", isOn: true), .init(name: "hci1", isOn: false, trouble: .stuck)]
        var sink = SinkStatus(name: "mqtt")
        (sink.backlog, sink.failure) = (12, "broker.example refused the connection")
        let clocks = ClockReading(boot: "", sinceBoot: .zero, awake: .zero, time: 0)
        var changes = LedgerChanges(statuses: [status], poller: poller, sinks: [sink])
        changes.rules = [RuleStatus(rule: "warm", device: DeviceID(Self.greenhouse), condition: "")]
        metrics.apply(
            changes, heartbeat: Heartbeat(clocks: clocks, percentage: 14))
        metrics.record(.lateness(.milliseconds(100)), of: DeviceID(Self.greenhouse))
        metrics.record(.connect(.milliseconds(1200)), of: DeviceID(Self.greenhouse))
        return metrics
    }

    @Test func tellsTheStateOfDevicesAndMachine() throws {
        let lines = lines(try full())
        let device = #"device="the \"green\" \\ house""#
        for line in [
            "device_connected{\(device)} 1", "device_state{\(device),state=\"needs_user\"} 1",
            "device_state{\(device),state=\"good\"} 0",
            "device_last_value_timestamp_seconds{\(device)} 1795231081.5", "device_rssi_dbm{\(device)} -60",
            "device_interval_seconds{\(device)} 7.5", #"adapter_powered{adapter="hci0"} 1"#,
            #"adapter_powered{adapter="hci1"} 0"#, #"adapter_trouble{adapter="hci1",trouble="stuck"} 1"#,
            #"adapter_trouble{adapter="hci0",trouble="stuck"} 0"#, "outage 0", #"sink_failing{sink="mqtt"} 1"#,
            #"sink_backlog_readings{sink="mqtt"} 12"#,
            #"power_mode{mode="low"} 1"#, #"power_mode{mode="normal"} 0"#, "machine_battery_ratio 0.14",
            #"build_info{version="1.2.3"} 1"#, "start_timestamp_seconds 1795231080.123",
        ] { #expect(lines.contains("blekeep_" + line), "\(line)") }
    }

    @Test func anOutageIsKnownOnlyWhileBlekeepPolls() {
        var metrics = metrics()
        var poller = GatewayStatus(pid: 1, started: 0, seen: 0)
        poller.outage = ReadingFailure(.noAdapter, "there is no adapter")
        metrics.apply(LedgerChanges(poller: poller), heartbeat: nil)
        #expect(lines(metrics).contains("blekeep_outage 1"))
        metrics.isPolling = false
        #expect(!lines(metrics).contains { $0.hasPrefix("blekeep_outage") })
    }

    @Test func promtoolHasNoComplaint() throws {
        var metrics = try full()
        let page = metrics.page(at: .start).bytes
        let text = String(decoding: page, as: UTF8.self)
        for name in MetricFamily.own.keys { #expect(text.contains("# TYPE \(name) ")) }
        #expect(try Promtool.check(page) == "")
        // It does find mistakes.
        #expect(try Promtool.check(Array("# HELP a_count x\n# TYPE a_count gauge\na_count 1\n".utf8)) != "")
    }
}
