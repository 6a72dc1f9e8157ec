import Blekeep
import BlekeepHistory
import BlekeepOutputs
import Glibc

/// Inserts readings as dense as those of a year of 20 devices with 4 values each 30 s into a history with limits in
/// proportion, and prints its size over time, what single calls cost, and how fast it answers.
struct YearBenchmark {
    private static let devices = 20
    private static let valuesEach = 4
    private static let interval: Int64 = 30_000
    /// A year's readings.
    private static let year = 365 * 86_400_000 / interval * Int64(devices * valuesEach)
    /// 2026-01-01T00:00:00Z
    private static let start: Int64 = 1_767_225_600_000
    /// Commits from one that waits for the disk to the next.
    private static let commitsPerSync = 10

    private let total: Int64
    private let path: String
    private let limits: HistoryLimits
    private let history: History
    private var appends = Costs()
    private var upkeeps = Costs()
    private var largest: Int64 = 0

    /// - Parameter total: how many readings.
    static func run(_ total: Int) throws {
        var template = Array("/tmp/blekeep-bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return print("no temporary directory (errno \(errno))") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            for suffix in ["", "-wal", "-shm", ".lock"] { unlink("\(folder)/h.sqlite\(suffix)") }
            rmdir(folder)
        }
        var benchmark = try YearBenchmark(Int64(total), "\(folder)/h.sqlite")
        try benchmark.insert()
        try benchmark.ask()
    }

    private init(_ total: Int64, _ path: String) throws {
        self.total = total
        self.path = path
        let whole = HistoryConfiguration()
        let share = min(1, Double(total) / Double(Self.year))
        limits = HistoryLimits(
            HistoryConfiguration(
                size: Int64(Double(whole.size) * share), rollups: Int64(Double(whole.rollups) * share)))
        history = try History(path: path, limits: limits) { print("  \($0)") }
    }

    private mutating func insert() throws {
        let begin = Costs.wall()
        let perCommit = Int64(Self.devices * Self.valuesEach)
        let commits = total / perCommit
        print(
            "\(commits * perCommit) readings in \(commits) commits; size \(limits.size >> 10) KiB, "
                + "rollups \(limits.rollups >> 10) KiB")
        for commit in 0..<commits {
            let readings = Self.readings(commit)
            let isDurable = commit.isMultiple(of: Int64(Self.commitsPerSync))
            try appends.measure { _ = try history.append(readings, durable: isDurable) }
            while history.needsUpkeep { try upkeeps.measure { try history.upkeep() } }
            guard commit.isMultiple(of: 100) || commit == commits - 1 else { continue }
            let (file, log) = (Self.size(path), Self.size("\(path)-wal"))
            largest = max(largest, file + log)
            if (commit / 100).isMultiple(of: max(1, commits / 2000)) || commit == commits - 1 {
                let days = Double(commit * Self.interval) / 86_400_000
                print(
                    "  \((days * 10).rounded() / 10) d: \((commit + 1) * perCommit) readings, file \(file >> 10) KiB, "
                        + "log \(log >> 10) KiB")
                fflush(nil)
            }
        }
        let seconds = Costs.wall() - begin
        print("  largest: \(largest >> 10) KiB of \((limits.size + limits.rollups) >> 10) KiB")
        print("  \(Int(Double(commits * perCommit) / seconds)) readings/s in all")
        print("  append: \(appends.text)")
        print("  upkeep: \(upkeeps.text)")
    }

    private func ask() throws {
        let reader = try HistoryReader(path: path)
        let last = Self.start + total / Int64(Self.devices * Self.valuesEach) * Self.interval
        try measure("a year by the hour") { count in
            try reader.summaries(HistoryQuery(since: last - 365 * 86_400_000), every: .hour) { _ in count += 1 }
        }
        try measure("one device's year by the hour") { count in
            let query = HistoryQuery(device: DeviceID("f00000000003"), since: last - 365 * 86_400_000)
            try reader.summaries(query, every: .hour) { _ in count += 1 }
        }
        try measure("one device's last day") { count in
            try reader.readings(HistoryQuery(device: DeviceID("f00000000003"), since: last - 86_400_000)) { _ in
                count += 1
            }
        }
        try measure("the newest of every series") { count in count = try reader.latest().count }
    }

    private func measure(_ what: String, _ body: (inout Int) throws -> Void) throws {
        // The first time it comes from the disk.
        for time in ["first", "second"] {
            var count = 0
            let begin = Costs.wall()
            try body(&count)
            print("  \(what), \(time) time: \(count) in \(Costs.milliseconds(Costs.wall() - begin))")
        }
    }

    // MARK: Readings

    private static let addresses = (0..<devices).compactMap { device in
        BluetoothAddress("F0:00:00:00:00:\(device < 10 ? "0" : "")\(device)")
    }
    private static let kinds: [(BluetoothUUID, String, String, String)] = [
        (BluetoothUUID(0x2A6E), "Temperature", "temperature", "°C"),
        (BluetoothUUID(0x2A6F), "Humidity", "humidity", "%"),
        (BluetoothUUID(0x2A6D), "Pressure", "pressure", "Pa"),
        (BluetoothUUID(0x2A19), "Battery Level", "battery_level", "%"),
    ]

    private static func readings(_ commit: Int64) -> [Reading] {
        var readings: [Reading] = []
        for (device, address) in addresses.enumerated() {
            for (kind, (characteristic, name, field, unit)) in kinds.enumerated() {
                let value = Double((commit &* 7 &+ Int64(device * 31 + kind * 17)) % 4000) / 100
                let measurement = Measurement(field: field, value: .number(value), unit: unit)
                readings.append(
                    Reading(
                        time: start + commit * interval + Int64(device * 40 + kind), tick: Int(commit),
                        device: "sensor \(device)", address: address, service: BluetoothUUID(0x181A),
                        characteristic: characteristic, name: name,
                        outcome: .value(measurement, raw: [UInt8(truncatingIfNeeded: commit), 8])))
            }
        }
        return readings
    }

    private static func size(_ path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }
}

/// The cost of single calls.
private struct Costs {
    private var wall: [Float] = []
    private var longestCPU = 0.0

    mutating func measure(_ body: () throws -> Void) rethrows {
        let (begin, busy) = (Self.wall(), Self.time(CLOCK_THREAD_CPUTIME_ID))
        try body()
        wall.append(Float(Self.wall() - begin))
        longestCPU = max(longestCPU, Self.time(CLOCK_THREAD_CPUTIME_ID) - busy)
    }

    var text: String {
        guard !wall.isEmpty else { return "none" }
        let sorted = wall.sorted()
        func at(_ share: Double) -> String { Self.milliseconds(Double(sorted[Int(Double(sorted.count - 1) * share)])) }
        let late = sorted.count { $0 > 0.020 }
        return "\(sorted.count) calls, median \(at(0.5)), 99.9 % within \(at(0.999)), longest \(at(1)) "
            + "(of the processor \(Self.milliseconds(longestCPU))), \(late) over 20 ms"
    }

    static func milliseconds(_ seconds: Double) -> String { "\((seconds * 100_000).rounded() / 100) ms" }

    static func wall() -> Double { time(CLOCK_MONOTONIC) }

    private static func time(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
