import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

/// The time of an adapter that devices need, and whether it suffices.
@Suite struct AirTimeTests {
    @Test func aTurnLastsUntilTheNextOneBeginsIfThatWasWaitedFor() {
        var air = AirTime()
        var now = Uptime.start
        for length in [1.0, 1.4, 1.0, 1.4, 1.2] {
            #expect(air.turn == nil)
            air.begin(isAwaited: true, at: now)
            now = now + .milliseconds(Int(length * 1000))
        }
        air.begin(isAwaited: false, at: now)
        #expect(air.turn == .milliseconds(1200))
        // No device waited, and then the adapter was off.
        air.begin(isAwaited: true, at: now + .seconds(15))
        air.begin(isAwaited: true, at: now + .seconds(3600))
        #expect(air.turn == .milliseconds(1200))
    }

    @Test(arguments: [
        // Devices with their intervals in seconds, and the message.
        ([(20, 20)], "20 devices need about 24s of hci0 a round; the interval is 20s"),
        ([(20, 24)], nil), ([(20, 30)], nil), ([], nil),
        ([(20, 20), (3, 30)], "23 devices need about 1m19s of hci0 a minute"),
        ([(20, 40), (1, 3600)], nil),
    ])
    func saysWhatIsNeededIfThatIsMoreThanThereIs(devices: [(count: Int, interval: Int)], words: String?) {
        let intervals = devices.flatMap { Array(repeating: Duration.seconds($0.interval), count: $0.count) }
        #expect(AirShortage(turn: .milliseconds(1200), intervals: intervals)?.message(of: "hci0") == words)
    }

    @Test(arguments: [(20, 20, 5, true), (20, 30, 5, false), (5, 5, 5, false), (9, 5, 5, true), (9, 5, 9, false)])
    func aConfigurationIsJudgedBeforeAnythingIsMeasured(count: Int, interval: Int, slots: Int, isTooMuch: Bool) {
        let devices = (0..<count).map { DeviceConfiguration(address: BluetoothAddress(bits: UInt64($0))) }
        let configuration = PollConfiguration(interval: .seconds(interval), devices: devices, maxLinks: slots)
        #expect(configuration.airEstimates.count == (isTooMuch ? 2 : 1), "\(configuration.airEstimates)")
    }

    /// A device with the mode `release` takes turns, although its interval is the shortest. The others hold the slots.
    @Test func onlyDevicesThatMayBeHeldAreHeldInTheEstimate() {
        func estimates(_ mode: LinkMode) -> [String] {
            let devices = (0..<6).map { (number: UInt64) -> DeviceConfiguration in
                DeviceConfiguration(
                    address: BluetoothAddress(bits: number), interval: .seconds(number == 0 ? 1 : 30),
                    mode: number == 0 ? mode : .auto)
            }
            return PollConfiguration(interval: .seconds(30), devices: devices, maxLinks: 6).airEstimates
        }
        #expect(estimates(.auto) == ["air time of the adapter: 6 devices keep their connections"])
        #expect(estimates(.release).count == 2)
    }

    @Test func anEstimateHasALineForEachAdapter() {
        func device(_ bits: UInt64, _ adapter: String, _ mode: LinkMode, every seconds: Int) -> DeviceConfiguration {
            DeviceConfiguration(
                address: BluetoothAddress(bits: bits), adapter: .name(adapter), interval: .seconds(seconds), mode: mode)
        }
        let devices = [
            device(0, "hci0", .hold, every: 30), device(1, "hci0", .release, every: 30),
            device(2, "hci0", .release, every: 30), device(3, "hci1", .release, every: 3600),
        ]
        #expect(
            PollConfiguration(devices: devices).airEstimates == [
                "air time of hci0: 1 device keeps its connection; 2 devices connect for each read, which takes about 8 % "
                    + "of the time",
                "air time of hci1: 1 device connects for each read, which takes less than 1 % of the time",
            ])
    }

    /// A device that runs on a battery is connected only to be read, if there is time for that.
    @Test func aBatteryIsSparedWhereTheAirAllowsIt() {
        func plans(
            _ count: Int, _ battery: Battery?, _ change: (inout DeviceConfiguration) -> Void = { _ in }
        ) -> (
            modes: Set<LinkMode>, notes: [String]
        ) {
            let devices = (0..<count).map { number in
                var device = DeviceConfiguration(alias: "s\(number)", address: BluetoothAddress(bits: UInt64(number)))
                device.battery = battery
                change(&device)
                return device
            }
            let configuration = PollConfiguration(devices: devices)
            return (
                Set(devices.map { DevicePlan(DeviceSetting($0, in: configuration)).mode }), configuration.batteryNotes
            )
        }
        #expect(plans(5, .cr2032) == ([.release], []))
        // A round of 13 takes more than half of 30 s.
        #expect(plans(13, .cr2032).modes == [.auto])
        #expect(
            plans(13, .cr2032).notes.first?.hasPrefix("s0, s1, s2 and 10 more: blekeep keeps the connection") == true)
        #expect(plans(5, .mains) == ([.auto], []))
        #expect(plans(5, nil).modes == [.auto])
        #expect(plans(5, nil).notes.first?.contains("`battery: cr2032`") == true)
        #expect(plans(5, .cr2032) { $0.mode = .hold }.modes == [.hold])
        #expect(
            plans(1, .cr2032) { $0.characteristics = [.init(characteristic: BluetoothUUID(0x2A1C), notify: true)] } == (
                [.auto], []
            ))
        #expect(plans(5, nil) { $0.interval = .seconds(600) }.notes == [])
    }
}
