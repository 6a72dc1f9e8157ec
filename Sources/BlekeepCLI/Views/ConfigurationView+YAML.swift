import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

/// All settings as YAML, with their origins as comments. `config check` reads the same configuration from it.
extension ConfigurationView {
    /// A line, and the comment after it.
    private typealias Row = (text: String, comment: String)

    var lines: [String] {
        var rows = settings.map { Self.row($0) }
        rows += section("history", history) + section("power", power) + section("recovery", recovery)
        rows += sinkRows + section("metrics", metrics) + noticeRows + deviceRows + layoutRows
        let width = rows.filter { !$0.comment.isEmpty }.reduce(0) { max($0, DisplayWidth.of($1.text)) }
        return rows.map { text, comment in
            guard !comment.isEmpty else { return text }
            return text + String(repeating: " ", count: width - DisplayWidth.of(text) + 2) + "# " + comment
        }
    }

    private static func row(_ setting: Setting, indent: Int = 0) -> Row {
        let text = "\(setting.key): \(setting.isRemark ? remark(setting.value) : YAMLString.text(setting.value))"
        return (String(repeating: " ", count: indent) + (setting.isRemark ? "# " : "") + text, setting.origin)
    }

    private static func remark(_ value: SettingValue) -> String {
        if case .text(let text) = value { Untrusted.whole(text) } else { YAMLString.text(value) }
    }

    /// A key whose value is a mapping. Without settings that the file can have, there is no key.
    private func section(_ key: String, _ settings: [Setting]) -> [Row] {
        let isEmpty = settings.allSatisfy(\.isRemark)
        return isEmpty ? [] : [("\(key):", "")] + settings.map { Self.row($0, indent: 2) }
    }

    private var sinkRows: [Row] {
        let sinks = configuration.sinks
        guard sinks != SinkConfiguration() else { return [] }
        let all = [
            ("file", sinks.file?.settings), ("mqtt", sinks.mqtt?.settings), ("influx", sinks.influx?.settings),
            ("webhook", sinks.webhook?.settings),
        ]
        var rows: [Row] = [("sinks:", Setting.origin(parts.compactMap(\.sinks).first?.place))]
        for case (let sink, let settings?) in all {
            rows.append(("  \(sink):", ""))
            rows += settings.map { ("    \($0.key): \(YAMLString.text($0.value))", "") }
        }
        return rows
    }

    private var noticeRows: [Row] {
        let notices = parts.flatMap(\.notices)
        var rows: [Row] = notices.isEmpty ? [] : [("notices:", "")]
        for notice in notices {
            let run = YAMLString.text(.words(notice.value.command))
            rows.append(("  - run: \(run)", Setting.origin(notice.place)))
            rows += notice.value.settings.map { ("    \($0.key): \(YAMLString.text($0.value))", "") }
        }
        return rows
    }

    private var deviceRows: [Row] {
        var rows: [Row] = [(configuration.poll.devices.isEmpty ? "devices: []" : "devices:", "")]
        for device in configuration.poll.devices {
            rows.append(("  - address: \(device.address)", Setting.origin(part(of: device)?.address)))
            rows += settings(of: device).map { Self.row($0, indent: 4) }
            if !device.characteristics.isEmpty { rows.append(("    characteristics:", "")) }
            rows += device.characteristics.map { ("      - \(Self.text($0))", Self.name($0)) }
        }
        return rows
    }

    private static func text(_ point: CharacteristicConfiguration) -> String {
        let pairs: [(key: String, value: SettingValue?)] = [
            ("uuid", .text(point.characteristic.description)), ("service", point.service.map { .text($0.description) }),
            ("interval", point.interval.map { .text(DurationText.text($0)) }),
            ("throttle", point.throttle.map { .text(DurationText.text($0)) }),
            ("notify", point.notify ? .flag(true) : nil), ("write", point.isWritable ? .flag(true) : nil),
            ("factor", point.calibration.flatMap { $0.factor == .one ? nil : .mapping($0.factor.description) }),
            ("offset", point.calibration.map { .mapping($0.offset.description) }),
            ("security", point.security == .none ? nil : .text(point.security.rawValue)),
        ]
        return YAMLString.mapping(pairs)
    }

    private var layoutRows: [Row] {
        var rows: [Row] = configuration.poll.layouts.isEmpty ? [] : [("layouts:", "")]
        for layout in configuration.poll.layouts {
            let origin = place(of: layout)
            rows += layout.yaml.enumerated().map { ("  \($1)", $0 == 0 ? origin : "") }
        }
        return rows
    }
}

extension SinkConfiguration.File {
    fileprivate var settings: [(key: String, value: SettingValue)] {
        [("path", .text(path)), ("size", .text(SizeText.text(size))), ("keep", .number(keep))]
    }
}

extension NoticeConfiguration {
    /// Its settings besides the command.
    fileprivate var settings: [(key: String, value: SettingValue)] {
        [
            ("events", .words(names)), ("hold_off", .text(DurationText.text(holdOff))),
            ("timeout", .text(DurationText.text(timeout))), ("battery", .number(battery)),
        ]
    }
}
