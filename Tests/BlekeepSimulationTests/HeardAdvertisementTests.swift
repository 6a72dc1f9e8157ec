import Testing

@testable import BlekeepSimulation

@Suite struct HeardAdvertisementTests {
    private let cold = SimulatedBroadcast(manufacturerData: [1: [20]])
    private let warm = SimulatedBroadcast(manufacturerData: [1: [21]])

    @Test func reportsWhatHasChanged() {
        var heard = HeardAdvertisement()
        let first = heard.hear(-60, cold, tellsDuplicates: false)
        #expect(first == .init(strength: true, manufacturerData: true, serviceData: true))
        let same = heard.hear(-60, cold, tellsDuplicates: false)
        #expect(same == .init())
        let changed = heard.hear(-61, warm, tellsDuplicates: false)
        #expect(changed == .init(strength: true, manufacturerData: true))
    }

    @Test func reportsRepeatedDataToClientsThatWantDuplicates() {
        var heard = HeardAdvertisement()
        _ = heard.hear(-60, cold, tellsDuplicates: true)
        let again = heard.hear(-60, cold, tellsDuplicates: true)
        #expect(again == .init(manufacturerData: true, serviceData: true))
    }

    @Test func forgetsTheStrengthOnceWhenTheDiscoveryEnds() {
        var heard = HeardAdvertisement()
        let before = heard.endDiscovery()
        _ = heard.hear(-60, cold, tellsDuplicates: false)
        let (first, second) = (heard.endDiscovery(), heard.endDiscovery())
        #expect([before, first, second] == [false, true, false])
        #expect(heard.strength == nil && heard.wasHeard)
    }
}
