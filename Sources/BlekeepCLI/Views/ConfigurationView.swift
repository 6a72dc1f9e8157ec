import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import Logging

/// All settings, with the origin of each.
struct ConfigurationView {
    let loaded: LoadedConfiguration
    let options: GlobalOptions
    let environment: [String: String]

    /// The settings of the files, the environment and the command line.
    init(_ options: GlobalOptions, environment: [String: String]) throws(Failure) {
        loaded = try Composition.loadConfiguration(options, environment: environment) ?? .empty
        self.options = options
        self.environment = environment
    }

    private var settings: [Setting] {
        var overrides: [String: Setting] = [:]
        if let adapter = options.adapter?.description {
            overrides["adapter"] = Setting("adapter", .text(adapter), origin: "-a", isRemark: false)
        }
        if loaded.configuration.history.path == nil, let path = HistoryPath.default(environment: environment) {
            overrides["history.path"] = Setting("path", .text(path), origin: "default", isRemark: true)
        }
        return loaded.settings(overrides) + optionSettings
    }

    /// The settings that no file can have.
    private var optionSettings: [Setting] {
        let timeout = options.timeout.map { DurationText.text($0.duration) }
        let level = options.level.rawValue
        let levelOption = options.process.verbose > 0 ? "-v" : options.process.quiet ? "-q" : "--log-level"
        let isUsual = level == "notice" && options.process.logLevel == nil
        let usualBus = environment["DBUS_SYSTEM_BUS_ADDRESS"] == nil ? "default" : "DBUS_SYSTEM_BUS_ADDRESS"
        let all = [
            ("bus", Composition.busAddress(options), options.bus == nil ? usualBus : "--bus"),
            ("timeout", timeout ?? "none", timeout == nil ? "default" : "--timeout"),
            ("log_level", level, isUsual ? "default" : levelOption),
        ]
        return all.map { Setting($0, .text($1), origin: $2, isRemark: true) }
    }

    // MARK: YAML

    /// A line, and the comment after it.
    private typealias Row = (text: String, comment: String)

    /// YAML with the origins as comments. `config check` reads the same configuration from it.
    var lines: [String] {
        let rows = Self.rows(settings)
        let width = rows.filter { !$0.comment.isEmpty }.reduce(0) { max($0, DisplayWidth.of($1.text)) }
        let settings = rows.map { text, comment in
            guard !comment.isEmpty else { return text }
            return text + String(repeating: " ", count: width - DisplayWidth.of(text) + 2) + "# " + comment
        }
        return settings + loaded.configuration.poll.intervalNotes.map { "# \(Untrusted.whole($0))" }
    }

    private static func rows(_ settings: [Setting], indent: String = "") -> [Row] {
        settings.flatMap { setting -> [Row] in
            let head = "\(indent)\(setting.isRemark ? "# " : "")\(setting.key):"
            switch setting.content {
            case .value(.text(let text)) where setting.isRemark:
                return [("\(head) \(Untrusted.whole(text))", setting.origin)]
            case .value(let value): return [("\(head) \(YAMLString.text(value))", setting.origin)]
            case .section(let inner, isInline: true): return [("\(head) \(inline(inner))", setting.origin)]
            case .section(let inner, isInline: false):
                // A key with nothing but comments would have no value.
                return inner.allSatisfy(\.isRemark) ? [] : [(head, "")] + rows(inner, indent: indent + "  ")
            case .list(let items) where items.isEmpty: return indent.isEmpty ? [("\(head) []", "")] : []
            case .list(let items):
                let sign = setting.isRemark ? "# " : ""
                let inner = items.flatMap { rows($0, indent: indent + "  ") }
                return [(head, setting.isRemark ? setting.origin : "")] + inner.map { (sign + $0.text, $0.comment) }
            }
        }
    }

    private static func rows(_ item: Setting.Item, indent: String) -> [Row] {
        if let lines = item.lines {
            let origin = item.settings.first?.origin ?? ""
            return lines.enumerated().map { (indent + $1, $0 == 0 ? origin : "") }
        }
        if item.isInline { return [("\(indent)- \(inline(item.settings))", item.remark ?? "")] }
        return rows(item.settings, indent: indent + "  ").enumerated().map { index, row in
            index == 0 ? ("\(indent)- \(row.text.dropFirst(indent.count + 2))", row.comment) : row
        }
    }

    /// Returns values as a mapping on one line.
    private static func inline(_ settings: [Setting]) -> String {
        YAMLString.mapping(
            settings.compactMap { setting in
                if case .value(let value) = setting.content { (setting.key, value) } else { nil }
            })
    }

    // MARK: JSON

    /// Each value as an object with `value` and `origin`.
    var json: JSON { Self.json(settings) }

    private static func json(_ settings: [Setting]) -> JSON {
        .object(settings.map { (key: $0.key, value: json($0)) })
    }

    private static func json(_ setting: Setting) -> JSON {
        switch setting.content {
        case .value(let value): .object(["value": json(value), "origin": .text(setting.origin)])
        case .section(let inner, _): json(inner)
        case .list(let items):
            .array(
                items.map { item in
                    let name: [(key: String, value: JSON?)] = item.remark.map { [("name", .text($0))] } ?? []
                    return .object(item.settings.map { (key: $0.key, value: json($0)) } + name)
                })
        }
    }

    private static func json(_ value: SettingValue) -> JSON {
        switch value {
        case .text(let text), .mapping(let text): .text(text)
        case .number(let number): .integer(number)
        case .flag(let flag): .boolean(flag)
        case .words(let words): .array(words.map { .text($0) })
        }
    }
}
