import Blekeep
import BlekeepHistory
import BlekeepOutputs
import BlekeepSimulation
import BusBench
import GRDB
import Glibc
import RunLoop

/// Damages copies of a history, lets a new one copy what can be read of them, and counts what comes back.
package struct SalvageTrial {
    /// What is damaged.
    package enum Place: String, CaseIterable, Sendable {
        case header, schema, seriesRoot, readingsRoot, readingsInner, readingsLeaf, rollups, other, free
    }

    package struct Tally: Sendable {
        package var histories = 0
        /// Rows of the sound history, and those of them that came back.
        package var readings = 0
        package var readingsBack = 0
        package var others = 0
        package var othersBack = 0
        /// Readings that the sound history doesn't have.
        package var wrong = 0
        /// The share of readings of the worst history.
        package var worst = 1.0
    }

    private static let limits = HistoryLimits(HistoryConfiguration(size: 1 << 34, reserve: 0))

    private let folder: TrialFolder
    private let sound: [UInt8]
    private let pages: [Place: [Int]]
    private let counts: (readings: Int, others: Int)
    private var dice: SplitMix64

    /// - Parameter batches: how much the history has; about 11 readings each.
    package static func run(
        _ smashes: Int, seed: UInt64, batches: Int, report: (Place, Tally) -> Void = { _, _ in }
    ) throws -> [Place: Tally] {
        var trial = try SalvageTrial(seed: seed, batches: batches)
        var tallies: [Place: Tally] = [:]
        for place in Place.allCases {
            for _ in 0..<max(1, smashes / Place.allCases.count) {
                try trial.smash(place, &tallies[place, default: Tally()])
            }
            report(place, tallies[place] ?? Tally())
        }
        return tallies
    }

    private init(seed: UInt64, batches: Int) throws {
        dice = SplitMix64(seed: seed)
        folder = try TrialFolder()
        let file = "\(folder.path)/sound.sqlite"
        try Self.make(file, seed: seed, batches: batches)
        sound = try Self.bytes(of: file)
        pages = try DatabaseQueue(path: file).read(Self.classify)
        counts = try DatabaseQueue(path: file).read { database in
            func count(_ rows: String) throws -> Int {
                try Int.fetchOne(database, sql: "SELECT count(*) FROM (\(rows))") ?? 0
            }
            return (try count(Self.readings("main")), try Self.others("main").map(count).reduce(0, +))
        }
    }

    // MARK: The sound history

    private static func make(_ file: String, seed: UInt64, batches: Int) throws {
        let load = Load(seed: seed)
        let history = try History(path: file, limits: limits)
        let addresses = (1...4).compactMap { BluetoothAddress("F0:00:00:00:00:0\($0)") }
        for number in 0..<batches {
            let batch = load.batch(number)
            var changes = LedgerChanges()
            changes.clocks = batch.clocks
            var heartbeat: Heartbeat?
            if number.isMultiple(of: 50) {
                let address = addresses[number / 50 % addresses.count]
                var status = DeviceStatus(address: address, name: "device \(address)", since: Int64(number))
                status.entries = Int64(number / 200 + 1)
                let entry = LedgerEntry(
                    device: DeviceID(address), number: status.entries, phase: .known(.connect),
                    failure: ReadingFailure(code: .other("timeout"), message: "no answer"), remedy: nil,
                    first: Int64(number), last: Int64(number))
                var poller = GatewayStatus(
                    pid: 1, started: 7, seen: Int64(number), power: .init(mode: .normal, reason: ""))
                poller.adapters = [.init(name: "hci0", isOn: true), .init(name: "hci1", isOn: false, trouble: .stuck)]
                var sink = SinkStatus(name: "file")
                sink.position = Int64(number)
                changes.entries = [entry]
                changes.statuses = [status]
                changes.poller = poller
                changes.sinks = [sink]
                var activity = DeviceActivity(device: status.name, address: address)
                activity.good = number
                heartbeat = Heartbeat(
                    clocks: batch.clocks, percentage: 20, activities: [activity],
                    downtime: number.isMultiple(of: 200)
                        ? Downtime(cause: .suspend, from: batch.clocks, to: batch.clocks, length: .seconds(3)) : nil)
            }
            _ = try history.append(batch.readings, heartbeat, changes, durable: false)
            if let entry = changes.entries.first {
                let notice = GivenNotice(
                    time: Int64(number), event: .known(.deviceLost), device: entry.device, message: "no answer")
                try NoticeLog.append([notice], path: file)
            }
            while history.needsUpkeep { try history.upkeep() }
        }
        // Some pages are free then.
        _ = try history.remove(through: Int64(batches))
        while history.needsUpkeep { try history.upkeep() }
        history.close()
    }

    private static func classify(_ database: Database) throws -> [Place: [Int]] {
        var pages: [Place: [Int]] = [.header: [1], .schema: [1]]
        var used: Set<Int> = [1]
        for row in try Row.fetchAll(database, sql: "SELECT pageno, name, path, pagetype FROM dbstat") {
            let (number, name, path, type): (Int, String, String, String) = (row[0], row[1], row[2], row[3])
            guard used.insert(number).inserted else { continue }
            let place: Place =
                switch (name, path, type) {
                case ("series", "/", _): .seriesRoot
                case ("measurements", "/", _): .readingsRoot
                case ("measurements", _, "internal"): .readingsInner
                case ("measurements", _, _): .readingsLeaf
                case ("rollups", _, _): .rollups
                default: .other
                }
            pages[place, default: []].append(number)
        }
        let count = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        pages[.free] = (1...max(1, count)).filter { !used.contains($0) }
        return pages
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw PrivateBusError("cannot read \(path) (errno \(errno))") }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Int(lseek(file, 0, SEEK_END)))
        guard pread(file, &bytes, bytes.count, 0) == bytes.count else {
            throw PrivateBusError("cannot read \(path) (errno \(errno))")
        }
        return bytes
    }

    // MARK: Damage

    private static let pageSize = 4096

    private mutating func smash(_ place: Place, _ tally: inout Tally) throws {
        guard let pages = pages[place], !pages.isEmpty else { return }
        let copy = "\(folder.history).corrupt.1"
        var bytes = sound
        if place != .schema {
            // One page or two.
            for _ in 0...dice.below(2) { smash(pages[dice.below(pages.count)], &bytes) }
        }
        for suffix in ["", "-wal", "-shm", ".lock"] { unlink(folder.history + suffix) }
        unlink(copy)
        guard RecordedFile.write(bytes, to: copy) else {
            throw PrivateBusError("cannot write \(copy) (errno \(errno))")
        }
        if place == .schema { try Self.breakSchema(of: copy, dice.below(2) == 0 ? "measurements" : "series") }
        let history = try History(path: folder.history, limits: Self.limits)
        while history.isCopying { try history.upkeep() }
        history.close()
        try count(&tally)
    }

    /// Lets a table begin on a page that there is not.
    private static func breakSchema(of path: String, _ table: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET rootpage = 999999 WHERE name = '\(table)';
                    """)
        }
        try queue.close()
    }

    private mutating func smash(_ page: Int, _ bytes: inout [UInt8]) {
        let start = (page - 1) * Self.pageSize
        switch dice.below(5) {
        case 0: for place in start..<start + Self.pageSize { bytes[place] = UInt8(truncatingIfNeeded: dice.next()) }
        case 1: for place in start..<start + 200 { bytes[place] = 0xA5 }
        case 2: for place in start..<start + Self.pageSize { bytes[place] = 0 }
        case 3:
            let sector = start + 512 * dice.below(8)
            for place in sector..<sector + 512 { bytes[place] = UInt8(truncatingIfNeeded: dice.next()) }
        default:
            // A write to the wrong place.
            let other = dice.below(bytes.count / Self.pageSize) * Self.pageSize
            for place in 0..<Self.pageSize { bytes[start + place] = bytes[other + place] }
        }
    }

    // MARK: Counting

    private static func readings(_ schema: String) -> String {
        """
        SELECT seq, address, service, characteristic, instance, field, unit, time_ms, tick, kind, value, state, raw,
            error_code, error_message
        FROM \(schema).measurements JOIN \(schema).series ON id = series
        """
    }

    private static func rollups(_ schema: String) -> String {
        """
        SELECT minutes, period, address, service, characteristic, instance, field, unit, start, count, min, max, sum,
            kind, last
        FROM \(schema).rollups JOIN \(schema).series ON id = series
        """
    }

    private static let tables = [
        "heartbeats", "activity", "downtimes", "attempts", "statuses", "poller", "adapters", "sinks", "clocks",
        "spans", "notices",
    ]
    private static func others(_ schema: String) -> [String] {
        tables.map { "SELECT * FROM \(schema).\($0)" } + [rollups(schema)]
    }

    private func count(_ tally: inout Tally) throws {
        let queue = try DatabaseQueue(path: folder.history)
        let (back, all, others) = try queue.writeWithoutTransaction { database in
            try database.execute(sql: "ATTACH '\(folder.path)/sound.sqlite' AS sound")
            func same(_ rows: String, _ sound: String) throws -> Int {
                try Int.fetchOne(database, sql: "SELECT count(*) FROM (\(rows) INTERSECT \(sound))") ?? 0
            }
            return (
                try same(Self.readings("main"), Self.readings("sound")),
                try Int.fetchOne(database, sql: "SELECT count(*) FROM main.measurements") ?? 0,
                try zip(Self.others("main"), Self.others("sound")).map(same).reduce(0, +)
            )
        }
        try queue.close()
        tally.histories += 1
        tally.readings += counts.readings
        tally.readingsBack += back
        tally.wrong += all - back
        tally.others += counts.others
        tally.othersBack += others
        tally.worst = min(tally.worst, Double(back) / Double(counts.readings))
    }

    // MARK: Speed

    package struct Speed: Sendable {
        package var readings = 0
        package var slices = 0
        /// Slices before the first that copied a reading.
        package var idleSlices = 0
        package var longest: Duration = .zero
        package var total: Duration = .zero
    }

    /// Copies a history of so many readings, of which one page in the middle is damaged.
    package static func time(readings count: Int) throws -> Speed {
        let folder = try TrialFolder()
        let file = "\(folder.history).corrupt.1"
        guard let address = BluetoothAddress("F0:00:00:00:00:01") else { return Speed() }
        do {
            let history = try History(path: file, limits: limits)
            for start in stride(from: 0, to: count, by: 20_000) {
                let batch = (start..<min(start + 20_000, count)).map { number in
                    Reading(
                        time: 1_795_231_080_123 + Int64(number) * 1000, tick: number, device: "x", address: address,
                        service: BluetoothUUID(0x181A), characteristic: BluetoothUUID(0x2A6E), name: "Temperature",
                        outcome: .value(
                            Measurement(field: "temperature", value: .number(Double(number) / 4), unit: "°C"),
                            raw: [0x91, 0x08]))
                }
                _ = try history.append(batch, durable: false)
            }
            history.close()
        }
        let descriptor = open(file, O_RDWR | O_CLOEXEC)
        let middle = lseek(descriptor, 0, SEEK_END) / 2 / pageSize * pageSize
        _ = pwrite(descriptor, [UInt8](repeating: 0xA5, count: pageSize), pageSize, middle)
        close(descriptor)
        unlink("\(file).lock")
        var speed = Speed()
        let clock = ContinuousClock()
        var before = clock.now
        let history = try History(path: folder.history, limits: limits)
        speed.total = clock.now - before
        while history.isCopying {
            before = clock.now
            try history.upkeep()
            let time = clock.now - before
            speed.slices += 1
            speed.total += time
            speed.longest = max(speed.longest, time)
            if speed.readings == 0 {
                try HistoryReader(path: folder.history).readings(limit: 1) { _ in speed.readings = 1 }
                if speed.readings == 0 { speed.idleSlices = speed.slices }
            }
        }
        history.close()
        speed.readings = try DatabaseQueue(path: folder.history).read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM measurements") ?? 0
        }
        return speed
    }
}
