import Blekeep
import BlekeepSimulation
import BusBench
import DBus
import RunLoop

/// A whole poller on a machine with a battery that may sleep, in virtual time.
struct Laptop: Sendable {
    let home: Household
    let power: SimulatedPower
    let login: SimulatedLogin

    func at(_ seconds: Double) async throws {
        try await home.bench.loop.sleep(until: .start + .milliseconds(Int(seconds * 1000)))
    }

    /// The times of the ticks with a reading, rounded down to 10 s, because the other device may be connected first.
    var ticks: [Int] { reads.map { $0 / 10 * 10 } }

    /// The whole seconds at which the device was read.
    var reads: [Int] { home.moments(of: "Living Room", 0x2A6E).map { Int($0) } }

    /// Polls the house for this long, while `script` changes the machine.
    static func run(
        for length: Duration, limit: Duration = .seconds(5), interval: Duration = .seconds(30),
        before: Heartbeat? = nil, scenario: Scenario = .house,
        change: @escaping @Sendable (inout PollConfiguration) -> Void = { _ in },
        _ script: @escaping @Sendable (Laptop) async throws -> Void
    ) async throws -> Laptop {
        try await Bench.run(.virtual, scenario) { bench, world in
            let connect: @Sendable () async throws(BusError) -> any Bus = { () async throws(BusError) in
                try await bench.connect()
            }
            let power = SimulatedPower(.mains(80), connect: connect)
            let login = SimulatedLogin(limit: limit, connect: connect)
            try await power.start()
            try await login.start()
            let laptop = Laptop(
                home: Household(bench, world, interval: interval, before: before, change: change), power: power,
                login: login)
            _ = try await laptop.home.keep(for: length) { try await script(laptop) }
            return laptop
        }
    }
}
