import BlekeepSimulation
import BusBench
import Swarming
import Testing

@testable import Blekeep

/// Three pollers in one house, in virtual time.
@Suite struct FleetTests {
    private static func tell(
        _ mode: LinkMode, _ script: @escaping @Sendable (FleetHouse) async throws -> Void
    ) async throws {
        try await Bench.run(.virtual, gateways: FleetHouse.scenarios(3)) { benches, worlds in
            var device = DeviceConfiguration(alias: "roof", address: FleetHouse.address, mode: mode)
            device.gateways = (0..<3).map(FleetHouse.name)
            let house = FleetHouse(benches, worlds, devices: [device])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<3 { group.addTask { await house.run(index) } }
                try await script(house)
                for index in 0..<3 { house.stop(index) }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: [LinkMode.release, .hold, .auto]) func theFirstReadsAndOthersListen(mode: LinkMode) async throws {
        try await Self.tell(mode) { house in
            try await house.sleep(1800)
            #expect(house.readers(since: 0) == [0])
            #expect(house.longestGap(since: 0) < 45, "\(house.longestGap(since: 0)) s")
        }
    }

    @Test(arguments: [LinkMode.release, .hold])
    func theNextOneTakesOverAndGivesTheDeviceBack(mode: LinkMode) async throws {
        try await Self.tell(mode) { house in
            try await house.sleep(300)
            house.stop(0)
            let end = house.now
            try await house.sleep(300)
            #expect(house.readers(since: end + 1) == [1])
            #expect(house.longestGap(since: end) < 75, "\(house.longestGap(since: end)) s")
            let start = house.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await house.run(0) }
                try await house.sleep(590)
                #expect(house.readers(since: start) == [1])
                try await house.sleep(200)
                // A connection that is held goes on until it ends.
                if mode == .hold {
                    #expect(house.readers(since: start) == [1])
                    house.worlds[1].drop("Roof")
                    try await house.sleep(200)
                }
                let back = house.now
                try await house.sleep(300)
                #expect(house.readers(since: back) == [0])
                #expect(house.longestGap(since: start) < 75, "\(house.longestGap(since: start)) s")
                house.stop(0)
                try await group.waitForAll()
            }
        }
    }

    @Test func aSensorThatRoamsIsReadByWhoeverHearsIt() async throws {
        try await Self.tell(.auto) { house in
            try await house.sleep(300)
            for index in 0..<2 { house.worlds[index].move("Roof", attenuation: 100) }
            let left = house.now
            try await house.sleep(900)
            #expect(house.readers(since: left + 400) == [2])
            #expect(house.longestGap(since: left) < 400, "\(house.longestGap(since: left)) s")
        }
    }

    @Test func withoutTheBrokerTheReaderGoesOnAndNobodyElseBegins() async throws {
        try await Self.tell(.auto) { house in
            try await house.sleep(300)
            house.broker.fail()
            try await house.sleep(900)
            #expect(house.readers(since: 0) == [0])
            house.broker.isUp = true
            try await house.sleep(900)
            #expect(house.readers(since: 0) == [0])
            #expect(house.longestGap(since: 0) < 45)
        }
    }

    /// A short life of a small fleet; `blekeep-swarm --gateways 10` runs long ones.
    @Test func oneGatewayReadsEachSensorInTheEnd() async throws {
        let outcome = try await FleetLife.run(seed: 1, gateways: 3, faults: 10)
        #expect(outcome.violations == [] && outcome.reads > 100)
    }
}
