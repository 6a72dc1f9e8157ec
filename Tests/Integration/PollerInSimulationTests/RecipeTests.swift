import Blekeep
import BlekeepConfiguration
import BlekeepSimulation
import BusBench
import DBus
import RunLoop
import Testing

/// Devices that must be asked first, in simulated hours.
@Suite struct RecipeTests {
    private static let address = BluetoothAddress(bits: 0xC47C_8D00_0001)
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
        _ check: @escaping @Sendable ([Reading], PollerReport) throws -> Void
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

    private func simulated(_ name: String) throws -> SimulatedPeripheral {
        let recipe = try #require(RecipeCatalogue.recipe(named: name))
        return try #require(SimulatedPeripheral(recipe, Self.address))
    }

    /// A simulated device is made from each recipe. Its answers may get lost, and come late, twice or damaged.
    @Test(arguments: RecipeCatalogue.names, PeripheralBehavior.Answering.faults)
    func eachRecipeReadsItsDevice(name: String, fault: PeripheralBehavior.Answering?) async throws {
        let recipe = try #require(RecipeCatalogue.recipe(named: name))
        let expected = Set(RecipeTrial(recipe, answers: recipe.example).outcome.answers.flatMap(\.measurements))
        // A device that sets the interval gets two ticks, and another one six.
        let (ticks, length) = recipe.minInterval == nil ? TestLength.of((6, 200), atNight: (19, 620)) : (2, 620)
        try await run(try simulated(name).behaving { $0.answering = fault }, name, for: .seconds(length)) {
            readings, report in
            #expect(report.devices[0].failedTicks == 0 && report.devices[0].goodTicks >= ticks)
            #expect(readings.allSatisfy { $0.recipe == name && $0.name == recipe.title && $0.characteristic == nil })
            let values = Set(readings.compactMap(\.measurement))
            // Without a check, nobody can know a damaged value.
            let isProven = recipe.allSteps.allSatisfy { $0.answer?.frame.checks.isEmpty == false }
            #expect(fault?.fault == .damaged && !isProven ? values.isSuperset(of: expected) : values == expected)
        }
    }

    /// A capture of each recipe's device plays as that device.
    @Test(arguments: RecipeCatalogue.names)
    func aCaptureIsADevice(name: String) async throws {
        let recipe = try #require(RecipeCatalogue.recipe(named: name))
        let device = try simulated(name)
        var capture = Capture(address: Self.address)
        capture.name = device.name
        capture.recipe = name
        capture.exchanges = RecipeTrial(recipe, answers: recipe.example).exchange
        for index in capture.exchanges.indices {
            capture.exchanges[index].time = .milliseconds(40 * (index + 1))
            let place = capture.exchanges[index].characteristic
            let service = device.services.first { $0.characteristics.contains { $0.uuid == place.uuid } }
            capture.exchanges[index].characteristic.service = place.service ?? service?.uuid
        }
        capture.services = device.services.map { service in
            var copy = Capture.Service(service.uuid)
            copy.characteristics = service.characteristics.map {
                Capture.Characteristic($0.uuid, flags: $0.flags.map(\.rawValue))
            }
            return copy
        }
        let expected = Set(capture.trial(of: recipe).outcome.answers.flatMap(\.measurements))
        #expect(!expected.isEmpty)
        let redacted = capture.redacted(for: recipe)
        try await run(SimulatedPeripheral(redacted, recipe: recipe), name, for: .seconds(620)) { readings, report in
            #expect(report.devices[0].failedTicks == 0 && report.devices[0].goodTicks >= 2, "\(report.devices[0])")
            #expect(Set(readings.compactMap(\.measurement)) == expected)
        }
    }

    /// The next tick goes on with the new objects.
    @Test func aConversationEndsWithTheObjectsThatItUses() async throws {
        final class Mood: @unchecked Sendable { var isLosing = false }
        let mood = Mood()
        let battery = Self.battery { mood.isLosing }
        let recipe = try #require(RecipeCatalogue.recipe(named: "jbd"))
        try await Bench.run(.virtual, Scenario("asked", "a device that must be asked", peripherals: [battery])) {
            bench, world in
            let home = Household(bench, world, interval: .seconds(30)) {
                $0.recipes = [recipe]
                $0.devices[0].recipe = recipe.name
            }
            _ = try await home.keep(for: .seconds(150)) {
                try await bench.loop.sleep(until: .start + .seconds(58))
                mood.isLosing = true
                try await bench.loop.sleep(until: .start + .seconds(61))
                world.moveServices(battery.name)
                mood.isLosing = false
            }
            let readings = home.store.readings.map(\.reading)
            let failures = readings.filter { $0.measurement == nil }
            #expect(failures.map(\.time) == [61_000])
            #expect(home.failures(of: battery.name).map(\.code) == [.known(.services)])
            #expect(Set(readings.filter { $0.measurement != nil }.map(\.tick)).count == 4)
        }
    }

    /// All share one adapter, and each seventh answer of each gets lost.
    @Test func tenDevicesAreReadForTenMinutesWithoutAWrongValue() async throws {
        let names = [
            "ant", "daly", "humsienk", "ibbq", "jbd", "jk", "litime", "mj-ht-v1", "radoneye", "seplos-v2",
        ]
        let recipes = try names.map { try #require(RecipeCatalogue.recipe(named: $0)) }
        var scenario = Scenario.asked(recipes)
        for index in scenario.peripherals.indices {
            scenario.peripherals[index] = scenario.peripherals[index].behaving { $0.answering = .init(.lost, every: 7) }
        }
        let peripherals = scenario.peripherals
        try await Bench.run(.virtual, scenario) { bench, world in
            let home = Household(bench, world, interval: .seconds(30)) { configuration in
                configuration.recipes = recipes
                for (index, peripheral) in peripherals.enumerated() {
                    configuration.devices[index].recipe = peripheral.recipe
                }
            }
            let report = try await home.keep(for: .seconds(620))
            for (index, recipe) in recipes.enumerated() {
                let device = report.devices[index]
                #expect(device.failedTicks == 0 && device.goodTicks >= 15, "\(recipe.name): \(device)")
                let readings = home.store.readings.map(\.reading).filter { $0.recipe == recipe.name }
                let trial = RecipeTrial(recipe, answers: recipe.example)
                let expected = Set(trial.outcome.answers.flatMap(\.measurements))
                #expect(Set(readings.compactMap(\.measurement)) == expected, "\(recipe.name)")
            }
        }
    }

    /// As JK's modules do: the first is for notifications, and the second for writes.
    @Test func twoCharacteristicsWithTheSameNumberDivideTheWork() async throws {
        var battery = try simulated("jk")
        for service in battery.services.indices {
            for place in battery.services[service].characteristics.indices.reversed() {
                var writable = battery.services[service].characteristics[place]
                guard writable.uuid == BluetoothUUID(0xFFE1) else { continue }
                battery.services[service].characteristics[place].flags = [.notify]
                writable.flags = [.writeWithoutResponse]
                battery.services[service].characteristics.insert(writable, at: place + 1)
            }
        }
        try await run(battery, "jk", for: .seconds(120)) { readings, report in
            #expect(report.devices[0].goodTicks >= 3 && report.devices[0].failedTicks == 0, "\(report.devices[0])")
        }
    }

    /// Without the write before it, the sensor's value means nothing.
    @Test func aSimulatedDeviceChecksTheRequest() async throws {
        let plant = try simulated("miflora")
        try await run(plant, "miflora", for: .seconds(120), change: { $0.steps.remove(at: 1) }) { readings, report in
            #expect(report.devices[0].lastFailure?.message.contains("means nothing") == true)
            let failures = readings.filter { if case .failure = $0.outcome { true } else { false } }
            #expect(!failures.isEmpty && failures.allSatisfy { $0.recipe == "miflora" })
        }
        let other: (inout Recipe) -> Void = { recipe in
            guard case .ask(var write, let source) = recipe.steps[0].action else { return }
            write.bytes = [.bytes([0xDD, 0xA5, 3, 0, 0xFF, 0xFE, 0x77])]
            recipe.steps[0].action = .ask(write, source)
        }
        try await run(try simulated("jbd"), "jbd", for: .seconds(120), change: other) { _, report in
            #expect(report.devices[0].lastFailure?.message.contains("no answer to step 1 within") == true)
        }
    }

    @Test func anUnpairedDeviceThatNeedsPairingSaysSoAndGetsNoWrite() async throws {
        nonisolated(unsafe) var writes = 0
        let battery = Self.battery {
            writes += 1
            return false
        }
        try await run(battery, "jbd", for: .seconds(120), change: { $0.needsBond = true }) { readings, report in
            #expect(writes == 0 && report.devices[0].lastFailure?.code == .known(.needsPairing))
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

    /// It isn't the device's fault. The sensor measures for 1.2 s of each conversation, in which blekeep waits.
    @Test(arguments: [false, true])
    func aConversationThatBlekeepEndsIsNoFailure(isRemoved: Bool) async throws {
        let recipe = try #require(RecipeCatalogue.recipe(named: "sensortag"))
        let scenario = Scenario("asked", "a device that must be asked", peripherals: [try simulated("sensortag")])
        try await Bench.run(.virtual, scenario) { bench, world in
            let home = Household(bench, world, interval: .seconds(30)) {
                $0.recipes = [recipe]
                $0.devices[0].recipe = recipe.name
            }
            _ = try await home.keep(for: .seconds(90)) {
                try await bench.loop.sleep(until: .start + .milliseconds(60_500))
                if isRemoved {
                    try home.poller.reconfigure(PollConfiguration(interval: .seconds(30), devices: []), sinks: [])
                } else {
                    home.poller.obey(DeviceCommand(.pause(.untilResumed), DeviceID(Self.address))) { _ in }
                }
            }
            let times = home.store.readings.map(\.reading.time)
            #expect(home.failures.isEmpty && times.count > 1 && times.allSatisfy { $0 < 60_500 }, "\(home.failures)")
        }
    }

    /// Its recipe allows a call a minute, and a tick has 25 s, with 5 s more for what it began.
    @Test func aConversationEndsWithItsTick() async throws {
        let slow = Self.battery().behaving { $0.latency = .seconds(40) }
        func patient(_ recipe: inout Recipe) {
            recipe.timeout = .seconds(60)
            for place in recipe.steps.indices { recipe.steps[place].within = .seconds(60) }
        }
        try await run(slow, "jbd", for: .seconds(50), change: patient) { readings, _ in
            let first = try #require(readings.first)
            #expect(first.measurement == nil && (30_000...35_000).contains(first.time), "\(first.time)")
        }
    }

    @Test func aConversationHoldsUpNoSleep() async throws {
        let recipe = try #require(RecipeCatalogue.recipe(named: "sensortag"))
        let scenario = Scenario("asked", "a device that must be asked", peripherals: [try simulated("sensortag")])
        try await Bench.run(.virtual, scenario) { bench, world in
            let machine = SimulatedMachine(on: bench.loop) { () async throws(BusError) in try await bench.connect() }
            try await machine.start()
            let home = Household(bench, world, interval: .seconds(30)) {
                $0.recipes = [recipe]
                $0.devices[0].recipe = recipe.name
            }
            _ = try await home.keep(for: .seconds(90)) {
                try await bench.loop.sleep(until: .start + .milliseconds(60_500))
                machine.apply(.suspend(.seconds(10)))
            }
            #expect(machine.login.delays.count == 1 && machine.login.delays.allSatisfy { $0.locks > 0 })
            #expect(machine.login.delays.allSatisfy { $0.held < .milliseconds(100) } && home.failures.isEmpty)
        }
    }

    /// Its answers get lost, and its connection ends.
    @Test func aDeviceThatNeedsRestGetsIt() async throws {
        nonisolated(unsafe) var times: [Uptime] = []
        nonisolated(unsafe) var now: () -> Uptime = { .start }
        let tired = Self.battery {
            times.append(now())
            return times.count.isMultiple(of: 3)
        }.behaving { $0.dropsAfter = .milliseconds(700) }
        var recipe = try #require(RecipeCatalogue.recipe(named: "jbd"))
        recipe.steps.removeLast()
        recipe.minInterval = .seconds(10)
        let asked = recipe
        try await Bench.run(.virtual, Scenario("tired", "a device that needs rest", peripherals: [tired])) {
            bench, world in
            now = { bench.loop.now }
            let home = Household(bench, world, interval: .seconds(10)) {
                $0.recipes = [asked]
                $0.devices[0].recipe = asked.name
            }
            let report = try await home.keep(for: .seconds(600))
            let pauses = zip(times, times.dropFirst()).map { $1 - $0 }
            #expect(report.devices[0].goodTicks > 20 && times.count > 30)
            #expect(pauses.allSatisfy { $0 >= .seconds(10) }, "\(pauses)")
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

extension PeripheralBehavior.Answering {
    fileprivate static let faults: [Self?] =
        [nil] + [.lost, .twice, .late(.seconds(2)), .damaged].map { Self($0, every: 5) }
}

extension Reading {
    fileprivate var measurement: Measurement? {
        if case .value(let measurement, _) = outcome { measurement } else { nil }
    }
}
