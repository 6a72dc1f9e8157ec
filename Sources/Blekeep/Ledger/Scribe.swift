import DBus
internal import Glibc
import Logging
import RunLoop

/// Writes what the keeper does into the ledger, by way of the recorder's commits, and tells the log.
final class Scribe: @unchecked Sendable {
    private var chronicle: Chronicle
    private let recorder: Recorder
    private let log: Logger
    private let wallTime: () -> Int64
    private let loop: RunLoop
    private let status: () -> KeeperStatus
    private let started: Int64
    private var ended: Int64?
    private let keepsLinks: Bool
    /// Links that the keeper before us has left, if the machine was not started anew since.
    private(set) var claims: [DeviceID: LinkClaim] = [:]
    /// Adapters that the keeper before us was about to switch on again.
    private(set) var switchedOff: Set<ObjectPath> = []
    /// Reads what the keeper before us has left; `nil` when that is done.
    private var memory: (() throws -> Void)?
    /// Called when that could be read only after the start.
    var onRecall: ((_ claims: [DeviceID: LinkClaim], _ switchedOff: Set<ObjectPath>) -> Void)?
    /// What the store holds by now.
    private var written: [DeviceStanding?]
    private var offered: [DeviceStanding] = []
    private var writtenKeeper: KeeperStanding?
    private var offeredKeeper: KeeperStanding?
    /// When the keeper's own row is written again at the latest.
    private(set) var lifeDue = Uptime.never
    private var writtenAt: Uptime?
    private let clocks: () -> ClockReading

    /// - Parameters:
    ///   - clocks: the machine's clocks.
    ///   - status: how everything is at this moment.
    init(
        _ configuration: Configuration, store: any Store, recorder: Recorder, log: Logger, loop: RunLoop,
        wallTime: @escaping () -> Int64, clocks: @escaping () -> ClockReading, status: @escaping () -> KeeperStatus
    ) {
        self.recorder = recorder
        self.log = log
        self.loop = loop
        self.wallTime = wallTime
        self.status = status
        self.clocks = clocks
        let start = clocks()
        started = wallTime()
        keepsLinks = configuration.onStop == .keep
        chronicle = Chronicle(configuration.devices.map { ($0.address, $0.name) }, at: started)
        written = configuration.devices.map { _ in nil }
        guard let ledger = store as? any Ledger else {
            chronicle.hasLedger = false
            return
        }
        memory = { [unowned self] in try self.recall(from: ledger, configuration, start) }
        do { try recall() } catch { log.warning("can't read what became of earlier attempts, trying again: \(error)") }
        recorder.ledger = (
            recall: { [unowned self] in
                guard self.memory != nil else { return }
                try self.recall()
                self.onRecall?(self.claims, self.switchedOff)
            },
            changes: { [unowned self] durable in self.changes(durable) }, taken: { [unowned self] in self.taken() },
            due: { [unowned self] in self.lifeDue }
        )
        recorder.note()
    }

    private func recall() throws {
        try memory?()
        memory = nil
    }

    private func recall(from ledger: any Ledger, _ configuration: Configuration, _ clocks: ClockReading) throws {
        let known = try ledger.lastKnown()
        let last = try ledger.lastHeartbeat()?.clocks
        if !clocks.boot.isEmpty, let last, last.boot == clocks.boot {
            let cycling = try ledger.lastAdapters().filter { $0.trouble == .cycling }
            switchedOff = Set(cycling.compactMap { Bluez.root.child($0.name) })
            claims = Self.claims(known.standings, of: configuration, after: clocks.sinceBoot - last.sinceBoot)
        }
        chronicle.resume(known.standings, known.entries)
    }

    func take(_ id: DeviceID?, _ attempt: Attempt) {
        tell(chronicle.take(id, attempt, at: wallTime()))
    }

    /// A tick ended without a single value.
    func miss(_ id: DeviceID, _ failure: ReadingFailure) { tell(chronicle.miss(id, failure, at: wallTime())) }

    private func tell(_ lines: [Chronicle.Line]) {
        for line in lines {
            switch line.level {
            case .info: log.info("\(line.text)")
            case .notice: log.notice("\(line.text)")
            case .warning: log.warning("\(line.text)")
            }
        }
        recorder.note()
    }

    /// What stands above the devices is another: the ledger shows it soon, also while no device is tried.
    func saw(_ event: Event) {
        switch event {
        case .bluez, .lost, .power, .sleep, .awake: recorder.note()
        default: break
        }
    }

    /// The keeper ends in good order: the ledger says so with the last commit.
    func end() {
        ended = wallTime()
        recorder.note()
    }

    /// Forgets a link that is gone soon: what somebody else makes next must not be taken for ours.
    func sawLink(_ id: DeviceID, _ link: DeviceStanding.Link) {
        guard written.indices.contains(id), let known = written[id]?.link else { return }
        if known == .held || known == .making, link == .none || link == .foreign { recorder.note() }
    }

    /// Remembers a link that is about to be made before it is: if we are killed, whoever comes next knows it for ours.
    func writeAhead(_ id: DeviceID) {
        guard written.indices.contains(id), written[id]?.link != .making, written[id]?.link != .held else { return }
        recorder.noteNow()
    }

    /// BlueZ doesn't report who made a connection, nor when. So long after blekeep's last sign of life, a connection that
    /// is up may have been made by another program; blekeep then uses it, but doesn't end it.
    static let longestClaim: Duration = .seconds(300)

    /// Returns the connections that the last run left.
    ///
    /// - Parameter silence: the time since its last sign of life.
    static func claims(
        _ known: [DeviceStanding], of configuration: Configuration, after silence: Duration
    ) -> [DeviceID: LinkClaim] {
        guard silence <= longestClaim else { return [:] }
        let links = Dictionary(known.map { ($0.address, $0.link) }, uniquingKeysWith: { first, _ in first })
        var claims: [DeviceID: LinkClaim] = [:]
        for (id, device) in configuration.devices.enumerated() {
            switch links[device.address] {
            case .held?: claims[id] = .link
            case .making?: claims[id] = .attempt(until: .never)
            case .foreign?, DeviceStanding.Link.none?, nil: continue
            }
        }
        return claims
    }

    // MARK: At a commit

    private func changes(_ durable: Bool) -> LedgerChanges {
        let status = status()
        let now: Moment = (wall: wallTime(), uptime: loop.now)
        let standings = zip(chronicle.standings, status.devices).map { standing, device in
            complete(standing, device, now)
        }
        // What only comes nearer, such as the next tick, is written with a tick's last commit.
        offered = zip(standings, written).map { new, old in
            guard let old, !durable, new.isLike(old) else { return new }
            return old
        }
        let changed = zip(offered, written).compactMap { $0 == $1 ? nil : $0 }
        let entries = chronicle.changedEntries
        let keeper = keeper(status, now)
        var isNews = keeper
        isNews.seen = writtenKeeper?.seen ?? 0
        isNews.life = writtenKeeper?.life
        // A keeper with nothing else to say need not be rewritten for the time alone with every commit.
        let isDue = writtenAt.map { now.uptime - $0 >= SignOfLife.least } ?? true
        offeredKeeper = isDue || isNews != writtenKeeper ? keeper : nil
        return LedgerChanges(entries: entries, standings: changed, keeper: offeredKeeper)
    }

    private func taken() {
        chronicle.changesTaken()
        written = offered
        guard let offeredKeeper else { return }
        writtenKeeper = offeredKeeper
        writtenAt = loop.now
        lifeDue = ended == nil ? offeredKeeper.life.map { loop.now + $0.silence } ?? .never : .never
    }

    private typealias Moment = (wall: Int64, uptime: Uptime)

    private func keeper(_ status: KeeperStatus, _ now: Moment) -> KeeperStanding {
        var keeper = KeeperStanding(
            pid: getpid(), started: started, seen: now.wall,
            power: "\(status.power.mode.rawValue): \(status.power.reason)")
        keeper.ended = ended
        keeper.life = SignOfLife(
            clocks: clocks(), silence: SignOfLife.silence(of: status.devices, at: now.uptime))
        keeper.outage = status.outageFailure
        keeper.missed = status.missed
        keeper.adapters = status.adapters.map { adapter in
            var adapter = adapter
            if adapter.trouble == nil, let drought = status.droughts[adapter.name] {
                // To the second: what is told must not seem to be new because two clocks differ by a hair.
                let since = (now.wall - (now.uptime - drought.since).wholeMilliseconds) / 1000 * 1000
                adapter.trouble = .noNewLinks(since: since, attempts: drought.attempts, devices: drought.devices)
            }
            return adapter
        }
        return keeper
    }

    private func complete(
        _ standing: DeviceStanding, _ device: KeeperStatus.Device, _ now: Moment
    ) -> DeviceStanding {
        var standing = standing
        standing.interval = device.currentInterval
        standing.intervalReason = device.intervalReason
        standing.thinned = device.thinned
        if ended == nil || keepsLinks && device.standing == .held { standing.link = device.standing }
        guard ended == nil else { return standing }
        standing.rssi = device.rssi
        let next = standing.failures > 0 && device.notBefore > now.uptime ? device.notBefore : device.nextTick
        standing.next = next == .never ? nil : now.wall + (next - now.uptime).wholeMilliseconds
        return standing
    }
}

extension DeviceStanding {
    /// Whether a person would say that nothing has changed.
    fileprivate func isLike(_ other: DeviceStanding) -> Bool {
        state == other.state && failure == other.failure && link == other.link && interval == other.interval
            && entries == other.entries && goods == other.goods && failures == other.failures
    }
}
