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
}
