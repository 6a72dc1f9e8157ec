import Blekeep
import BlekeepHistory
import BlekeepSimulation
import BusBench
import DBus
import Glibc
import RunLoop

/// The process to kill.
package enum Victim: String, CaseIterable, Sendable {
    case bluetoothd
    case bus = "dbus-daemon"
    case poller = "blekeep"
    case releasing = "blekeep-release"
}

/// The result of a kill at one step.
package struct Outcome: Sendable {
    /// The number of the step.
    package var step: Int
    /// The step in words, if known.
    package var what: String
    /// The time until the next reading.
    package var time: Duration
    /// The number of committed readings before a kill of the poller.
    package var kept = 0
    package var problems: [String] = []

    package init(step: Int, what: String, time: Duration, problems: [String] = []) {
        self.step = step
        self.what = what
        self.time = time
        self.problems = problems
    }
}

/// A kill at one step, with a private bus and folder.
package struct Trial: @unchecked Sendable {
    /// The program for the child processes.
    let program: String
    let bus: PrivateBus
    let loop: RunLoop
    let folder: String

    /// The time limit of each wait.
    static let limit: Duration = .seconds(40)
    /// A step that isn't reached within this many ticks of every device doesn't exist.
    static let ticks = 3

    package static func run(_ victim: Victim, at step: Int, program: String) throws -> Outcome? {
        var template = Array("/tmp/blekeep-killing-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw PrivateBusError("no temporary directory (errno \(errno))") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            for suffix in ["", "-wal", "-shm", ".lock"] { unlink("\(folder)/h.sqlite\(suffix)") }
            rmdir(folder)
        }
        let bus = try PrivateBus()
        defer { bus.stop() }
        let loop = try RunLoop()
        let trial = Trial(program: program, bus: bus, loop: loop, folder: folder)
        return try loop.run {
            switch victim {
            case .bluetoothd, .bus: try await trial.killService(victim, at: step)
            case .poller: try await trial.killPoller(.hold, at: step)
            case .releasing: try await trial.killPoller(.release, at: step)
            }
        }
    }

    private var path: String { "\(folder)/h.sqlite" }

    // MARK: bluetoothd and the bus

    private func bluetoothd() throws -> Child { try Child(["bluetoothd", bus.address], of: program, on: loop) }

    private func killService(_ victim: Victim, at step: Int) async throws -> Outcome? {
        let first = try bluetoothd()
        guard try await loop.wait(atMost: Self.limit, until: { first.lines.contains("powered") }) != nil else {
            return Outcome(step: step, what: "", time: .zero, problems: ["bluetoothd didn't start"])
        }
        let steps = Steps(step) { if victim == .bus { bus.kill() } else { first.kill() } }
        let history = try History(path: path)
        defer { history.close() }
        let store = StepStore(history, steps)
        let loop = loop
        nonisolated(unsafe) var lastGood = Uptime.start
        store.onReadings = { _ in lastGood = loop.now }
        let poller = Setting.poller(.hold, store: store, sinks: [], steps, on: loop, bus.address)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = await poller.run() }
            defer { poller.stop() }
            let least = { poller.report.devices.map(\.goodTicks).min() ?? 0 }
            _ = try await loop.wait(atMost: Self.limit) { steps.struck != nil || least() >= Self.ticks }
            guard let what = steps.struck else { return nil }
            first.kill()
            try await loop.sleep(until: loop.now + .milliseconds(300))
            if victim == .bus { try bus.start() }
            let begin = loop.now
            let second = try bluetoothd()
            defer { second.kill() }
            _ = try await loop.wait(atMost: Self.limit) { second.lines.contains("powered") }
            let powered = victim == .bus ? begin : loop.now
            let good = poller.report.devices.map(\.goodTicks)
            let isBack = try await loop.wait(atMost: Self.limit) { lastGood > powered }
            let time = loop.now - powered
            // Wait for all devices, not only the first one.
            let all = try await loop.wait(atMost: Self.limit) {
                zip(poller.report.devices, good).allSatisfy { $0.goodTicks > $1 }
            }
            var outcome = Outcome(step: step, what: what, time: time)
            let limit: Duration = victim == .bus ? .seconds(30) : .seconds(5)
            if isBack == nil || time > limit { outcome.problems.append("no reading within \(limit)") }
            if all == nil { outcome.problems.append("a device was never read again") }
            return outcome
        }
    }

    // MARK: blekeep

    private func killPoller(_ mode: LinkMode, at step: Int) async throws -> Outcome? {
        let links = LinkBook()
        let (loop, address) = (loop, bus.address)
        let world = World(scenario: Setting.scenario) { () async throws(BusError) -> any Bus in
            LinkBus(try await LibdbusBus.connect(to: address, on: loop), links)
        }
        return try await world.mounted {
            let first = try Child(["poller", address, path, mode.rawValue, "\(step)"], of: program, on: loop)
            _ = try await loop.wait(atMost: Self.limit) {
                first.isGone || (first.number("good") ?? 0) >= Self.ticks
            }
            guard first.isGone else {
                first.kill()
                return nil
            }
            return try await succeed(first, mode, step, links)
        }
    }

    /// Starts another poller after the kill, and checks its work.
    private func succeed(_ first: Child, _ mode: LinkMode, _ step: Int, _ links: LinkBook) async throws -> Outcome {
        let before = rows()
        let held = links.up
        let ends = links.ends
        let begin = loop.now
        let second = try Child(["poller", bus.address, path, mode.rawValue, "0"], of: program, on: loop)
        defer { second.kill() }
        let back = try await loop.wait(atMost: Self.limit) { second.isGone || (second.number("good") ?? 0) >= 1 }
        var outcome = Outcome(step: step, what: "", time: loop.now - begin)
        if back == nil || second.isGone { outcome.problems.append("the second poller read nothing") }
        if mode == .hold {
            let lost = held.filter { links.ends[$0, default: 0] > ends[$0, default: 0] }
            if !lost.isEmpty { outcome.problems.append("\(lost.count) connections were made again") }
            if links.begins.values.contains(where: { $0 > 1 }) {
                outcome.problems.append("a device was connected twice")
            }
        } else {
            // The second poller must end each connection of the first one after use.
            let isReleased = try await loop.wait(atMost: .seconds(10)) {
                held.allSatisfy { links.ends[$0, default: 0] > ends[$0, default: 0] }
            }
            if isReleased == nil {
                outcome.problems.append("the second poller didn't end a connection of the first one")
            }
        }
        let after = rows()
        let kept = first.number("kept") ?? 0
        if kept > Int(before.last?.sequence ?? 0) { outcome.problems.append("published readings aren't stored") }
        if !after.starts(with: before) { outcome.problems.append("committed readings were lost") }
        if zip(after, after.dropFirst()).contains(where: { $0.sequence >= $1.sequence }) {
            outcome.problems.append("sequence numbers don't rise")
        }
        outcome.kept = before.count
        outcome.what = "\(before.count) readings kept, \(held.count) links up"
        return outcome
    }

    private func rows() -> [StoredReading] {
        var rows: [StoredReading] = []
        try? HistoryReader(path: path).readings { rows.append($0) }
        return rows
    }
}
