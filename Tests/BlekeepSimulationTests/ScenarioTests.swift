import BlekeepRecords
import RunLoop
import Testing

@testable import BlekeepSimulation

struct ScenarioTests {
    @Test func namesAreUniqueAndFindTheirScenarios() {
        let names = Scenario.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { Scenario.named($0)?.name == $0 })
        #expect(Scenario.named("nonsense") == nil)
        #expect(Scenario.all.allSatisfy { !$0.summary.isEmpty && !$0.summary.contains("\n") })
    }

    @Test(arguments: Scenario.all.map(\.name))
    func addressesAreUnique(_ name: String) throws {
        let addresses = try #require(Scenario.named(name)).peripherals.map(\.address)
        #expect(Set(addresses).count == addresses.count)
    }

    @Test func theTableOfSensorsIsInItsNotation() {
        let lines = SensorTable.text.split(separator: "\n")
        #expect(SensorTable.rows.count == lines.count)
        #expect(Set(SensorTable.rows.map(\.name)).count == lines.count)
        for row in SensorTable.rows {
            let data = row.data(from: Scenario.numbered(row.number, group: 5))
            #expect(!data.manufacturerData.isEmpty || !data.serviceData.isEmpty, "\(row.name)")
        }
        for (line, row) in zip(lines, SensorTable.rows) {
            let data = row.data(from: Scenario.numbered(row.number, group: 5))
            #expect(line.split(separator: ";").count == data.manufacturerData.count + data.serviceData.count, "\(line)")
        }
    }

    /// One of each format, of which one is encrypted.
    @Test func eachFormatHasASensorThatDecodes() throws {
        var formats: Set<BroadcastFormat> = []
        for peripheral in Scenario.beacons.peripherals where peripheral.services.isEmpty {
            let data = peripheral.data(at: .zero)
            let advertised = AdvertisedData(
                address: peripheral.address, name: peripheral.name, services: peripheral.advertised,
                manufacturerData: data.manufacturerData, serviceData: data.serviceData)
            func decoded(_ key: AdvertisementKey?) -> [BroadcastFormat] {
                var decoder = BroadcastDecoder(key: key)
                return decoder.decode(advertised).compactMap { $0.broadcast }.filter { packet in
                    packet.measurements.contains { $0.value != nil }
                }.map(\.format)
            }
            let key = SensorTable.key(of: peripheral.name)
            let found = decoded(key)
            #expect(Set(found).count == 1, "\(peripheral.name): \(found)")
            #expect(key == nil || decoded(nil) == [], "the key is needed")
            let row = SensorTable.rows.first { $0.name == peripheral.name }
            #expect(row == nil || found.first == row?.format, "\(peripheral.name): \(found)")
            formats.formUnion(found)
        }
        #expect(formats == Set(BroadcastFormat.allCases))
    }

    @Test func wavesStayInTheirRangeAndComeBack() {
        let wave = Wave(from: -50, through: 70, every: .seconds(600))
        let values = (0...1200).map { wave.value(at: .seconds($0)) }
        #expect(values.min() == -50 && values.max() == 70)
        #expect(values[0] == -50 && values[300] == 70 && values[600] == -50)
        #expect(zip(values, values.dropFirst()).allSatisfy { abs($0 - $1) <= 1 })
    }

    @Test func sensorNIsNDegreesWarmer() {
        let values = Scenario.many.peripherals.map { peripheral in
            peripheral.services[0].characteristics[0].value(.zero)
        }
        #expect(values[0] == bytes(Int16(1100)) && values[19] == bytes(Int16(3000)))
    }

    @Test func handlesCountDeclarationsValuesAndDescriptors() {
        let layout = GattLayout(.environmentalSensor("", address: Scenario.numbered(1, group: 0), temperature: 0...1))
        #expect(layout.services.map(\.handle) == [0x06, 0x0E, 0x16, 0x1A])
        #expect(layout.services[1].places.map(\.handle) == [0x0F, 0x12, 0x14])
        #expect(layout.services[1].places[0].descriptors.map(\.handle) == [0x11])
    }

    @Test func generatorIsTheKnownOne() {
        var generator = SplitMix64(seed: 1_234_567)
        #expect(generator.next() == 6_457_827_717_110_365_317)
        #expect(generator.next() == 3_203_168_211_198_807_973)
    }
}
