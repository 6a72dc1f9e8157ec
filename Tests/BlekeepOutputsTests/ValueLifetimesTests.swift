import BlekeepRecords
import Testing

@testable import BlekeepOutputs

/// How long Home Assistant shows a value.
@Suite struct ValueLifetimesTests {
    private let address = BluetoothAddress(bits: 0xF000_0000_0001)
    private var device: DeviceID { DeviceID(address) }

    private func lifetimes(adaptive: ClosedRange<Duration>? = nil) -> ValueLifetimes {
        var device = DeviceConfiguration(alias: "greenhouse", address: address)
        device.adaptive = adaptive
        return ValueLifetimes(PollConfiguration(devices: [device]))
    }

    @Test func aValueLastsThreeIntervalsAndAMoment() {
        var lifetimes = lifetimes()
        #expect(lifetimes[device] == .seconds(120))
        let isLonger = lifetimes.apply(.seconds(600), of: device)
        #expect(isLonger && lifetimes[device] == .seconds(1830))
        let isAnother = lifetimes.apply(.seconds(600), of: device)
        #expect(!isAnother)
    }

    /// A door that sends when it opens, by BTHome's bit 2 or by what it says; a thermometer does not.
    @Test(arguments: [(0x44, "window", nil, true), (0x40, "window", nil, false), (0x40, "temperature", "°C", false)])
    func aValueOfADeviceThatSendsByTriggerLastsUntilTheNextOne(
        info: UInt8, field: String, unit: String?, isTriggered: Bool
    ) throws {
        var lifetimes = lifetimes()
        let measurement = Measurement(field: field, value: .boolean(true), unit: unit)
        let reading = Reading(
            time: 0, tick: 0, device: "door", address: address, service: BluetoothUUID(0xFCD2), characteristic: nil,
            name: "BTHome", outcome: .value(measurement, raw: [info, 0x2D, 1]))
        let isAnother = lifetimes.learn(from: reading)
        #expect(isAnother == isTriggered && lifetimes.expiry(of: device) == (isTriggered ? nil : .seconds(120)))
        // Its interval says nothing then; the user's limit does.
        _ = lifetimes.apply(.seconds(600), of: device)
        #expect(lifetimes.expiry(of: device) == (isTriggered ? nil : .seconds(1830)))
        var configured = DeviceConfiguration(alias: "door", address: address)
        configured.silence = .seconds(3600)
        var limited = ValueLifetimes(PollConfiguration(devices: [configured]))
        _ = limited.learn(from: reading)
        #expect(limited.expiry(of: device) == .seconds(3630))
    }

    @Test func aPauseChangesNothing() {
        var lifetimes = lifetimes()
        let isAnother = lifetimes.apply(nil, of: device)
        #expect(!isAnother && lifetimes[device] == .seconds(120))
    }

    /// Its interval changes with each value; its entities must not.
    @Test func anAdaptiveDeviceHasTheLifetimeOfItsLongestInterval() {
        var lifetimes = lifetimes(adaptive: .seconds(30) ... .seconds(300))
        #expect(lifetimes[device] == .seconds(930))
        let isAnother = lifetimes.apply(.seconds(60), of: device)
        #expect(!isAnother)
        let isLonger = lifetimes.apply(.seconds(1200), of: device)
        #expect(isLonger && lifetimes[device] == .seconds(3630))
    }

    @Test func whatIsReadLessOftenLastsLonger() {
        var configured = DeviceConfiguration(alias: "freezer", address: address)
        configured.characteristics = [
            CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A19), interval: .seconds(86_400)),
            CharacteristicConfiguration(characteristic: BluetoothUUID(0x2A6E)),
        ]
        let lifetimes = ValueLifetimes(PollConfiguration(devices: [configured]))
        #expect(lifetimes.expiry(of: device, BluetoothUUID(0x2A19)) == .seconds(3 * 86_400 + 30))
        #expect(lifetimes.expiry(of: device, BluetoothUUID(0x2A6E)) == .seconds(120))
        #expect(lifetimes.expiry(of: device) == .seconds(120))
    }
}
