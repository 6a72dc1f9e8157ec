import BlekeepRecords
import BusBench
import RunLoop
import Testing

@testable import BlekeepOutputs

/// Ten gateways, a broker and devices that roam, with faults at random moments, each second of a day or two.
///
/// The model of the broker retains what gateways say, and says `offline` for a gateway that is gone: at once when its
/// process ends, and after 30 s when its network does. A device is read by whoever is in charge of it and hears it; nobody
/// hears a device that another gateway's connection holds.
@Suite struct StandbyModelTests {
    private struct Gateway {
        let name: String
        var isRunning = true
        /// Whether its network reaches the broker.
        var isReachable = true
        /// When the broker notices that it is gone; `nil` when it knows, or there is nothing to notice.
        var willAt: Int?
        var isOnline = false
        var standby: Standby
        var isInCharge = false
        /// Whether it stands by when its connection ends.
        var isLeaving = false
        var heardAt: Int?
        /// Since when it is in charge and hears nothing.
        var deafSince: Int?
        var said: Standby.Report?

        var isConnected: Bool { isRunning && isReachable && isOnline }

        func report(at second: Int) -> Standby.Report {
            guard isInCharge else { return heardAt.map { second - $0 < 60 } ?? false ? .hears : .silent }
            return deafSince.map { second - $0 >= 120 } ?? false ? .lost : .reads
        }
    }

    private struct World {
        var random: SplitMix64
        var gateways: [Gateway]
        let isHeld: Bool
        var hearers: Set<Int> = []
        var isBrokerUp = true
        var second = 0
        /// The gateway whose connection holds the device.
        var holder: Int?
        var steps: [String] = []

        init(seed: UInt64, count: Int) {
            random = SplitMix64(seed: seed)
            let names = (0..<count).map { "g\($0)" }
            gateways = names.map { Gateway(name: $0, standby: Standby(order: names, own: $0, at: .start)) }
            isHeld = seed.isMultiple(of: 2)
            roam()
        }

        var now: Uptime { .start + .seconds(second) }

        mutating func roam() {
            hearers = Set(gateways.indices.filter { _ in random.next() % 3 == 0 })
        }

        // MARK: The broker

        mutating func tell(_ index: Int, isOnline: Bool) {
            for other in gateways.indices where other != index && gateways[other].isConnected {
                gateways[other].standby.heard(of: gateways[index].name, isOnline: isOnline, at: now)
            }
        }

        mutating func tellReport(_ index: Int) {
            for other in gateways.indices where other != index && gateways[other].isConnected {
                gateways[other].standby.heard(
                    of: gateways[index].name, gateways[index].said, isBonded: false, at: now)
            }
        }

        mutating func connect(_ index: Int) {
            guard isBrokerUp, gateways[index].isRunning, gateways[index].isReachable, !gateways[index].isOnline else {
                return
            }
            gateways[index].isOnline = true
            gateways[index].willAt = nil
            for other in gateways.indices where other != index {
                gateways[index].standby.heard(of: gateways[other].name, isOnline: gateways[other].isOnline, at: now)
                gateways[index].standby.heard(
                    of: gateways[other].name, gateways[other].said, isBonded: false, at: now)
            }
            gateways[index].standby.looked(at: now)
            gateways[index].said = gateways[index].report(at: second)
            tellReport(index)
            tell(index, isOnline: true)
        }

        mutating func offline(_ index: Int) {
            gateways[index].isOnline = false
            gateways[index].willAt = nil
            tell(index, isOnline: false)
        }

        // MARK: Faults

        mutating func fault() {
            let index = Int(random.next() % UInt64(gateways.count))
            switch random.next() % 8 {
            case 0:  // kill -9
                guard gateways[index].isRunning else { return }
                gateways[index].isRunning = false
                if holder == index { holder = nil }
                if gateways[index].isReachable, isBrokerUp {
                    offline(index)
                } else {
                    gateways[index].willAt = second + 30
                }
            case 1, 2:  // It starts again.
                guard !gateways[index].isRunning else { return }
                gateways[index].isRunning = true
                (gateways[index].isInCharge, gateways[index].heardAt, gateways[index].deafSince) = (false, nil, nil)
                gateways[index].standby = Standby(
                    order: gateways.map(\.name), own: gateways[index].name, at: now)
            case 3:  // Its network is cut, and it notices.
                guard gateways[index].isReachable else { return }
                gateways[index].isReachable = false
                gateways[index].willAt = gateways[index].isOnline ? second + 30 : nil
                gateways[index].standby.disconnected(at: now)
            case 4, 5: gateways[index].isReachable = true
            case 6: roam()
            default:
                isBrokerUp.toggle()
                if !isBrokerUp {
                    for index in gateways.indices where gateways[index].isConnected {
                        gateways[index].standby.disconnected(at: now)
                        gateways[index].isOnline = false
                    }
                }
            }
        }

        mutating func heal() {
            isBrokerUp = true
            for index in gateways.indices {
                gateways[index].isReachable = true
                if !gateways[index].isRunning {
                    gateways[index].isRunning = true
                    gateways[index].isInCharge = false
                    gateways[index].standby = Standby(
                        order: gateways.map(\.name), own: gateways[index].name, at: now)
                }
            }
        }

        // MARK: A second

        mutating func pass() {
            second += 1
            for index in gateways.indices {
                if let will = gateways[index].willAt, second >= will, isBrokerUp {
                    // A process that lives on is thrown out.
                    if gateways[index].isRunning { gateways[index].standby.disconnected(at: now) }
                    offline(index)
                }
                if random.next() % 20 == 0 { connect(index) }
            }
            if let current = holder {
                if !hearers.contains(current) || !gateways[current].isInCharge || random.next() % 4000 == 0 {
                    endLink()
                }
            }
            for index in gateways.indices where gateways[index].isRunning {
                let hears = hearers.contains(index) && (holder == nil || holder == index)
                if hears { gateways[index].heardAt = second }
                if gateways[index].isInCharge {
                    if hears, isHeld { holder = index }
                    gateways[index].deafSince = hears ? nil : gateways[index].deafSince ?? second
                } else {
                    gateways[index].deafSince = nil
                }
                decide(index)
                let report = gateways[index].report(at: second)
                if gateways[index].isConnected, report != gateways[index].said {
                    gateways[index].said = report
                    tellReport(index)
                }
            }
        }

        mutating func endLink() {
            guard let holder else { return }
            if gateways[holder].isLeaving { (gateways[holder].isInCharge, gateways[holder].isLeaving) = (false, false) }
            self.holder = nil
        }

        mutating func decide(_ index: Int) {
            let own = Standby.Own(
                report: gateways[index].report(at: second), isInCharge: gateways[index].isInCharge,
                isHeld: holder == index)
            switch gateways[index].standby.decide(own, at: now) {
            case .takeOver: (gateways[index].isInCharge, gateways[index].isLeaving) = (true, false)
            case .standBy(_, let atLinkEnd):
                gateways[index].isLeaving = atLinkEnd && holder == index
                if !gateways[index].isLeaving { gateways[index].isInCharge = false }
            case nil: break
            }
        }

        /// The gateways that are in charge and can say so.
        var inCharge: [Int] { gateways.indices.filter { gateways[$0].isRunning && gateways[$0].isInCharge } }
        var readers: [Int] { inCharge.filter { hearers.contains($0) } }
    }

    /// After the last fault, one gateway reads the device, and it is the first one that hears it.
    @Test(arguments: 1...TestLength.of(7, atNight: 20 as UInt64)) func afterAllFaultsOneGatewayReads(seed: UInt64) {
        var world = World(seed: seed, count: Int(2 + seed % 9))
        for _ in 0..<12_000 {
            if world.random.next() % 200 == 0 { world.fault() }
            world.pass()
        }
        world.heal()
        if world.hearers.isEmpty { world.hearers = [world.gateways.count - 1] }
        for _ in 0..<400 { world.pass() }
        #expect(world.readers.count == 1, "after minutes: \(world.inCharge), heard by \(world.hearers.sorted())")
        for _ in 0..<12_000 { world.pass() }
        #expect(world.readers == world.hearers.min().map { [$0] }, "heard by \(world.hearers.sorted())")
    }

    /// Two gateways that reach the broker read a device at the same time for moments only.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func nobodyContestsADevice(seed: UInt64) {
        var world = World(seed: seed, count: Int(2 + seed % 9))
        var together = 0
        var longest = 0
        for _ in 0..<12_000 {
            if world.random.next() % 200 == 0 { world.fault() }
            world.pass()
            let connected = world.readers.filter { world.gateways[$0].isConnected }
            together = connected.count > 1 ? together + 1 : 0
            longest = max(longest, together)
        }
        #expect(longest <= 2, "\(longest) s")
    }
}
