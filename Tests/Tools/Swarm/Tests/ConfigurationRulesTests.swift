import Blekeep
import BlekeepConfiguration
import BlekeepSimulation
import RunLoop
import Testing

@testable import Swarming

/// The checker of new configurations, and the configurations that a seed makes.
@Suite struct ConfigurationRulesTests {
    private let first = BluetoothAddress(bits: 1)
    private let second = BluetoothAddress(bits: 2)

    private func after(_ seconds: Double) -> Uptime { .start + .seconds(seconds) }

    private func configuration(_ devices: DeviceConfiguration...) -> PollConfiguration {
        PollConfiguration(interval: .seconds(30), devices: devices)
    }

    private func device(_ address: BluetoothAddress, _ alias: String, _ mode: LinkMode = .auto) -> DeviceConfiguration {
        DeviceConfiguration(alias: alias, address: address, mode: mode)
    }

    /// Both devices are configured from the start. After ten seconds, the second one is removed.
    private var removed: ConfigurationRules {
        var rules = ConfigurationRules()
        _ = rules.apply(configuration(device(first, "one"), device(second, "two")), at: .start)
        _ = rules.apply(configuration(device(first, "one")), at: after(10))
        return rules
    }

    private func reading(_ address: BluetoothAddress, _ name: String, tick: Int, at seconds: Int64) -> Reading {
        Reading(
            time: seconds * 1000, tick: tick, id: DeviceID(address), device: name, address: address, service: nil,
            characteristic: nil, name: "", outcome: .failure(ReadingFailure(.needsPairing, ""), raw: nil))
    }

    @Test func aRemovedDeviceIsLeftAlone() {
        let rules = removed
        #expect(rules.flaw(of: "Connect", on: second, at: after(10)) == nil)
        #expect(rules.flaw(of: "Connect", on: second, at: after(11)) != nil)
        #expect(rules.flaw(of: "Connect", on: first, at: after(11)) == nil)
        #expect(rules.leftovers(among: [first, second], since: .start, at: after(60)).isEmpty)
        #expect(rules.leftovers(among: [first, second], since: .start, at: after(80)).count == 1)
        #expect(rules.leftovers(among: [first, second], since: after(70), at: after(80)).isEmpty)
    }

    /// Another run doesn't know of its connection.
    @Test func aRunIsNotToBlameForDevicesThatItNeverHad() {
        var rules = removed
        rules.newRun()
        _ = rules.apply(configuration(device(first, "one")), at: after(20))
        #expect(rules.leftovers(among: [second], since: .start, at: after(200)).isEmpty)
        #expect(rules.flaw(of: "Connect", on: second, at: after(21)) != nil)
    }

    @Test func aPassiveDeviceIsNotConnected() {
        var rules = removed
        _ = rules.apply(configuration(device(first, "one", .passive)), at: after(20))
        #expect(rules.flaw(of: "ReadValue", on: first, at: after(20)) == nil)
        #expect(rules.flaw(of: "ReadValue", on: first, at: after(21)) != nil)
    }

    @Test func othersStayConnectedAsADeviceIsRemoved() {
        var rules = removed
        #expect(rules.disconnects(first, at: after(10)) != nil)
        #expect(rules.disconnects(second, at: after(10)) == nil)
        #expect(rules.disconnects(first, at: after(11)) == nil)
        // Devices that take turns end connections at any time.
        rules = ConfigurationRules(slots: 1)
        _ = rules.apply(configuration(device(first, "one"), device(second, "two")), at: after(11))
        _ = rules.apply(configuration(device(first, "one")), at: after(12))
        #expect(rules.disconnects(first, at: after(12)) != nil)
        #expect(rules.disconnects(first, beside: 1, at: after(12)) == nil)
        rules = ConfigurationRules(slots: 0)
        _ = rules.apply(configuration(device(first, "one"), device(second, "two")), at: after(11))
        _ = rules.apply(configuration(device(first, "one")), at: after(12))
        #expect(rules.disconnects(first, at: after(12)) == nil)
        // They also do for a while after an adapter said that it is full.
        rules = removed
        rules.refusedAsFull(at: after(9))
        #expect(rules.disconnects(first, at: after(10)) == nil)
        rules = removed
        // A new device may need the connection's slot.
        _ = rules.apply(configuration(device(first, "one"), device(second, "two")), at: after(20))
        #expect(rules.disconnects(first, at: after(20)) == nil)
    }

    @Test func readingsBelongToTheDeviceAsItIs() {
        var rules = removed
        func isFlawed(_ reading: Reading) -> Bool { rules.flaw(of: reading) != nil }
        #expect(!isFlawed(reading(first, "one", tick: 7, at: 11)))
        // A conversation that the next tick interrupted.
        #expect(!isFlawed(reading(first, "one", tick: 6, at: 12)))
        #expect(isFlawed(reading(first, "one", tick: 5, at: 12)))
        #expect(!isFlawed(reading(second, "two", tick: 7, at: 10)))
        #expect(isFlawed(reading(second, "two", tick: 7, at: 11)))
        _ = rules.apply(configuration(device(first, "uno")), at: after(20))
        #expect(!isFlawed(reading(first, "one", tick: 8, at: 20)))
        #expect(isFlawed(reading(first, "one", tick: 8, at: 21)))
        // It left, and counts from 1 again.
        _ = rules.apply(configuration(device(second, "two")), at: after(30))
        _ = rules.apply(configuration(device(first, "uno")), at: after(31))
        #expect(!isFlawed(reading(first, "uno", tick: 1, at: 32)))
    }

    /// What a read brings that its device's removal overtook belongs to nobody.
    @Test func aReadInProgressEndsWithItsDevice() {
        var rules = removed
        let touched = rules.apply(configuration(device(second, "two")), at: after(20)) { [first] in $0 == first }
        #expect(touched == [first, second])
        let ends = [first, first, second].map { rules.readEnded($0) }
        #expect(ends == [true, false, false])
    }

    /// Whatever the changes, no two devices share an ID or an address, and all come back.
    @Test func eachConfigurationIsPossible() {
        let setting = SwarmSetting(seed: 2001)
        var changing = ChangingConfiguration(setting.configuration, guest: setting.guest)
        var random = SplitMix64(seed: 1)
        var sizes: Set<Int> = []
        for _ in 0..<2000 {
            changing.change(using: &random)
            let devices = changing.current.devices
            #expect(Set(devices.map(\.id)).count == devices.count && Set(devices.map(\.address)).count == devices.count)
            sizes.insert(devices.count)
        }
        #expect(sizes.contains(3) && sizes.contains(11))
        changing.restore(using: &random)
        #expect(Set(changing.current.devices.map(\.address)) == Set(setting.configuration.devices.map(\.address)))
    }
}
