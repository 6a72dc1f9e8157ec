import Blekeep
import BlekeepConfiguration
import BlekeepSimulation
import BusBench
import RunLoop
import Testing

/// Devices that must be asked first, in simulated hours.
@Suite struct RecipeTests {
    private static let address = BluetoothAddress(bits: 0xC47C_8D00_0001)
    private static let measured: [UInt8] = [
        0xF6, 0, 0, 0xCD, 0x0B, 0, 0, 0x1E, 0x5B, 0x01, 0x02, 0x3C, 0, 0xFB, 0x34, 0x9B,
    ]

    /// Holds zeros until its mode is written.
    private static let plant = SimulatedPeripheral(
        "Flower care", address,
        services: [
            SimulatedService(
                BluetoothUUID(0x1204),
                [
                    SimulatedCharacteristic(BluetoothUUID(0x1A00), [.read, .write], constant: []),
                    SimulatedCharacteristic(BluetoothUUID(0x1A01), constant: Array(repeating: 0, count: 16)),
                    SimulatedCharacteristic(BluetoothUUID(0x1A02), constant: [100, 0x10] + Array("3.2.1".utf8)),
                ])
        ]
    ).answering { bytes, characteristic in
        guard bytes == [0xA0, 0x1F], characteristic == BluetoothUUID(0x1A00) else { return [] }
        return [SimulatedAnswer(BluetoothUUID(0x1A01), measured, after: .zero, isNotified: false)]
    }

    /// Answers in pieces of 20 bytes. `losing` says which requests stay without an answer.
    private static func battery(losing: @escaping @Sendable () -> Bool = { false }) -> SimulatedPeripheral {
        let answers: [UInt8: String] = [
            3: "dd03001d0618fee101f201f4002a2c7c00000000000080640304030b8b0b8a0b84f88477",
            4: "dd0400080d660d610d680d59fe3c77",
        ]
        return SimulatedPeripheral(
            "JBD-SP04", address, advertised: [BluetoothUUID(0xFF00)],
            services: [
                SimulatedService(
                    BluetoothUUID(0xFF00),
                    [
                        SimulatedCharacteristic(BluetoothUUID(0xFF01), [.notify]) { _ in [] },
                        SimulatedCharacteristic(BluetoothUUID(0xFF02), [.writeWithoutResponse], constant: []),
                    ])
            ]
        ).answering { bytes, _ in
            guard bytes.count == 7, bytes[0] == 0xDD, !losing(), let answer = answers[bytes[2]] else { return [] }
            let whole = bytesOf(answer)
            return stride(from: 0, to: whole.count, by: 20).enumerated().map { number, start in
                SimulatedAnswer(
                    BluetoothUUID(0xFF01), Array(whole[start..<min(start + 20, whole.count)]),
                    after: .milliseconds(50 + 30 * number))
            }
        }
    }

    private static func bytesOf(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.utf8.count, by: 2).map { place in
            UInt8(hex.dropFirst(place).prefix(2), radix: 16) ?? 0
        }
    }

    private func run(
        _ peripheral: SimulatedPeripheral, _ recipe: String, for length: Duration,
        change: (inout Recipe) -> Void = { _ in },
        _ check: @escaping @Sendable ([Reading], KeeperReport) throws -> Void
    ) async throws {
        var recipe = try #require(RecipeCatalogue.recipe(named: recipe))
        change(&recipe)
        let asked = recipe
        try await Bench.run(.virtual, Scenario("asked", "a device that must be asked", peripherals: [peripheral])) {
            bench, world in
            let home = Household(bench, world, interval: .seconds(30)) {
                $0.recipes = [asked]
                $0.devices[0].recipe = asked.name
            }
            let report = try await home.keep(for: length)
            try check(home.store.readings.map(\.reading), report)
        }
    }

    @Test func aPlantSensorMeasuresWhenItsModeIsWritten() async throws {
        try await run(Self.plant, "miflora", for: .seconds(590)) { readings, report in
            let values = readings.filter { $0.name == "Mi Flora" }
            #expect(values.count == readings.count && report.devices[0].failedTicks == 0)
            let last = Dictionary(values.suffix(5).compactMap { $0.measurement }.map { ($0.field, $0.value) }) { $1 }
            #expect(last["temperature"] == .number(24.6) && last["moisture"] == .integer(30))
            #expect(last["conductivity"] == .integer(347) && last["illuminance"] == .integer(3021))
            #expect(Set(values.map(\.tick)).count == 20)
        }
    }

    @Test func aBatteryAnswersInPieces() async throws {
        try await run(Self.battery(), "jbd", for: .seconds(590)) { readings, report in
            #expect(report.devices[0].failedTicks == 0 && report.devices[0].goodTicks >= 19)
            let fields = Set(readings.compactMap { $0.measurement?.field })
            #expect(fields.isSuperset(of: ["voltage", "current", "battery_level", "cell_1", "cell_4"]))
            #expect(readings.first { $0.measurement?.field == "voltage" }?.measurement?.value == .number(15.6))
        }
    }

    @Test func anUnpairedDeviceThatNeedsPairingSaysSoAndGetsNoWrite() async throws {
        nonisolated(unsafe) var writes = 0
        let battery = Self.battery {
            writes += 1
            return false
        }
        try await run(battery, "jbd", for: .seconds(120), change: { $0.needsBond = true }) { readings, report in
            #expect(writes == 0 && report.devices[0].lastFailure?.code == .known(.needsUser))
        }
    }

    /// Each third answer stays away until the connection ends, in the middle of a conversation.
    @Test func aConversationThatLosesItsConnectionBeginsAnew() async throws {
        nonisolated(unsafe) var requests = 0
        let dropping = Self.battery {
            requests += 1
            return requests.isMultiple(of: 3)
        }.behaving { $0.dropsAfter = .milliseconds(700) }
        try await run(dropping, "jbd", for: .seconds(600)) { readings, report in
            let voltages = readings.compactMap { $0.measurement }.filter { $0.field == "voltage" }
            let whole = readings.compactMap { $0.measurement }.count { $0.field == "cell_4" }
            #expect(whole > 5 && voltages.allSatisfy { $0.value == .number(15.6) })
            // Two requests each, and those of the conversations that lost their connection.
            #expect(requests > 2 * whole, "\(requests) requests, \(whole) whole conversations")
        }
    }

    @Test func aLostAnswerIsAskedForAgainAndASilentDeviceSaysWhatIsMissing() async throws {
        nonisolated(unsafe) var requests = 0
        let sometimes = Self.battery {
            requests += 1
            return requests % 5 == 0
        }
        try await run(sometimes, "jbd", for: .seconds(590)) { readings, report in
            #expect(report.devices[0].failedTicks == 0 && report.devices[0].goodTicks >= 19)
        }
        try await run(Self.battery { true }, "jbd", for: .seconds(120)) { readings, report in
            #expect(report.devices[0].goodTicks == 0)
            #expect(report.devices[0].lastFailure?.message.contains("no answer to step 1 within") == true)
        }
    }
}

extension Reading {
    fileprivate var measurement: Measurement? {
        if case .value(let measurement, _) = outcome { measurement } else { nil }
    }
}
