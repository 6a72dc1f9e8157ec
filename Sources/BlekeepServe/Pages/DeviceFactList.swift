import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords

/// The age, the battery, the signal, the connection and the next tick of a device.
struct DeviceFactList {
    let status: DeviceStatus
    let report: StatusReport
    /// Why blekeep doesn't poll the device; `nil` for a device that it polls.
    var exclusion: PollExclusion?
    let values: NewestValues.Device?
    let clock: PageClock

    var html: Markup {
        let facts = [read, charge, signal, link, next, interval, filled].compactMap(\.self)
        return "<dl class=\"facts\">\(facts)</dl>"
    }

    private func fact(_ name: Markup, text: Markup, style: Markup = "") -> Markup {
        "<div\(style)><dt>\(name)</dt><dd>\(text)</dd></div>"
    }

    private var isPolled: Bool { report.isPolling && exclusion == nil }

    private var read: Markup? {
        (values?.time ?? status.lastValue).map { fact("Last value", text: clock.time($0, as: .age)) }
    }

    private var charge: Markup? {
        values?.batteryText.map {
            values?.isBatteryLow == true
                ? fact("Battery", text: "\($0) low", style: " class=\"low\"") : fact("Battery", text: "\($0)")
        }
    }

    private var signal: Markup? { isPolled ? status.rssi.map { fact("Signal", text: "\($0) dBm") } : nil }

    private var link: Markup? {
        guard isPolled else { return nil }
        return fact("Connection", text: status.link == .foreign ? "of another program" : "\(status.link.rawValue)")
    }

    private var next: Markup? {
        guard isPolled, status.pause == nil else { return nil }
        return status.next.map { fact("Next", text: clock.time($0, as: .wait)) }
    }

    private var interval: Markup? {
        guard status.pause == nil, exclusion == nil else { return nil }
        let text = report.intervalText(of: status)
        return text.isEmpty ? nil : fact(status.interval == nil ? "Interval" : "Every", text: "\(text)")
    }

    private var filled: Markup? { report.fillingText(of: status.id).map { fact("Filled", text: "\($0)") } }
}
