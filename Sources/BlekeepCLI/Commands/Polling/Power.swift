import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import DBus
import Glibc
import RunLoop

struct Power: ContextCommand, BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "power", abstract: "Show the power state, and how it changes the intervals.",
        discussion: """
            Queries UPower, power-profiles-daemon and logind, if they run, and the kernel.

            Examples:
              blekeep power
              blekeep power --watch
              blekeep power --json
            """)

    @Flag(help: "Run until Ctrl-C, with a line for each change.")
    var watch = false

    @OptionGroup var common: CommonOptions
    @OptionGroup var adapter: AdapterOption
    @OptionGroup var bus: BusOption

    func run(in context: CommandContext) async throws {
        let configuration =
            try Composition.loadConfiguration(options, environment: context.environment)?.configuration
            ?? Configuration()
        let loop = context.loop
        let changes = Gate(loop)
        let monitor = PowerMonitor(configuration.poll.power.choice, on: loop) { _ in changes.open() }
        context.onEnd = { changes.open() }
        let bus = try? await context.bus()
        defer { bus?.close() }
        try await withThrowingDiscardingTaskGroup { group in
            defer { monitor.stop() }
            if let bus {
                group.addTask { await monitor.run(on: bus) }
                await monitor.answered(within: .seconds(6))
            } else {
                await monitor.poll()
            }
            var last = ""
            repeat {
                let view = PowerView(monitor.status, facts: monitor.facts, configuration: configuration.poll)
                let text = options.json ? view.json.text : watch ? view.line : view.table
                if text != last { try context.output.line(text) }
                last = text
                if watch, context.ending == nil {
                    await changes.wait(until: bus == nil ? loop.now + .seconds(60) : .never)
                }
                if watch, bus == nil { await monitor.poll() }
            } while watch && context.ending == nil
        }
    }
}

/// The output of `power`.
struct PowerView {
    private let status: PowerStatus
    private let facts: PowerFacts
    private let intervals: [(name: String?, base: Duration, now: Duration?)]
    private let wakes: Bool
    private let obstacle: String?

    /// - Parameter obstacle: the reason why blekeep can't wake the machine; `nil` when it can.
    init(
        _ status: PowerStatus, facts: PowerFacts, configuration: PollConfiguration,
        obstacle: String? = WakeAlarm.obstacle()
    ) {
        wakes = configuration.power.wakes
        self.obstacle = obstacle
        self.status = status
        self.facts = facts
        let general = (
            name: String?.none, base: configuration.interval,
            now: configuration.power.intervals.interval(of: configuration.interval, in: status.mode)
        )
        let own = configuration.devices.filter { $0.interval != nil || $0.powerIntervals != nil }.map { device in
            let base = device.interval ?? configuration.interval
            let intervals = configuration.power.intervals.overridden(by: device.powerIntervals)
            return (name: String?.some(device.name), base: base, now: intervals.interval(of: base, in: status.mode))
        }
        intervals = [general] + own
    }

    /// For example `interval 30s → 5m: low battery 14 %`.
    var line: String { "\(Self.text(intervals[0].base, at: intervals[0].now)): \(status.reason)" }

    var table: String {
        var rows = [("mode", "\(status.mode.rawValue): \(status.reason)")]
        for interval in intervals {
            let text = Self.text(interval.base, at: interval.now)
            rows.append((interval.name == nil ? "ticks" : "", interval.name.map { "\($0): \(text)" } ?? text))
        }
        rows.append(("UPower", facts.upower.map(Self.text) ?? "not running"))
        rows.append(("profile", facts.profile.map { Untrusted($0, limit: 40).description } ?? "unknown"))
        let external = facts.isOnExternalPower.map { $0 ? "on external power" : "not on external power" }
        rows.append(("logind", external ?? "unknown"))
        let level = facts.kernel?.percentage.map { ", \(Int($0)) %" } ?? ""
        rows.append(("kernel", (facts.kernel?.state.rawValue ?? "unknown") + level))
        rows.append(("wake", wake))
        return rows.map { $0.0 + String(repeating: " ", count: 9 - $0.0.count) + $0.1 }.joined(separator: "\n")
    }

    /// Whether blekeep wakes a sleeping machine for ticks.
    private var wake: String {
        guard wakes else { return "off; blekeep doesn't wake the machine for ticks" }
        if let obstacle { return "on, but not possible: \(obstacle)" }
        return status.mode < .low ? "for ticks, every 15m at most" : "off in \(status.mode.rawValue) mode"
    }

    var json: JSON {
        let percentage: JSON? = status.percentage.map { .number($0) }
        return .object([
            "mode": .text(status.mode.rawValue), "reason": .text(status.reason),
            "supply": .text(status.supply.rawValue), "percentage": percentage ?? JSON.null,
            "profile": JSON.text(facts.profile) ?? JSON.null, "upower": .boolean(facts.upower != nil),
            "wakes": .boolean(wakes && obstacle == nil), "wake_obstacle": JSON.text(obstacle) ?? JSON.null,
            "intervals": .array(intervals.map { Self.json($0.name, base: $0.base, at: $0.now) }),
        ])
    }

    /// `device` is `null` for all devices without intervals of their own, and `interval` is `null` for a pause.
    private static func json(_ name: String?, base: Duration, at now: Duration?) -> JSON {
        let now: JSON? = now.map { .text(DurationText.text($0)) }
        return .object([
            "device": JSON.text(name) ?? JSON.null, "base": .text(DurationText.text(base)),
            "interval": now ?? JSON.null,
        ])
    }

    private static func text(_ base: Duration, at now: Duration?) -> String {
        if now == base { return "interval \(DurationText.text(base))" }
        return "interval \(DurationText.text(base)) → \(now.map(DurationText.text) ?? "paused")"
    }

    private static func text(_ upower: UPowerFacts) -> String {
        let supply = upower.onBattery.map { $0 ? "on battery" : "not on battery" } ?? "battery use unknown"
        guard upower.hasBattery else { return supply + ", no battery" }
        let level = upower.percentage.map { ", \(Int($0.rounded())) %" } ?? ""
        return supply + level + (upower.warningLevel.map { ", warning level \($0)" } ?? "")
    }
}
