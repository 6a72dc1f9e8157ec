import Blekeep
import BlekeepHistory
import Glibc

/// Migrates a history and runs typical queries: `blekeep-bench --history PATH`.
enum HistoryBenchmark {
    static func run(_ path: String) throws {
        let start = Clock.nanoseconds()
        let history = try History(path: path) { print("notice: \($0)") }
        print("open_ms=\(milliseconds(since: start))")
        try upkeep(history)
        try append(history)
        try ask(path)
    }

    /// One step after another, until nothing is left to do.
    private static func upkeep(_ history: History) throws {
        let start = Clock.nanoseconds()
        var steps: [Double] = []
        while history.needsUpkeep {
            let begin = Clock.nanoseconds()
            try history.upkeep()
            steps.append(milliseconds(since: begin))
        }
        steps.sort()
        guard let longest = steps.last else { return }
        print(
            "upkeep_steps=\(steps.count) total_ms=\(milliseconds(since: start)) median_ms=\(steps[steps.count / 2])"
                + " p999_ms=\(steps[steps.count * 999 / 1000]) longest_ms=\(longest)")
    }

    private static func append(_ history: History) throws {
        let steps = try (0..<2000).map { index in
            let readings = try (0..<4).map { try makeReading(index * 4 + $0) }
            let begin = Clock.nanoseconds()
            _ = try history.append(readings, durable: index % 100 == 0)
            return milliseconds(since: begin)
        }.sorted()
        print("append_of_4_median_ms=\(steps[1000]) p99_ms=\(steps[1980]) longest_ms=\(steps[1999])")
    }

    private static func ask(_ path: String) throws {
        let reader = try HistoryReader(path: path)
        var newest: [StoredReading] = []
        try time("newest_of_every_series") { newest = try reader.latest() }
        guard let last = newest.max(by: { $0.reading.time < $1.reading.time })?.reading else { return }
        // The longest series, and its device.
        let busy = newest.first { $0.reading.device == "dev7" }?.reading ?? last
        let day: Int64 = 86_400_000
        var count = 0
        let device = busy.id
        let middle = busy.time - 20 * day
        try time("day_of_a_device") {
            count = 0
            let query = HistoryQuery(device: device, since: middle, until: middle + day)
            try reader.readings(query) { _ in count += 1 }
        }
        print("  \(count) readings")
        try time("anchor_day_of_all") {
            count = 0
            try reader.readings(HistoryQuery(since: middle, until: middle + day)) { _ in count += 1 }
        }
        print("  \(count) readings")
        for (name, characteristic) in [("series", busy.characteristic), ("device", nil)] {
            try time("year_by_the_hour_of_a_\(name)") {
                count = 0
                let query = HistoryQuery(device: device, characteristic: characteristic, since: last.time - 365 * day)
                try reader.summaries(query, every: .hour) { _ in count += 1 }
            }
            print("  \(count) summaries")
        }
    }

    /// The best and the worst of some rounds.
    private static func time(_ name: String, _ body: () throws -> Void) rethrows {
        var rounds: [Double] = []
        for _ in 0..<7 {
            let start = Clock.nanoseconds()
            try body()
            rounds.append(milliseconds(since: start))
        }
        print("\(name)_ms first=\(rounds[0]) median=\(rounds.sorted()[3])")
    }

    private static func milliseconds(since start: UInt64) -> Double {
        Double((Clock.nanoseconds() - start) / 1000) / 1000
    }

    private static func makeReading(_ index: Int) throws -> Reading {
        struct NoAddress: Error {}
        guard let address = BluetoothAddress("F1:00:00:00:01:00") else { throw NoAddress() }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Reading(
            time: Int64(time.tv_sec) * 1000, tick: index, device: "bench", address: address,
            service: BluetoothUUID(0x181A), characteristic: BluetoothUUID(0x2A6E), name: "Temperature",
            outcome: .value(
                Measurement(field: "field \(index % 4)", value: .number(Double(index)), unit: "°C"), raw: [0x91, 0x08]))
    }
}
