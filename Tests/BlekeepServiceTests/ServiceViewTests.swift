import BlekeepRecords
import DBus
import Testing

@testable import BlekeepService

/// What the objects show.
@Suite struct ServiceViewTests {
    private let device: DeviceConfiguration

    init() throws {
        device = DeviceConfiguration(alias: "attic", address: try #require(BluetoothAddress("F0:00:00:00:00:01")))
    }

    private func reading(_ field: String, _ value: MeasuredValue?) -> LiveReading {
        let measurement = Measurement(field: field, value: value, unit: "°C")
        return LiveReading(
            sequence: 1,
            reading: Reading(
                time: 7, tick: 1, device: "attic", address: device.address, service: BluetoothUUID(0x181A),
                characteristic: BluetoothUUID(0x2A6E), name: "Temperature",
                outcome: .value(measurement, raw: [1, 2])))
    }

    private var status: DeviceStatus {
        var status = DeviceStatus(address: device.address, name: "attic", since: 5)
        status.condition = DeviceCondition(.lost, failure: ReadingFailure(.connect, "no answer"))
        status.interval = .seconds(30)
        status.rssi = -1_000_000
        return status
    }

    @Test func aDeviceShowsItsStatus() {
        var view = DeviceView(device)
        #expect(view.path == "/org/blekeep/dev_f00000000001")
        var stove = DeviceConfiguration(address: BluetoothAddress(bits: 1))
        stove.ownID = DeviceID("stove")
        #expect(DeviceView(stove).path == "/org/blekeep/dev_stove")
        #expect(view.properties["State"] == nil)
        let isNews = [view.apply(status), view.apply(status)]
        #expect(isNews == [true, false])
        let properties = view.properties
        #expect(properties["State"] == Variant("lost") && properties["Code"] == Variant("connect"))
        #expect(properties["Interval"] == Variant(UInt64(30_000)) && properties["Since"] == Variant(Int64(5)))
        #expect(properties["RSSI"] == Variant(Int16.min) && properties["Next"] == nil)
        #expect(properties["Paused"] == Variant(false))
        var successor = device
        successor.ownID = device.id
        view.apply(successor)
        #expect(view.properties["State"] == Variant("lost"))
        successor.address = BluetoothAddress(bits: 1)
        view.apply(successor)
        #expect(view.properties["State"] == nil)
    }

    @Test func aValueOfARecipeComesBackAsItWas() throws {
        var view = DeviceView(device)
        var reading = reading("cell_3", .number(3.43)).reading
        (reading.service, reading.characteristic, reading.recipe) = (nil, nil, "jbd")
        let shown = view.apply(reading)
        let properties = try #require(shown)
        #expect(properties["Recipe"] == Variant("jbd") && properties["Characteristic"] == nil)
        reading.tick = 0
        #expect(Reading(kept: properties, id: nil, device: "attic", address: device.address) == reading)
    }

    @Test func aPauseShowsItsEnd() {
        var view = DeviceView(device)
        var status = status
        status.pause = .until(99)
        _ = view.apply(status)
        #expect(view.properties["Paused"] == Variant(true) && view.properties["PausedUntil"] == Variant(Int64(99)))
        status.pause = .untilResumed
        _ = view.apply(status)
        #expect(view.properties["Paused"] == Variant(true) && view.properties["PausedUntil"] == nil)
    }

    @Test func theNewestValueOfEachFieldStays() throws {
        var view = DeviceView(device)
        _ = view.apply(reading("temperature", .number(20)).reading)
        let taken = view.apply(reading("temperature", .number(21)).reading)
        let newest = try #require(taken)
        #expect(newest["Value"] == Variant(21.0) && newest["Raw"] == Variant([UInt8(1), 2]))
        #expect(view.properties[KeptDevice1.values] == [newest])
        for number in 0..<1000 { _ = view.apply(reading("\(number)", .integer(1)).reading) }
        #expect(view.properties[KeptDevice1.values]?.count == DeviceView.maxValues)
    }

    @Test func signalsTellWhatChanged() throws {
        let objects = ServiceObjects(PollConfiguration(devices: [device]), version: "1")
        #expect(objects.apply([reading("temperature", .number(20))], wantsSignals: false).isEmpty)
        let value = objects.apply([reading("temperature", .number(21))], wantsSignals: true)
        #expect(value.map(\.member) == ["Reading"])
        let many = objects.apply(Array(repeating: reading("temperature", .number(22)), count: 500), wantsSignals: true)
        #expect(many.count == ServiceObjects.maxSignals)
        let signal = try #require(objects.apply(LedgerChanges(statuses: [status])).first)
        #expect(signal.arguments.first == .string("org.blekeep.Device1"))
        let changed = try #require(Properties(signal.arguments[1]))
        #expect(changed["State"] == Variant("lost") && changed[KeptDevice1.address] == nil)
        var paused = status
        paused.interval = nil
        let next = try #require(objects.apply(LedgerChanges(statuses: [paused])).first)
        #expect(next.arguments[2] == ["Interval"].value)
        #expect(objects.apply(LedgerChanges(statuses: [paused])).isEmpty)
    }

    @Test func theGatewayShowsPowerAndSinks() {
        var view = GatewayView(version: "1.0", name: "cellar", configuration: "/etc/blekeep")
        var poller = GatewayStatus(pid: 1, started: 0, seen: 0, power: .init(mode: .low, reason: "low battery 14 %"))
        poller.outage = ReadingFailure(.noBluez, "bluetoothd isn't running")
        poller.adapters = [.init(name: "hci0", isOn: true)]
        var sink = SinkStatus(name: "mqtt")
        sink.failure = "refused"
        let changes = LedgerChanges(poller: poller, sinks: [sink])
        let isNews = [view.apply(changes), view.apply(changes)]
        #expect(isNews == [true, false])
        let properties = view.properties
        #expect(properties[Poller1.powerMode] == "low" && properties[Poller1.powerReason] == "low battery 14 %")
        #expect(properties[Poller1.outage] == "no_bluez" && properties[Poller1.gateway] == "cellar")
        #expect(properties[Poller1.configuration] == "/etc/blekeep")
        #expect(properties[Poller1.sinks]?.first?["Error"] == Variant("refused"))
    }
}
