import Blekeep
import BlekeepHistory
import BlekeepOutputs

extension ReportView {
    var json: JSON {
        let modes: [(key: String, value: JSON?)] = PowerMode.allCases.map {
            ($0.rawValue, .seconds(report.time(in: $0)))
        }
        let gaps: [JSON] = report.gaps.map(Self.json)
        let devices: [JSON] = report.devices.map(json)
        let pairs: [(key: String, value: JSON?)] = [
            ("from", .text(UTCTime(milliseconds: report.from).iso)),
            ("to", .text(UTCTime(milliseconds: report.to).iso)),
            ("seconds", .seconds(report.length)), ("up_seconds", .seconds(report.up)),
            ("down_seconds", .seconds(report.down)), ("modes", .object(modes)), ("gaps", .array(gaps)),
            ("scanned_seconds", .seconds(report.air.scanned)), ("packets", .integer(report.air.packets)),
            ("logged_values", report.logged > 0 ? .integer(report.logged) : nil), ("battery", battery),
            ("devices", .array(devices)),
        ]
        return .object(pairs)
    }

    private static func json(_ gap: Report.Gap) -> JSON {
        let pairs: [(key: String, value: JSON?)] = [
            ("cause", .text(gap.cause.rawValue)), ("from", .text(UTCTime(milliseconds: gap.from).iso)),
            ("to", .text(UTCTime(milliseconds: gap.to).iso)), ("seconds", gap.length.map(JSON.seconds)),
        ]
        return .object(pairs)
    }

    private var battery: JSON? {
        guard let battery = report.battery else { return nil }
        var pairs: [(key: String, value: JSON?)] = [("from", .number(battery.from)), ("to", .number(battery.to))]
        if let drain = report.drain {
            pairs.append(("on_battery_seconds", .seconds(drain.length)))
            pairs.append(("percent_per_hour", .number(drain.perHour)))
        }
        return .object(pairs)
    }

    private func json(_ activity: DeviceActivity) -> JSON {
        var pairs: [(key: String, value: JSON?)] = [
            ("device", .text(activity.device)), ("address", .text(activity.address.description)),
            ("values", .integer(activity.values)), ("ticks", .integer(activity.good)),
            ("failed", .integer(activity.failed)), ("missed", .integer(activity.missed)),
            ("connects", .integer(activity.connects)), ("on_air_seconds", .number(activity.onAir / .seconds(1))),
        ]
        if let cost = cost(activity) {
            pairs.append(("connects_per_day", .number(cost.connectsPerDay)))
            pairs.append(("on_air_seconds_per_day", .number(cost.secondsPerDay)))
            pairs.append(("estimated_mah_per_year_from", .number(cost.chargePerYear.lowerBound)))
            pairs.append(("estimated_mah_per_year_to", .number(cost.chargePerYear.upperBound)))
            pairs.append(("battery", .text(cost.battery.rawValue)))
            pairs.append(("battery_mah", cost.battery.charge.map(JSON.number)))
        }
        return .object(pairs)
    }
}

extension JSON {
    fileprivate static func seconds(_ duration: Duration) -> JSON {
        .integer(Int(clamping: duration.components.seconds))
    }
}
