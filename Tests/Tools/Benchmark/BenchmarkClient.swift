import Blekeep
import DBus
import Glibc
import RunLoop

/// Does the same work as the C client, with blekeep's own D-Bus client. It awaits one read of a device at a time, and
/// prints one line of key=value.
@main
struct BenchmarkClient {
    static func main() throws {
        if CommandLine.arguments.contains("--decode") { return DecodingBenchmark.run() }
        if let place = CommandLine.arguments.firstIndex(of: "--fuzz") {
            return DecodingFuzz.run(CommandLine.arguments.dropFirst(place + 1).first.flatMap { Int($0) } ?? 1_000_000)
        }
        if let place = CommandLine.arguments.firstIndex(of: "--history"), CommandLine.arguments.count > place + 1 {
            return try HistoryBenchmark.run(CommandLine.arguments[place + 1])
        }
        if let place = CommandLine.arguments.firstIndex(of: "--year") {
            return try YearBenchmark.run(
                CommandLine.arguments.dropFirst(place + 1).first.flatMap { Int($0) } ?? 10_000_000)
        }
        let arguments = Arguments(CommandLine.arguments.dropFirst())
        let loop = try RunLoop()
        let address =
            getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) } ?? "unix:path=/run/dbus/system_bus_socket"
        try loop.run { try await Client(arguments, loop).run(address) }
    }
}

struct Arguments: Sendable {
    var ticks = 10
    var idle = 0

    init(_ words: ArraySlice<String>) {
        let pairs = Array(words)
        for index in stride(from: 0, to: pairs.count - 1, by: 2) {
            switch pairs[index] {
            case "--ticks": ticks = Int(pairs[index + 1]) ?? ticks
            case "--idle-s": idle = Int(pairs[index + 1]) ?? idle
            default: print("unknown option \(pairs[index])")
            }
        }
    }
}

final class Client: @unchecked Sendable {
    private let arguments: Arguments
    private let loop: RunLoop
    private var reads = 0
    private var firstReading: UInt64 = 0
    private var bytes = 0

    init(_ arguments: Arguments, _ loop: RunLoop) {
        self.arguments = arguments
        self.loop = loop
    }

    func run(_ address: String) async throws {
        let start = Clock.nanoseconds()
        let origin = getenv("BENCH_T0_NS").flatMap { UInt64(String(cString: $0)) } ?? start
        let bus = try await LibdbusBus.connect(to: address, on: loop)
        let devices = try await load(bus)
        let loaded = Clock.nanoseconds()
        await connect(devices, bus)
        let connected = Clock.nanoseconds()

        let before = Usage.now()
        var took: [UInt64] = []
        for _ in 0..<arguments.ticks {
            let begin = Clock.nanoseconds()
            await tick(devices, bus)
            took.append(Clock.nanoseconds() - begin)
        }
        let after = Usage.now()
        took.sort()
        var line = "impl=blekeep devices=\(devices.count) ticks=\(arguments.ticks) load_ms=\(ms(loaded - start))"
        line += " connect_ms=\(ms(connected - loaded)) tick_ms=\(ms(took[took.count / 2])) tick_min_ms=\(ms(took[0]))"
        line += " cpu_us_per_read=\(Double(after.cpu - before.cpu) / Double(max(1, reads)))"
        line +=
            " rss_kb=\(Usage.status("VmRSS:")) anon_kb=\(Usage.status("RssAnon:")) peak_kb=\(Usage.status("VmHWM:"))"
        line += " tick_nvcsw=\(after.switches - before.switches) first_ms=\(ms(firstReading - origin)) reads=\(reads)"
        line += " bytes=\(bytes)"
        if arguments.idle > 0 {
            let quiet = Usage.now()
            try await loop.sleep(until: loop.now + .seconds(arguments.idle))
            let end = Usage.now()
            line += " idle_s=\(arguments.idle) idle_nvcsw=\(end.switches - quiet.switches)"
            line += " idle_cpu_ms=\(Double(end.cpu - quiet.cpu) / 1000)"
        }
        print(line)
        bus.close()
    }

    /// Each device has a task that reads one value after another. All tasks begin with characteristic 0.
    private func tick(_ devices: [Device], _ bus: any Bus) async {
        await withDiscardingTaskGroup { group in
            for device in devices {
                group.addTask {
                    for call in device.reads {
                        guard let value = try? await bus.call(call) else { continue }
                        if self.reads == 0 { self.firstReading = Clock.nanoseconds() }
                        self.reads += 1
                        self.bytes += value.count
                    }
                }
            }
        }
    }

    struct Device: Sendable {
        var path: ObjectPath
        var reads: [TypedCall<[UInt8]>]
    }

    private func load(_ bus: any Bus) async throws -> [Device] {
        var tree = ObjectTree()
        tree.replace(
            with: try await bus.object(Bluez.service, at: .root).call(
                ObjectManager.getManagedObjects, within: .seconds(20), options: .init(largestReply: 128 << 20)
            ).objects)
        var readable: [ObjectPath: [ObjectPath]] = [:]
        for path in tree.paths(with: GattCharacteristic1.name)
        where tree[path, GattCharacteristic1.flags]?.contains("read") == true {
            if let device = path.parent?.parent { readable[device, default: []].append(path) }
        }
        return tree.paths(with: Device1.name).map { device in
            Device(
                path: device,
                reads: (readable[device] ?? []).map {
                    bus.object(Bluez.service, at: $0).prepare(GattCharacteristic1.readValue, [:], within: .seconds(10))
                })
        }
    }

    private func connect(_ devices: [Device], _ bus: any Bus) async {
        await withDiscardingTaskGroup { group in
            for device in devices {
                group.addTask {
                    _ = try? await bus.object(Bluez.service, at: device.path).call(
                        Device1.connect, within: .seconds(45))
                }
            }
        }
    }

    private func ms(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1e6 }
}

enum Clock {
    static func nanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// The resources that the process has used.
struct Usage {
    /// User and system time in µs.
    var cpu: Int
    /// Voluntary context switches.
    var switches: Int

    static func now() -> Usage {
        var usage = rusage()
        getrusage(__rusage_who_t(0), &usage)
        let time = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Usage(
            cpu: time * 1_000_000 + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec), switches: usage.ru_nvcsw)
    }

    /// A line of /proc/self/status in KiB.
    static func status(_ key: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if text.hasPrefix(key) {
                return Int(text.dropFirst(key.count).split { !$0.isNumber }.first ?? "") ?? 0
            }
        }
        return 0
    }
}
