import Testing

@testable import BlekeepSimulation

@Suite struct HeardAdvertisementTests {
    private let cold = SimulatedBroadcast(manufacturerData: [1: [20]])
    private let warm = SimulatedBroadcast(manufacturerData: [2: [20]])

    @Test func reportsWhatHasChanged() {
        var heard = HeardAdvertisement()
        let first = heard.hear(-60, name: nil, broadcast: cold, tellsDuplicates: false)
        #expect(first == .init(strength: true, manufacturerData: true))
        let same = heard.hear(-60, name: nil, broadcast: cold, tellsDuplicates: false)
        #expect(same == .init())
        let changed = heard.hear(-61, name: "sps", broadcast: warm, tellsDuplicates: false)
        #expect(changed == .init(strength: true, name: true, manufacturerData: true))
    }

    /// As bluetoothd's device_set_manufacturer_data does.
    @Test func keepsEarlierKeysUnlessAClientWantsDuplicates() {
        var heard = HeardAdvertisement()
        _ = heard.hear(-60, name: nil, broadcast: cold, tellsDuplicates: false)
        _ = heard.hear(-60, name: nil, broadcast: warm, tellsDuplicates: false)
        #expect(heard.shown.manufacturerData == [1: [20], 2: [20]])
        let again = heard.hear(-60, name: nil, broadcast: cold, tellsDuplicates: false)
        #expect(again == .init())
        _ = heard.hear(-60, name: nil, broadcast: SimulatedBroadcast(), tellsDuplicates: true)
        #expect(heard.shown.manufacturerData.count == 2)
        let told = heard.hear(-60, name: nil, broadcast: cold, tellsDuplicates: true)
        #expect(told == .init(manufacturerData: true))
        #expect(heard.shown == cold)
    }

    @Test func keepsTheName() {
        var heard = HeardAdvertisement()
        _ = heard.hear(-60, name: "sps", broadcast: cold, tellsDuplicates: false)
        let unnamed = heard.hear(-60, name: nil, broadcast: cold, tellsDuplicates: false)
        #expect(unnamed == .init() && heard.name == "sps")
    }

    @Test func forgetsTheStrengthOnceWhenTheDiscoveryEnds() {
        var heard = HeardAdvertisement()
        let before = heard.endDiscovery()
        _ = heard.hear(-60, name: nil, broadcast: cold, tellsDuplicates: false)
        let (first, second) = (heard.endDiscovery(), heard.endDiscovery())
        #expect([before, first, second] == [false, true, false])
        #expect(heard.strength == nil && heard.shown == cold)
    }
}
