import Blekeep
import BlekeepSimulation
import DBus
import RunLoop
import Testing

/// The fault matrix's rows of a device's characteristics: they move, occur twice, don't reply, or differ from BlueZ's cache.
@Suite struct FaultMatrixGattTests {
    private static let temperature = BluetoothUUID(0x2A6E)

    // MARK: Other objects

    @Test func aTreeThatMovesAgainAndAgainIsFollowed() async throws {
        let story = try await FaultStory.tell { story in
            for second in stride(from: 0, to: 120, by: 7) {
                story.bench.loop.schedule(at: story.bench.loop.now + .seconds(second)) {
                    story.world.moveServices("Freezer")
                }
            }
        } end: { _ in
        }
        story.expectRecovery(at: 215, within: 20)
        story.expectOthersUndisturbed()
        #expect(story.readings("Freezer", Self.temperature).map(\.tick) == Array(1...34))
    }

    /// BlueZ never answers a read of an object that it has taken away.
    @Test func aReadOfWhatIsTakenAwayEndsAtOnce() async throws {
        let story = try await FaultStory.tell { story in
            story.world.slow("Freezer", by: .milliseconds(1200))
            // In the middle of the first read of the tick.
            story.bench.loop.schedule(at: .start + .seconds(101)) { story.world.moveServices("Freezer") }
        } end: {
            $0.world.heal("Freezer")
        }
        let read = story.readings("Freezer", Self.temperature).filter { (100...110).contains(Double($0.time) / 1000) }
        #expect(read.count == 1)
        #expect(story.failures("Freezer").map(\.code) == [.other("UnknownObject")])
        story.expectRecovery(at: 215, within: 20)
    }

    // MARK: Twice

    @Test func readsAndDistinguishesEqualCharacteristics() async throws {
        let twins = SimulatedPeripheral(
            "Twins", Scenario.house.peripherals[1].address,
            services: [
                SimulatedService(
                    BluetoothUUID(0x181A),
                    [
                        SimulatedCharacteristic(Self.temperature, constant: [0xE8, 0x03]),
                        SimulatedCharacteristic(Self.temperature, constant: [0xD0, 0x07]),
                    ]),
                SimulatedService(
                    BluetoothUUID(0x181A),
                    [
                        SimulatedCharacteristic(Self.temperature, constant: [0, 0]),
                        SimulatedCharacteristic(Self.temperature, constant: [0]),
                    ]),
            ])
        let scenario = Scenario("twins", "one that has everything twice", peripherals: [twins])
        let story = try await FaultStory.tell(scenario) { story in
            story.world.moveServices("Twins")
        } end: {
            $0.world.moveServices("Twins")
        }
        // The same name for each place, wherever its handles are.
        for (instance, value) in [(1, 10.0), (2, 20), (3, 0)] {
            let read = story.readings("Twins", Self.temperature).filter { $0.instance == instance }
            #expect(read.map(\.tick) == Array(1...34), "\(instance)")
            #expect(read.allSatisfy { $0.number == value && $0.field == "temperature" }, "\(instance)")
        }
        // The bytes of the fourth don't fit.
        let failed = story.store.readings.map(\.reading).filter { $0.field == nil && $0.device == "Twins" }
        #expect(failed.map(\.tick) == Array(1...34) && failed.allSatisfy { $0.instance == 4 })
    }

    // MARK: Silence

    /// A characteristic that never replies doesn't delay the others, and isn't read at each tick.
    @Test func aMuteCharacteristicDoesNotPreventReadsOfTheOthers() async throws {
        let asked = ActivityCounter()
        let story = try await FaultStory.tell(for: 1200, staying: 900) { story in
            var first: ObjectPath?
            story.deafness.ignores = { call in
                guard call.member == GattCharacteristic1.readValue.name,
                    BluetoothAddress(device: call.path) == story.address("Freezer")
                else { return false }
                first = first ?? call.path
                if call.path == first { asked.count += 1 }
                return call.path == first
            }
        } during: { story in
            #expect(story.status("Freezer")?.state != .lost)
            #expect(story.failures("Freezer").contains { $0.code == .known(.timeout) })
        } end: {
            $0.deafness.ignores = { _ in false }
        }
        #expect((3...8).contains(asked.count), "\(asked.count)")
        let ticks = Set(story.readings("Freezer", BluetoothUUID(0x2A6F)).map(\.tick))
        #expect(ticks.count >= 200, "\(ticks.count)")
        story.expectRecovery(at: 1295, within: 20)
        story.expectOthersUndisturbed()
    }

    // MARK: Stale

    /// BlueZ's cache of the device is wrong. The poller reports that the user must help, and retries.
    @Test func reportsAStaleCacheOnceAndRetries() async throws {
        let story = try await FaultStory.tell(for: 300, staying: 1000) {
            $0.world.error("Freezer", code: 0x01)
        } during: { story in
            #expect(story.status("Freezer")?.state == .needsUser)
            #expect(story.status("Freezer")?.failure?.code == .known(.staleCache))
        } end: {
            $0.world.heal("Freezer")
        }
        story.expectRecovery(at: 395, within: 920)
        story.expectOthersUndisturbed()
    }
}

private final class ActivityCounter: @unchecked Sendable {
    var count = 0
}

extension Reading {
    fileprivate var field: String? {
        if case .value(let measurement, _) = outcome { measurement.field } else { nil }
    }

    fileprivate var number: Double? {
        guard case .value(let measurement, _) = outcome, case .number(let number)? = measurement.value else {
            return nil
        }
        return number
    }
}
