import Blekeep
import BlekeepOutputs
import RunLoop

/// Many gateways that share sensors through a database, in virtual time. Of a gateway there is only what it decides with the
/// database: its ticks, and who reads which sensor. A reading is a word.
package enum FleetCrowd {
    package struct Size: Sendable {
        package var gateways: Int
        /// How many sensors there are for each gateway.
        package var sensors: Int
        package var hours: Double
        /// Whether anything fails.
        package var hasFaults = true

        package init(gateways: Int, sensors: Int, hours: Double, hasFaults: Bool = true) {
            (self.gateways, self.sensors, self.hours, self.hasFaults) = (gateways, sensors, hours, hasFaults)
        }
    }

    package struct Outcome: Sendable {
        package let seed: UInt64
        /// What must not happen, in words; the first hundred.
        package var violations: [String] = []
        package var reads = 0
        package var ticks = 0
        /// How often a sensor went from one gateway to another.
        package var moves = 0
        /// The same after the first hour, in which the sensors find their gateways.
        package var laterMoves = 0
        /// The most ticks in a second.
        package var busiest = 0
        package var sensorHours = 0.0
    }

    package static func run(seed: UInt64, _ size: Size) throws -> Outcome {
        let loop = try RunLoop(.virtual)
        return try loop.run {
            let crowd = Crowd(seed: seed, size, on: loop)
            crowd.begin()
            let end = loop.now + .seconds(size.hours * 3600)
            while loop.now < end {
                try await loop.sleep(until: min(end, loop.now + crowd.pause()))
                if loop.now < end { crowd.disturb() }
            }
            crowd.heal()
            try await loop.sleep(until: loop.now + .seconds(1500))
            return crowd.end()
        }
    }

    /// How often a sensor is read, or heard.
    fileprivate static let interval = 30
    fileprivate static let round = 10
    /// The longest time for which two gateways may read a sensor by turns, when both reach the database: until the next answer,
    /// and a reading.
    fileprivate static let maxOverlap = Double(round + 1 + interval + round)
    /// How long a sensor that a gateway hears may go without a value when its gateway is gone: a lease; until the last of three
    /// gateways, which hears it badly, has let pass its turns and claims it; until it has read it.
    fileprivate static let maxGap = Double(30 + 11 + 4 * 9 + 11 + interval + round)
}

/// A sensor, where it is, and who reads it.
private struct Sensor {
    let id: DeviceID
    let configuration: DeviceConfiguration
    /// Whether its gateway stays connected, so that nobody else hears it.
    let isHeld: Bool
    /// Whether only the gateway that pairs it first has its keys.
    let isBonded: Bool
    /// The mean signal strength in dBm, by gateway.
    var signals: [Int: Int] = [:]
    /// The gateway whose value came last, and when.
    var last: (gateway: Int, at: Double)?
    /// Since when two gateways read it by turns, with the last such time.
    var overlap: (from: Double, until: Double, gateways: Set<Int>)?
    /// When it went to another place.
    var movedAt = 0.0
    /// When a gateway last claimed it from another.
    var claimedAt = 0.0
    /// Whether a violation of it is in the outcome already.
    var isReported = false
}

private final class Crowd: @unchecked Sendable {
    private let size: FleetCrowd.Size
    private let loop: RunLoop
    private var random: SplitMix64
    fileprivate var store = ModelStore()
    fileprivate var sensors: [Sensor] = []
    private var members: [Member] = []
    private var outcome: FleetCrowd.Outcome
    /// The time that the database's clock is ahead, in seconds.
    private var lead = 0
    private(set) var isUp = true
    /// When the database, or the brake, last kept anything from changing hands.
    private var troubleUntil = 0.0
    /// Until when the sensors of some gateways must stay, because too many went silent at once.
    private var brake: (gateways: Set<Int>, until: Double)?
    private var ticksInSecond = (second: 0, count: 0)

    fileprivate var now: Double { loop.now.sinceStart / .seconds(1) }

    init(seed: UInt64, _ size: FleetCrowd.Size, on loop: RunLoop) {
        (self.size, self.loop, random) = (size, loop, SplitMix64(seed: seed))
        outcome = FleetCrowd.Outcome(seed: seed)
        let names = (0..<size.gateways).map(FleetHouse.name)
        for number in 0..<(size.gateways * size.sensors) {
            let home = number / size.sensors
            // The next gateways are its neighbours.
            let hearers = [home, (home + 1) % size.gateways, (home + 2) % size.gateways]
            let address = BluetoothAddress(bits: 0xF000_0000_0000 + UInt64(number))
            var device = DeviceConfiguration(alias: "s\(number)", address: address, mode: .release)
            device.gateways = number.isMultiple(of: 4) ? hearers.map { names[$0] } : [DeviceConfiguration.anyGateway]
            var sensor = Sensor(
                id: device.id, configuration: device, isHeld: number % 4 == 1, isBonded: number % 16 == 2)
            for gateway in hearers { sensor.signals[gateway] = -50 - self.number(below: 40) }
            sensors.append(sensor)
        }
        for index in 0..<size.gateways {
            let own = sensors.indices.filter { sensors[$0].signals[index] != nil }
            members.append(Member(index, own, in: self, on: loop))
        }
    }

    fileprivate func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    /// Noise of ±6 dB.
    fileprivate func fading() -> Int { number(below: 7) + number(below: 7) - 6 }

    /// As after a power cut: all machines start within 20 s.
    func begin() {
        for member in members {
            loop.schedule(at: loop.now + .milliseconds(number(below: 20_000))) { member.start() }
        }
        look()
    }

    /// The time to the next fault: about 20 an hour for a hundred gateways, and at least six.
    func pause() -> Duration {
        let mean = max(1, min(600, 18_000 / size.gateways))
        return size.hasFaults ? .seconds(1 + number(below: 2 * mean)) : .seconds(3600)
    }

    // MARK: Faults

    func disturb() {
        guard size.hasFaults else { return }
        let member = members[number(below: members.count)]
        switch number(below: 20) {
        case 0...4: member.isRunning ? member.stop(saysSo: number(below: 2) == 0) : member.start()
        case 5, 6:
            // As after an update.
            member.stop(saysSo: number(below: 2) == 0)
            member.start()
        case 7...9: member.cut(for: Double(20 + number(below: 1200)))
        case 10...14: move(number(below: sensors.count))
        case 15:
            // Of a user.
            let sensor = number(below: sensors.count)
            let hearers = sensors[sensor].signals.keys.sorted()
            let heir = hearers[number(below: hearers.count)]
            guard isUp, !sensors[sensor].isBonded, store.move(sensors[sensor].id, to: FleetHouse.name(heir)) else {
                return
            }
        case 16: isUp ? fail(for: Double(20 + number(below: 3600))) : ()
        case 17: failAtOnce()
        case 18:
            // Someone sets the server's clock.
            lead += 40 + number(below: 100)
            note(trouble: 180)
        default: members.filter { !$0.isRunning }.first?.start()
        }
    }

    /// Carries a sensor: another of its gateways hears it best now.
    private func move(_ sensor: Int) {
        guard !sensors[sensor].isBonded else { return }
        for gateway in sensors[sensor].signals.keys.sorted() {
            sensors[sensor].signals[gateway] = number(below: 3) == 0 ? -100 : -50 - number(below: 40)
        }
        if !sensors[sensor].signals.values.contains(where: { $0 > -90 }), let any = sensors[sensor].signals.keys.min() {
            sensors[sensor].signals[any] = -60
        }
        sensors[sensor].movedAt = now
    }

    /// Many lose their power, or their network.
    private func failAtOnce() {
        let share = size.gateways / 3
        guard isUp, share >= 2, brake == nil else { return }
        let first = number(below: size.gateways)
        let gone = Set((0..<share).map { (first + $0) % size.gateways })
        let steady = gone.filter { members[$0].isSteady(since: now - 30) }
        if steady.count >= 2, steady.count * 4 >= members.count(where: \.isRunning) { brake = (steady, now + 80) }
        for index in gone { members[index].cut(for: 95) }
        note(trouble: 300)
        loop.schedule(at: loop.now + .seconds(120)) { self.brake = nil }
    }

    private func fail(for length: Double) {
        isUp = false
        for member in members { member.lost() }
        loop.schedule(at: loop.now + .seconds(length)) {
            self.isUp = true; self.note(trouble: 180)
        }
        note(trouble: length + 180)
    }

    private func note(trouble length: Double) { troubleUntil = max(troubleUntil, now + length) }

    func heal() {
        isUp = true
        for member in members {
            member.mend()
            if !member.isRunning { member.start() }
        }
    }

    // MARK: The database

    fileprivate func tick(_ tick: OwnershipTick, of member: Int) -> OwnershipAnswer? {
        outcome.ticks += 1
        let second = Int(now)
        ticksInSecond = ticksInSecond.second == second ? (second, ticksInSecond.count + 1) : (second, 1)
        outcome.busiest = max(outcome.busiest, ticksInSecond.count)
        guard isUp else { return nil }
        store.now = second + lead
        let before = tick.claims.map { store.owners[$0.description] }
        let answer = store.tick(FleetHouse.name(member), tick)
        for (claim, owner) in zip(tick.claims, before) {
            if let owner { claimed(claim, by: member, from: owner) }
        }
        return answer
    }

    fileprivate func leave(_ member: Int) {
        guard isUp else { return }
        store.now = Int(now) + lead
        store.leave(FleetHouse.name(member))
    }

    private func index(of device: DeviceID) -> Int { (Int(device.description, radix: 16) ?? 0) - 0xF000_0000_0000 }

    /// Looks at a sensor that a gateway may have claimed from another.
    private func claimed(_ device: DeviceID, by member: Int, from owner: ModelStore.Owner) {
        guard let now = store.owners[device.description], now.gateway == FleetHouse.name(member),
            now.epoch != owner.epoch
        else { return }
        outcome.moves += 1
        if self.now > 3600 { outcome.laterMoves += 1 }
        let sensor = index(of: device)
        sensors[sensor].claimedAt = self.now
        // Without an owner, it was given back.
        guard let name = owner.gateway, let before = Int(name.dropFirst()) else { return }
        if let brake, brake.gateways.contains(before), self.now < brake.until, owner.heir == nil {
            tell("\(self.name(sensor)) goes from \(name) to g\(member), though many gateways went silent at once")
        }
        if owner.isBonded, owner.heir == nil {
            tell("\(self.name(sensor)) is bonded to \(name), and goes to g\(member)")
        }
        // What it has read since its last tick, the database can't know.
        let tick = Double(FleetCrowd.round + 1)
        if members[before].isReachable(since: self.now - 200), members[before].reads(sensor, since: self.now - tick) {
            tell("\(self.name(sensor)) is read by \(name), and taken by g\(member)")
        }
    }

    // MARK: Readings

    private func name(_ sensor: Int) -> String { sensors[sensor].configuration.name }

    private func tell(_ words: String) {
        if outcome.violations.count < 100 { outcome.violations.append("\(Int(now)) s: \(words)") }
    }

    fileprivate func read(_ sensor: Int, by member: Int) {
        outcome.reads += 1
        defer { sensors[sensor].last = (member, now) }
        guard let last = sensors[sensor].last, last.gateway != member, now - last.at < 1.5 * Double(FleetCrowd.interval)
        else {
            if let overlap = sensors[sensor].overlap, now - overlap.until > 2 * Double(FleetCrowd.interval) {
                sensors[sensor].overlap = nil
            }
            return
        }
        let pair: Set = [last.gateway, member]
        let overlap = sensors[sensor].overlap
        let from = overlap?.gateways == pair ? overlap?.from ?? last.at : last.at
        sensors[sensor].overlap = (from, now, pair)
        let since = max(from, sensors[sensor].claimedAt)
        guard now - since > FleetCrowd.maxOverlap, now >= troubleUntil, !sensors[sensor].isReported else { return }
        guard [last.gateway, member].allSatisfy({ members[$0].isSteady(since: from) }) else { return }
        sensors[sensor].isReported = true
        tell("\(name(sensor)) is read by g\(last.gateway) and g\(member) since \(Int(from)) s")
    }

    /// Looks for sensors that nobody reads, although a gateway has heard them all the time.
    private func look() {
        loop.schedule(at: loop.now + .seconds(FleetCrowd.round)) { [weak self] in self?.look() }
        store.now = Int(now) + lead
        if store.isBraked { note(trouble: 180) }
        guard isUp, now >= troubleUntil else { return }
        for sensor in sensors.indices where !sensors[sensor].isReported {
            let since = max(sensors[sensor].last?.at ?? 0, sensors[sensor].movedAt + 300, troubleUntil)
            // Who claims it may end before it has read it, once or twice.
            let isClaimed = now - sensors[sensor].claimedAt <= FleetCrowd.maxGap
            guard now - since > (isClaimed ? 3 : 1) * FleetCrowd.maxGap, !isKept(sensor) else { continue }
            // Who came back shortly before leaves the others two minutes to come back, too.
            let hearing = sensors[sensor].signals.filter {
                $0.value > -86 && members[$0.key].isSteady(since: since - 120)
            }
            guard let hearer = hearing.keys.min() else { continue }
            sensors[sensor].isReported = true
            tell(
                "nobody has read \(name(sensor)) since \(Int(since)) s; g\(hearer) hears it, and the database says \(store.owners[sensors[sensor].id.description]?.gateway ?? "nobody")"
            )
        }
    }

    /// Whether the sensor stays with a gateway that is away, because only it has the keys.
    private func isKept(_ sensor: Int) -> Bool { store.owners[sensors[sensor].id.description]?.isBonded ?? false }

    func end() -> FleetCrowd.Outcome {
        for member in members { member.stop(saysSo: false) }
        for sensor in sensors.indices where !isKept(sensor) {
            let isRead = sensors[sensor].last.map { now - $0.at < 3 * Double(FleetCrowd.interval) } ?? false
            if !isRead { tell("nobody reads \(name(sensor)) in the end") }
        }
        outcome.sensorHours = Double(sensors.count) * now / 3600
        return outcome
    }

    private struct Away: Error {}

    /// A gateway.
    private final class Member {
        private let index: Int
        private unowned let crowd: Crowd
        private let loop: RunLoop
        private let own: [Int]
        private let places: [DeviceID: Int]
        private var ticker: OwnershipTicker?
        private(set) var isRunning = false
        /// Whether its machine has no network.
        private var isCut = false
        private var isConnected = false
        /// Since when it has run with its network.
        private var reachableSince = 0.0
        /// Since when it has reached the database.
        private var steadySince = Double.infinity
        private var statuses: [Int: DeviceStatus] = [:]
        private var missed: [Int: Int] = [:]
        private var keys: Set<Int> = []
        /// What its history keeps.
        private var owned: [DeviceID] = []
        private var lastValues: [Int: Int64] = [:]
        private var trouble: SinkTrouble
        private lazy var round = ClosureTimer { [unowned self] in self.roundDue() }
        private lazy var retry = ClosureTimer { [unowned self] in self.connect() }
        /// Since when it has read each sensor without a miss.
        private var goodSince: [Int: Double] = [:]
        private var rounds = 0

        init(_ index: Int, _ own: [Int], in crowd: Crowd, on loop: RunLoop) {
            (self.index, self.own, self.crowd, self.loop) = (index, own, crowd, loop)
            trouble = SinkTrouble(of: FleetHouse.name(index))
            places = Dictionary(uniqueKeysWithValues: own.map { (crowd.sensors[$0].id, $0) })
        }

        /// Whether nothing has kept it from the database since a time but the database itself.
        func isReachable(since time: Double) -> Bool { isRunning && !isCut && reachableSince <= time }
        func isSteady(since time: Double) -> Bool { isConnected && steadySince <= time }
        func reads(_ sensor: Int, since time: Double = .infinity) -> Bool {
            isRunning && statuses[sensor]?.isStandingBy == false && goodSince[sensor].map { $0 <= time } ?? false
        }
        func hasKeys(of sensor: Int) -> Bool { keys.contains(sensor) }

        // MARK: Its life

        func start() {
            guard !isRunning else { return }
            (isRunning, reachableSince) = (true, crowd.now)
            let devices = own.map { crowd.sensors[$0].configuration }
            let claims = FleetClaims(
                fleet: "home", gateway: FleetHouse.name(index), devices, owned: owned, at: loop.now)
            let ticker = OwnershipTicker(claims, on: loop)
            ticker.onDecision = { [unowned self] in self.decided($0) }
            ticker.onTick = { [unowned self] in self.ask($0) }
            self.ticker = ticker
            (statuses, missed, goodSince, rounds) = ([:], [:], [:], 0)
            for sensor in own {
                var status = DeviceStatus(crowd.sensors[sensor].configuration, since: 0)
                status.intervalReason = .standby
                status.interval = .seconds(FleetCrowd.interval)
                status.isBonded = keys.contains(sensor)
                status.lastValue = lastValues[sensor]
                statuses[sensor] = status
            }
            var changes = LedgerChanges()
            changes.poller = GatewayStatus(pid: 1, started: 0, seen: 0, power: .init(mode: .normal, reason: ""))
            changes.poller?.adapters = [.init(name: "hci0", isOn: true, trouble: nil)]
            changes.statuses = own.compactMap { statuses[$0] }
            _ = ticker.apply(changes, time: Int64(crowd.now * 1000))
            loop.arm(round, at: loop.now + .milliseconds(crowd.number(below: FleetCrowd.round * 1000)))
            connect()
        }

        func stop(saysSo: Bool) {
            guard isRunning else { return }
            owned = ticker?.owned ?? []
            ticker?.end()
            ticker = nil
            if saysSo, isConnected { crowd.leave(index) }
            (isRunning, isConnected, steadySince) = (false, false, .infinity)
            for timer in [round, retry] { loop.disarm(timer) }
        }

        func cut(for length: Double) {
            isCut = true
            steadySince = .infinity
            // It notices it later, if at all.
            loop.schedule(at: loop.now + .seconds(25)) { if self.isCut { self.lost() } }
            loop.schedule(at: loop.now + .seconds(length)) { self.mend() }
        }

        func mend() { (isCut, reachableSince) = (false, crowd.now) }

        func lost() {
            guard isConnected else { return }
            (isConnected, steadySince) = (false, .infinity)
            ticker?.pause()
            tryAgain()
        }

        private func tryAgain() {
            _ = trouble.record(Away(), at: loop.now)
            loop.arm(retry, at: trouble.nextTry)
        }

        private func connect() {
            guard isRunning, !isConnected else { return }
            guard crowd.isUp, !isCut else {
                tryAgain()
                return
            }
            trouble = SinkTrouble(of: FleetHouse.name(index))
            isConnected = true
            steadySince = crowd.now + 15
            ticker?.begin()
        }

        private func ask(_ tick: OwnershipTick) {
            guard isConnected, !isCut, let answer = crowd.tick(tick, of: index) else { return }
            if steadySince == .infinity { steadySince = crowd.now + 15 }
            // The way to the server and back.
            loop.schedule(at: loop.now + .milliseconds(1 + crowd.number(below: 300))) { [weak self] in
                guard let self, isConnected else { return }
                ticker?.answered(answer)
            }
        }

        // MARK: Its sensors

        private func decided(_ command: DeviceCommand) {
            guard let sensor = places[command.device] else { return }
            switch command.action {
            case .takeOver: statuses[sensor]?.intervalReason = .configured
            case .standBy: statuses[sensor]?.intervalReason = .standby
            default: return
            }
            (missed[sensor], goodSince[sensor]) = (0, nil)
            report([sensor])
        }

        /// Hears its sensors, and reads those that are its own.
        private func roundDue() {
            loop.arm(round, at: loop.now + .seconds(FleetCrowd.round))
            rounds += 1
            var changed: [Int] = []
            for sensor in own {
                let signal = (crowd.sensors[sensor].signals[index] ?? -100) + crowd.fading()
                let isInReach = signal > -95
                let isOwn = statuses[sensor]?.isStandingBy == false
                let isElsewhere = crowd.sensors[sensor].isHeld && crowd.isConnected(sensor)
                if isInReach, !isElsewhere, crowd.number(below: 2) == 0 {
                    ticker?.heard(crowd.sensors[sensor].id, rssi: signal)
                }
                let before = statuses[sensor]
                // What it has owned before, it reads as soon as it runs.
                if isOwn, rounds == 1 || (rounds + sensor) % (FleetCrowd.interval / FleetCrowd.round) == 0 {
                    read(sensor, isInReach: isInReach)
                }
                if !isOwn { statuses[sensor]?.link = isInReach && !isElsewhere ? .listening : .released }
                if statuses[sensor] != before { changed.append(sensor) }
            }
            if !changed.isEmpty { report(changed) }
        }

        private func read(_ sensor: Int, isInReach: Bool) {
            let isRefused = crowd.sensors[sensor].isBonded && crowd.hasKeysElsewhere(sensor, than: index)
            guard isInReach, !isRefused else {
                missed[sensor, default: 0] += 1
                goodSince[sensor] = nil
                statuses[sensor]?.link = .released
                if missed[sensor, default: 0] >= 3 {
                    let failure = ReadingFailure(.timeout, "no answer")
                    statuses[sensor]?.condition = .lost(
                        .init(attempts: 3, phase: .connect, failure: failure))
                }
                return
            }
            missed[sensor] = 0
            goodSince[sensor] = goodSince[sensor] ?? crowd.now
            if crowd.sensors[sensor].isBonded { keys.insert(sensor) }
            statuses[sensor]?.isBonded = crowd.sensors[sensor].isBonded
            statuses[sensor]?.link = crowd.sensors[sensor].isHeld ? .held : .released
            statuses[sensor]?.condition = .new
            lastValues[sensor] = Int64(crowd.now * 1000)
            statuses[sensor]?.lastValue = lastValues[sensor]
            crowd.read(sensor, by: index)
        }

        private func report(_ sensors: [Int]) {
            var changes = LedgerChanges()
            changes.statuses = sensors.compactMap { statuses[$0] }
            _ = ticker?.apply(changes, time: Int64(crowd.now * 1000))
        }
    }

    /// Whether a gateway keeps a connection to the sensor, so that nobody hears it.
    private func isConnected(_ sensor: Int) -> Bool {
        guard let last = sensors[sensor].last, now - last.at <= Double(FleetCrowd.interval) else { return false }
        return members[last.gateway].reads(sensor)
    }

    private func hasKeysElsewhere(_ sensor: Int, than member: Int) -> Bool {
        sensors[sensor].signals.keys.contains { $0 != member && members[$0].hasKeys(of: sensor) }
    }
}
