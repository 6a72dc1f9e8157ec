import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

/// All settings as JSON.
extension ConfigurationView {
    var json: JSON {
        .object(
            settings.map { (key: $0.key, value: Self.json($0)) } + [
                (key: "history", value: .object(historyPairs)),
                (key: "power", value: .object(power.map { (key: $0.key, value: Self.json($0)) })),
                (key: "recovery", value: .object(recovery.map { (key: $0.key, value: Self.json($0)) })),
                (key: "sinks", value: sinks),
                (key: "metrics", value: .object(metrics.map { (key: $0.key, value: Self.json($0)) })),
                (key: "notices", value: .array(configuration.notices.map(Self.json))),
                (key: "devices", value: .array(configuration.poll.devices.map(json))),
                (key: "layouts", value: .array(configuration.poll.layouts.map(json))),
            ])
    }

    private static func json(_ notice: NoticeConfiguration) -> JSON {
        .object([
            "run": .array(notice.command.map { .text($0) }),
            "events": .array(notice.names.map { .text($0) }), "hold_off": .text(DurationText.text(notice.holdOff)),
            "timeout": .text(DurationText.text(notice.timeout)), "battery": .integer(notice.battery),
        ])
    }

    /// `value` and `origin` are those of `path`, for older readers of this object.
    private var historyPairs: [(key: String, value: JSON?)] {
        let path = history.first.map {
            [(key: "value", value: Self.json($0.value)), (key: "origin", value: .text($0.origin))]
        }
        return (path ?? []) + history.map { (key: $0.key, value: Self.json($0)) }
    }

    private var sinks: JSON {
        .object([
            "file": configuration.sinks.file.map {
                .object(["path": .text($0.path), "size": .integer(Int($0.size)), "keep": .integer($0.keep)])
            },
            "mqtt": configuration.sinks.mqtt.map { Self.json($0.settings) },
            "influx": configuration.sinks.influx.map { Self.json($0.settings) },
            "webhook": configuration.sinks.webhook.map { Self.json($0.settings) },
        ])
    }

    private static func json(_ settings: [(key: String, value: SettingValue)]) -> JSON {
        .object(settings.map { ($0.key, json($0.value)) })
    }

    private static func json(_ setting: Setting) -> JSON {
        .object(["value": json(setting.value), "origin": .text(setting.origin)])
    }

    private static func json(_ value: SettingValue) -> JSON {
        switch value {
        case .text(let text), .mapping(let text): .text(text)
        case .number(let number): .integer(number)
        case .flag(let flag): .boolean(flag)
        case .words(let words): .array(words.map { .text($0) })
        }
    }

    private func json(_ device: DeviceConfiguration) -> JSON {
        .object([
            "address": .text(device.address.description), "alias": .text(device.alias),
            "adapter": .text(device.adapter?.description),
            "interval": .text(DurationText.text(device.interval ?? configuration.poll.interval)),
            "mode": .text(device.mode.rawValue), "format": .text(device.format?.rawValue),
            "medium": .text(device.medium?.rawValue), "key": .text(device.keyFile),
            "characteristics": .array(device.characteristics.map(Self.json)),
            "origin": .text(Setting.origin(part(of: device)?.address)),
            "settings": .object(settings(of: device).map { (key: $0.key, value: Self.json($0)) }),
        ])
    }

    private static func json(_ point: CharacteristicConfiguration) -> JSON {
        .object([
            "uuid": .text(point.characteristic.description), "name": .text(name(point)),
            "service": .text(point.service?.description), "interval": .text(point.interval.map(DurationText.text)),
            "throttle": .text(point.throttle.map(DurationText.text)), "notify": .boolean(point.notify),
            "write": .boolean(point.isWritable), "security": .text(point.security.rawValue),
        ])
    }

    private func json(_ layout: OwnLayout) -> JSON {
        .object([
            "uuid": .text(layout.characteristic.description), "name": .text(layout.name),
            "fields": .array(layout.fields.map(\.name).filter { !$0.isEmpty }.map { .text($0) }),
            "origin": .text(place(of: layout)),
        ])
    }
}
