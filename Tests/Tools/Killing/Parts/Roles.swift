import Blekeep
import BlekeepHistory
import BlekeepSimulation
import DBus
import Glibc
import Logging
import RunLoop

/// The roles of a child process: bluetoothd, a poller, or a writer of a history.
package enum Roles {
    /// Takes on the role that the words name, if they do, and does not return then.
    package static func play(_ words: [String]) throws {
        guard words.count >= 3, words[0] == "as" else { return }
        if words[1] == "sink" { try sink(words[2], Int(words[3]) ?? 0) }
        if words[1] == "writer", words.count == 5, let seed = UInt64(words[3]), let first = Int(words[4]) {
            HistoryWriter.run(words[2], Load(seed: seed), from: first, to: STDOUT_FILENO)
        }
        let loop = try RunLoop()
        // The parent ended, or requests the end.
        _ = loop.watch(STDIN_FILENO, for: Int16(POLLIN)) { _ in _exit(0) }
        switch words[1] {
        case "bluetoothd": try serve(words[2], on: loop)
        case "poller": try poll(words[2], words[3], LinkMode(rawValue: words[4]) ?? .hold, Int(words[5]) ?? 0, on: loop)
        default: break
        }
        exit(1)
    }

    /// - Parameter length: in seconds.
    private static func sink(_ folder: String, _ length: Int) throws -> Never {
        let loop = try RunLoop()
        try loop.run { try await SinkTrial.play(folder, .seconds(length)) { say("polling") } }
        exit(0)
    }

    private static func serve(_ address: String, on loop: RunLoop) throws {
        let world = World(scenario: Setting.scenario) { () async throws(BusError) -> any Bus in
            try await LibdbusBus.connect(to: address, on: loop)
        }
        try loop.run {
            try await world.mounted {
                say("powered")
                try await loop.sleep(until: .never)
            }
        }
    }

    private static func poll(
        _ address: String, _ path: String, _ mode: LinkMode, _ step: Int, on loop: RunLoop
    ) throws {
        let steps = Steps(step) { kill(getpid(), SIGKILL) }
        let store = StepStore(try History(path: path), steps)
        let poller = Setting.poller(mode, store: store, sinks: [Teller()], steps, on: loop, address)
        try loop.run {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = await poller.run() }
                group.addTask {
                    var good = 0
                    while true {
                        let least = poller.report.devices.map(\.goodTicks).min() ?? 0
                        if least != good {
                            say("steps \(steps.count)")
                            say("good \(least)")
                        }
                        good = least
                        guard (try? await loop.sleep(until: loop.now + .milliseconds(5))) != nil else { return }
                    }
                }
            }
        }
    }

    /// Reports the stored readings.
    private final class Teller: Sink {
        let delivery = SinkDelivery.liveOnly

        func send(_ readings: [LiveReading], isLive: Bool, key: Int?) {
            if let last = readings.last?.sequence { say("kept \(last)") }
        }
    }

    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }
}

/// The setting of all trials: two peripherals, one known to BlueZ, and one to discover.
enum Setting {
    static let interval: Duration = .seconds(1)

    static let scenario: Scenario = {
        var timing = BluezTiming.instant
        timing.firstHeard = .milliseconds(20)...(.milliseconds(20))
        timing.connecting = .milliseconds(30)...(.milliseconds(30))
        timing.disconnecting = .milliseconds(100)
        return Scenario(
            "killing", "two sensors",
            peripherals: Scenario.house.peripherals.prefix(1)
                + Scenario.house.peripherals.suffix(1).map { $0.known(.none) },
            timing: timing)
    }()

    static func poller(
        _ mode: LinkMode, store: StepStore, sinks: [any Sink], _ steps: Steps, on loop: RunLoop, _ address: String
    ) -> Poller {
        let configuration = PollConfiguration(
            interval: interval,
            devices: scenario.peripherals.map {
                DeviceConfiguration(alias: $0.name, address: $0.address, mode: mode)
            })
        let log = Logger(label: "killing") { _ in SwiftLogNoOpLogHandler() }
        return Poller(
            configuration, on: loop, store: store, sinks: sinks, log: log, supply: { SupplyFacts(state: .unknown) }
        ) { () async throws(BusError) in StepBus(try await LibdbusBus.connect(to: address, on: loop), steps) }
    }
}
