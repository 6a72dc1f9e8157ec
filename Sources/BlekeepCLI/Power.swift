import ArgumentParser
import Blekeep
import BlekeepOutputs
import DBus
import Glibc
import RunLoop

struct Power: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "power", abstract: "Show how the machine is fed, and what that does to the intervals.",
        discussion: """
            Asks UPower, power-profiles-daemon, logind and the kernel, as far as they are there.

            Examples:
              blekeep power
              blekeep power --watch
              blekeep power --json
            """)

    @Flag(help: "Go on, with a line for each change.")
    var watch = false

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let configuration = try Composition.loadConfiguration(options)?.configuration ?? Configuration()
        let address = Composition.busAddress(options)
        let loop = try RunLoop()
        let changes = Gate(loop)
        nonisolated(unsafe) var isEnded = false
        let monitor = PowerMonitor(configuration.power.choice, on: loop) { _ in changes.open() }
        let signals = try loop.onSignals([SIGINT, SIGTERM, SIGHUP]) { _ in
            isEnded = true
            changes.open()
        }
        defer { loop.unwatch(signals) }
        let (json, watch) = (options.json, watch)
        try loop.run {
            let bus = try? await LibdbusBus.connect(to: address, on: loop)
            defer { bus?.close() }
            await withDiscardingTaskGroup { group in
                if let bus {
                    group.addTask { await monitor.run(on: bus) }
                    await monitor.answered(within: .seconds(6))
                } else {
                    await monitor.poll()
                }
                var last = ""
                repeat {
                    let view = PowerView(monitor.status, monitor.facts, configuration)
                    let text = json ? view.json : watch ? view.line : view.table
                    if text != last { print(text) }
                    last = text
                    fflush(nil)
                    if watch, !isEnded { await changes.wait(until: bus == nil ? loop.now + .seconds(60) : .never) }
                    if watch, bus == nil { await monitor.poll() }
                } while watch && !isEnded
                monitor.stop()
            }
        }
    }
}

/// The power status as it is shown.
struct PowerView {
    private let status: PowerStatus
    private let facts: PowerFacts
    private let intervals: [(name: String?, base: Duration, now: Duration?)]

    init(_ status: PowerStatus, _ facts: PowerFacts, _ configuration: Configuration) {
        self.status = status
        self.facts = facts
        let general = (
            name: String?.none, base: configuration.interval,
            now: configuration.power.rhythm.interval(of: configuration.interval, in: status.mode)
        )
        let own = configuration.devices.filter { $0.interval != nil || $0.rhythm != nil }.map { device in
            let base = device.interval ?? configuration.interval
            let rhythm = configuration.power.rhythm.overridden(by: device.rhythm)
            return (name: String?.some(device.name), base: base, now: rhythm.interval(of: base, in: status.mode))
        }
        intervals = [general] + own
    }

    /// In one sentence: `interval 30s → 5m: low battery 14 %`.
    var line: String { "\(Self.text(intervals[0].base, intervals[0].now)): \(status.reason)" }

    var table: String {
        var rows = [("mode", "\(status.mode.rawValue): \(status.reason)")]
        for interval in intervals {
            let text = Self.text(interval.base, interval.now)
            rows.append((interval.name == nil ? "ticks" : "", interval.name.map { "\($0): \(text)" } ?? text))
        }
        rows.append(("UPower", facts.upower.map(Self.text) ?? "is not there"))
        rows.append(("profile", facts.profile.map { Untrusted($0, limit: 40).description } ?? "nobody tells"))
        let external = facts.isOnExternalPower.map { $0 ? "on external power" : "not on external power" }
        rows.append(("logind", external ?? "does not tell"))
        let level = facts.kernel?.percentage.map { ", \(Int($0)) %" } ?? ""
        rows.append(("kernel", (facts.kernel?.state.rawValue ?? "unknown") + level))
        return rows.map { $0.0 + String(repeating: " ", count: 9 - $0.0.count) + $0.1 }.joined(separator: "\n")
    }

    var json: String {
        let devices = intervals.map { interval in
            "{\"device\":\(interval.name.map(Self.quoted) ?? "null"),\"base\":\(Self.quoted(interval.base)),"
                + "\"interval\":\(interval.now.map(Self.quoted) ?? "null")}"
        }
        return "{\"mode\":\"\(status.mode.rawValue)\",\"reason\":\(Self.quoted(status.reason)),"
            + "\"supply\":\"\(status.supply.rawValue)\",\"percentage\":\(status.percentage.map { "\($0)" } ?? "null"),"
            + "\"profile\":\(facts.profile.map(Self.quoted) ?? "null"),"
            + "\"upower\":\(facts.upower != nil),\"intervals\":[\(devices.joined(separator: ","))]}"
    }

    private static func text(_ base: Duration, _ now: Duration?) -> String {
        if now == base { return "interval \(DurationText.text(base))" }
        return "interval \(DurationText.text(base)) → \(now.map(DurationText.text) ?? "paused")"
    }

    private static func text(_ upower: UPowerFacts) -> String {
        let supply = upower.onBattery.map { $0 ? "on battery" : "not on battery" } ?? "says nothing of a battery"
        guard upower.hasBattery else { return supply + ", no battery" }
        let level = upower.percentage.map { ", \(Int($0.rounded())) %" } ?? ""
        return supply + level + (upower.warningLevel.map { ", warning level \($0)" } ?? "")
    }

    private static func quoted(_ duration: Duration) -> String { quoted(DurationText.text(duration)) }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars.prefix(200) {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
