import BlekeepSimulation
import BusBench
import Swarming
import Testing

@testable import Blekeep

/// Three pollers in one house, in virtual time.
@Suite struct FleetTests {
    private static func tell(
        _ mode: LinkMode, byDatabase: Bool = false, gateways: [String] = (0..<3).map(FleetHouse.name),
        _ script: @escaping @Sendable (FleetHouse) async throws -> Void
    ) async throws {
        try await Bench.run(.virtual, gateways: FleetHouse.scenarios(3)) { benches, worlds in
            var device = DeviceConfiguration(alias: "roof", address: FleetHouse.address, mode: mode)
            device.gateways = gateways
            let house = FleetHouse(benches, worlds, devices: [device], byDatabase: byDatabase)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<3 { group.addTask { await house.run(index) } }
                try await script(house)
                for index in 0..<3 { house.stop(index) }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: [LinkMode.release, .hold, .auto], [false, true])
    func theFirstReadsAndOthersListen(mode: LinkMode, byDatabase: Bool) async throws {
        try await Self.tell(mode, byDatabase: byDatabase) { house in
            try await house.sleep(1800)
            #expect(house.readers(since: 0) == [0])
            #expect(house.longestGap(since: 0) < 45, "\(house.longestGap(since: 0)) s")
        }
    }

    @Test(arguments: [LinkMode.release, .hold], [false, true])
    func theNextOneTakesOverAndGivesTheDeviceBack(mode: LinkMode, byDatabase: Bool) async throws {
        try await Self.tell(mode, byDatabase: byDatabase) { house in
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
                // By a database, a connection is never given up for an earlier gateway.
                #expect(house.readers(since: back) == [mode == .hold && byDatabase ? 1 : 0])
                #expect(house.longestGap(since: start) < 75, "\(house.longestGap(since: start)) s")
                house.stop(0)
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: [false, true]) func aSensorThatRoamsIsReadByWhoeverHearsIt(byDatabase: Bool) async throws {
        try await Self.tell(.auto, byDatabase: byDatabase) { house in
            try await house.sleep(300)
            for index in 0..<2 { house.worlds[index].move("Roof", attenuation: 100) }
            let left = house.now
            try await house.sleep(900)
            #expect(house.readers(since: left + 400) == [2])
            #expect(house.longestGap(since: left) < 400, "\(house.longestGap(since: left)) s")
        }
    }

    @Test(arguments: [false, true])
    func withoutTheBrokerTheReaderGoesOnAndNobodyElseBegins(byDatabase: Bool) async throws {
        try await Self.tell(.auto, byDatabase: byDatabase) { house in
            try await house.sleep(300)
            house.place.fail()
            try await house.sleep(900)
            #expect(house.readers(since: 0) == [0])
            house.place.isUp = true
            try await house.sleep(900)
            #expect(house.readers(since: 0) == [0])
            #expect(house.longestGap(since: 0) < 45)
        }
    }

    @Test func theNearestGatewayReadsWhatEachMayRead() async throws {
        try await Self.tell(.release, byDatabase: true, gateways: ["any"]) { house in
            house.worlds[1].move("Roof", attenuation: 0)
            house.worlds[2].move("Roof", attenuation: 30)
            try await house.sleep(600)
            #expect(house.readers(since: 0).isDisjoint(with: [2]))
            let near = try #require(house.readers(since: 0).first)
            house.place.cut(FleetHouse.name(near), noticedAfter: .seconds(20))
            house.stop(near)
            let end = house.now
            try await house.sleep(600)
            #expect(house.readers(since: end + 1) == [1 - near])
            // The lease, a tick or two, and an interval.
            #expect(house.longestGap(since: end) < 90, "\(house.longestGap(since: end)) s")
        }
    }

    /// A short life of a small fleet; `blekeep-swarm --gateways 10` runs long ones.
    @Test(arguments: TestLength.of([true], atNight: [false, true]))
    func oneGatewayReadsEachSensorInTheEnd(byDatabase: Bool) async throws {
        let outcome = try await FleetLife.run(seed: 1, gateways: 3, faults: 10, byDatabase: byDatabase)
        #expect(outcome.violations == [] && outcome.reads > 100)
    }
}
