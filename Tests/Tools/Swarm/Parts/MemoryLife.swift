import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import BlekeepSimulation
import FoundationEssentials
import GRDB
import Glibc
import RunLoop

/// Some days of a sensor that remembers, of a gateway that is off at times, and of downloads that are cut, lose packets, or whose
/// program is killed. Without a loop: all times are computed.
///
/// Each record that the sensor had at a whole visit must be in the history once, within half an interval of its true time, and none
/// twice; live readings must never change, and the newest value stays the newest.
package struct MemoryLife {
    /// - Returns: the first broken guarantee; `nil` when all hold.
    package static func run(seed: UInt64) throws -> String? {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blekeep-memory-\(getpid())-\(seed)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var life = try MemoryLife(seed: seed, path: folder.appendingPathComponent("history.sqlite").path)
        do { return try life.run() } catch { return "\(error)" }
    }

    private static let base: Int64 = 1_795_694_400_000
    private static let address = BluetoothAddress(bits: 0xF000_0000_0901)

    private enum Sensor {
        case tag(SimulatedMemory)
        case minutes(SimulatedMinutes)
    }

    private var random: SplitMix64
    private let path: String
    private var sensor: Sensor
    private let log: Recipe.Log
    private let horizon: Int64
    /// The times between two live values.
    private let interval: Int64
    private var absences: [ClosedRange<Int64>] = []
    /// The live values so far, by their times.
    private var live: [(time: Int64, value: MeasuredValue)] = []
    /// The records that the history must have, by their true times.
    private var owed: Set<Int64> = []

    private init(seed: UInt64, path: String) throws {
        random = SplitMix64(seed: seed)
        self.path = path
        let isTag = seed % 2 == 0
        let found = RecipeCatalogue.log(recipe: nil, formats: [isTag ? .ruuvi : .govee], own: [])?.log
        guard let found else { throw CocoaError(.featureUnsupported) }
        log = found
        horizon = (isTag ? 4 : 1) * 86_400_000
        // As with `log: only`, most values may be those of the memory.
        interval = seed / 2 % 2 == 0 ? horizon / 6 : isTag ? 120_000 : 20_000
        sensor = .minutes(SimulatedMinutes())
        for _ in 0..<(2 + below(5)) {
            let from = below(horizon)
            absences.append(from...from + below(horizon / 5))
        }
        var starts: [Duration] = [.milliseconds(-below(2 * horizon))]
        if below(2) == 0 { starts.append(.milliseconds(below(horizon))) }
        if isTag {
            var memory = SimulatedMemory()
            (memory.starts, memory.drift) = (starts, Int(below(101)) - 50)
            if below(3) == 0 { (memory.pageSize, memory.pages) = (20, 8 + Int(below(20))) }
            sensor = .tag(memory)
        } else {
            var memory = SimulatedMinutes()
            memory.starts = starts
            if below(3) == 0 { memory.capacity = 400 + Int(below(600)) }
            sensor = .minutes(memory)
        }
    }

    private mutating func below(_ count: Int64) -> Int64 { Int64(random.next() % UInt64(max(1, count))) }

    // MARK: The sensor

    /// Its temperature at a time: one that tells its record from the others.
    private func warmth(at moment: Int64) -> Int {
        var hash = SplitMix64(seed: UInt64(bitPattern: moment))
        return Int(hash.next() % 4000)
    }

    private func value(at moment: Int64) -> MeasuredValue {
        switch sensor {
        case .tag: .number(Double(warmth(at: moment)) / 100)
        case .minutes: .number(Double(warmth(at: moment) / 10) / 10)
        }
    }

    /// The true times of the records that it has at a time.
    private func records(at moment: Int64) -> [Int64] {
        switch sensor {
        case .tag(let memory): memory.records(at: .milliseconds(moment)).map(\.moment.wholeMilliseconds)
        case .minutes(let memory): memory.records(at: .milliseconds(moment)).map(\.wholeMilliseconds)
        }
    }

    private var starts: [Int64] {
        switch sensor {
        case .tag(let memory): memory.starts.map(\.wholeMilliseconds)
        case .minutes(let memory): memory.starts.map(\.wholeMilliseconds)
        }
    }

    private func start(of moment: Int64) -> Int64 { starts.last { $0 <= moment } ?? .min }

    private func packets(
        after request: [UInt8], at moment: Int64, losing loses: Int?
    ) -> [(bytes: [UInt8], isControl: Bool)] {
        switch sensor {
        case .tag(var memory):
            memory.loses = loses
            let packets = memory.packets(after: request, at: .milliseconds(moment)) { time in
                [warmth(at: time.wholeMilliseconds), 4200, 101_300]
            }
            return packets?.map { ($0.bytes, false) } ?? []
        case .minutes(var memory):
            memory.loses = loses
            return memory.packets(after: request, at: .milliseconds(moment)) { time in
                (warmth(at: time.wholeMilliseconds) / 10, 321)
            } ?? []
        }
    }

    // MARK: The gateway

    private func reading(_ value: MeasuredValue, at moment: Int64, isLogged: Bool = false) -> Reading {
        var reading = Reading(
            time: Self.base + moment, tick: 0, device: "tag", address: Self.address, service: nil, characteristic: nil,
            name: "Ruuvi",
            outcome: .value(Measurement(field: "temperature", value: value, unit: "°C"), raw: isLogged ? [] : [5]))
        reading.isLogged = isLogged
        return reading
    }

    private mutating func run() throws -> String? {
        var (now, heard): (Int64, Int64) = (0, 0)
        try listen(from: 0, to: 1)
        while now < horizon {
            // After a cut, the next one comes soon.
            now += below(3) == 0 ? 5000 + below(200_000) : 600_000 + below(horizon / 10)
            guard !absences.contains(where: { $0.contains(now) }) else { continue }
            try listen(from: heard + 1, to: now)
            heard = now
            if let problem = try visit(at: now) { return problem }
        }
        return try judge()
    }

    /// Stores what came meanwhile.
    private mutating func listen(from first: Int64, to last: Int64) throws {
        let moments = stride(from: first + interval - first % interval, through: last, by: Int64.Stride(interval))
        let new = ((first == 0 ? [0] : []) + Array(moments)).filter { moment in
            !absences.contains { $0.contains(moment) }
        }
        let history = try History(path: path)
        defer { history.close() }
        _ = try history.append(new.map { reading(value(at: $0), at: $0) }, durable: false)
        live += new.map { ($0, value(at: $0)) }
    }

    /// What `blekeep fill` does on one connection.
    private mutating func visit(at now: Int64) throws -> String? {
        let wall = Self.base + now
        let begin = max(Self.base, wall - log.holds.wholeMilliseconds)
        let id = DeviceID(Self.address)
        let coverages = try HistoryReader(path: path).logCoverages(
            of: id, Self.address, reading(.integer(0), at: 0).source, fields: ["temperature"], since: begin,
            every: log.every)
        guard let hole = coverages.compactMap({ $0.holes(in: begin...wall).first }).first else { return nil }
        let since = LogCoverage.since(hole, overlap: log.overlap, every: log.every) / 1000
        var download = LogDownload(log, now: wall / 1000, since: since)
        let loses = below(4) == 0 ? 20 + Int(below(60)) : nil
        var packets = packets(after: log.bytes(now: wall / 1000, since: since), at: now, losing: loses)
        if below(3) == 0 { packets = Array(packets.prefix(Int(below(Int64(packets.count))))) }
        for packet in packets { download.receive(packet.bytes, isControl: packet.isControl) }
        // Killed before the commit.
        guard below(6) > 0 else { return nil }
        let request = since * 1000...wall
        var logged = LoggedReadings(
            id: id, address: Self.address,
            readings: download.records.flatMap { record in
                record.measurements.filter { $0.field == "temperature" }.compactMap(\.value).map { value in
                    reading(value, at: record.time * 1000 - Self.base, isLogged: true)
                }
            }, every: log.every, request: request,
            answered: LogCoverage.answered(
                request, isComplete: download.state == .complete, incomplete: download.incomplete.map { $0 * 1000 },
                every: log.every))
        let isWhole = !logged.answered.isEmpty
        // Killed before it knew that all was there.
        if below(6) == 0 { logged.answered = [] }
        let former = try rows()
        let outcome = try LoggedStore.append(logged, limits: HistoryLimits(HistoryConfiguration()), path: path)
        if outcome.crowded > 0 { return "\(outcome.crowded) records had no slot" }
        if isWhole, loses == nil {
            owed.formUnion(
                records(at: now).filter { moment in
                    Self.base + moment >= request.lowerBound + log.every.wholeMilliseconds && moment >= 0
                })
        }
        return logged.answered.isEmpty ? nil : try judgeBoot(former, request, at: now)
    }

    private struct Row {
        var time, boot: Int64
        var value: MeasuredValue
    }

    /// The logged values, in order.
    private func rows() throws -> [Row] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { database in
            try GRDB.Row.fetchAll(database, sql: "SELECT time_ms, boot, value FROM logged ORDER BY time_ms").map {
                row in
                Row(time: row[0] - Self.base, boot: row[1], value: .number(row[2]))
            }
        }
    }

    // MARK: The guarantees

    /// How far the time of a record may be from the true one: whole seconds and five days of drift, or half of a minute.
    private var slack: Int64 { log.clock == .back ? log.every.wholeMilliseconds / 2 + 1000 : 25_000 }

    /// Records of a sensor that lost what it had belong to another start.
    private func judgeBoot(_ former: [Row], _ request: ClosedRange<Int64>, at now: Int64) throws -> String? {
        let start = start(of: now)
        let expected = former.filter {
            $0.time < start - 1000 && Self.base + $0.time >= request.lowerBound + log.every.wholeMilliseconds
        }
        guard let boot = expected.map(\.boot).max(), !former.contains(where: { $0.time >= start - slack }) else {
            return nil
        }
        let new = try rows().filter { $0.time >= start + slack }
        return new.contains { $0.boot <= boot } ? "a record since the start at \(start) is of the former one" : nil
    }

    private func judge() throws -> String? {
        let half = log.every.wholeMilliseconds / 2
        let rows = try rows()
        let (times, heard) = (rows.map(\.time), live.map(\.time))
        func isNear(_ moment: Int64, in times: [Int64], by distance: Int64) -> Bool {
            !Self.near(moment, in: times, by: distance).isEmpty
        }
        for record in owed.sorted()
        where !isNear(record, in: times, by: half + 1000) && !isNear(record, in: heard, by: half + slack) {
            return "the record of \(record) is missing"
        }
        var found: Set<Int64> = []
        let all = starts.indices.flatMap { index -> [Int64] in
            let end = index + 1 < starts.count ? starts[index + 1] - 1 : horizon * 2
            return everyRecord(until: end)
        }
        for row in rows {
            let record = Self.near(row.time, in: all, by: slack).filter { value(at: $0) == row.value }
                .min { abs($0 - row.time) < abs($1 - row.time) }
            guard let record else { return "the value of \(row.time) is that of no record within \(slack) ms" }
            guard found.insert(record).inserted else { return "the record of \(record) is there twice" }
        }
        return try judgeLive()
    }

    /// Returns the times, which are in order, that are near one.
    private static func near(_ moment: Int64, in times: [Int64], by distance: Int64) -> ArraySlice<Int64> {
        var (first, last) = (0, times.count)
        while first < last {
            let middle = (first + last) / 2
            if times[middle] < moment - distance { first = middle + 1 } else { last = middle }
        }
        return times[first...].prefix { $0 <= moment + distance }
    }

    /// All that it ever had since a start, also what made room.
    private func everyRecord(until end: Int64) -> [Int64] {
        var whole = self
        switch sensor {
        case .tag(var memory):
            memory.pages = 100_000
            whole.sensor = .tag(memory)
        case .minutes(var memory):
            memory.capacity = 1_000_000
            whole.sensor = .minutes(memory)
        }
        return whole.records(at: end)
    }

    private func judgeLive() throws -> String? {
        let reader = try HistoryReader(path: path)
        var stored: [Int64: MeasuredValue] = [:]
        var problem: String?
        try reader.readings { reading in
            guard case .value(let measurement, _) = reading.reading.outcome else { return }
            if reading.reading.isLogged { problem = "a logged value is among the readings" }
            stored[reading.reading.time - Self.base] = measurement.value
        }
        if stored != Dictionary(live.map { ($0.time, $0.value) }, uniquingKeysWith: { $1 }) {
            problem = "the live readings are others"
        }
        let newest = try reader.latest().first?.reading
        if newest?.time != live.last.map({ Self.base + $0.time }) || newest?.isLogged != false {
            problem = "the newest value isn't the last that was heard"
        }
        return problem
    }
}
