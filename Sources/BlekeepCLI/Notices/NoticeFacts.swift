import Blekeep
import BlekeepHistory
import BlekeepOutputs

/// Finds the facts in the status of the poller and in the newest readings. Pure.
struct NoticeFacts {
    let report: StatusReport
    let newest: [Reading]
    /// What devices run on, as far as the user says it.
    var batteries: [DeviceID: Battery] = [:]
    /// What rules would have said while nobody looked.
    var missed: [NoticeFact] = []

    /// - Parameter battery: a battery with less charge is low, in percent.
    func all(battery: Int) -> [NoticeFact] {
        [history] + (report.isPolling ? [disk] + devices + sinks + adapters + rules : []) + missed + charges(battery)
            + voltages
    }

    private var history: NoticeFact {
        func fails(_ message: String) -> NoticeFact {
            NoticeFact(subject: .history, event: .historyFails, message: message)
        }
        if report.pid == nil { return fails("poll isn't running: no reading is stored") }
        if report.isDiskFull { return fails("the disk is full; make room") }
        if report.isSilent { return fails("poll hasn't written for \(report.span(report.seen))") }
        return NoticeFact(subject: .history, event: .historyWorks, message: "readings are stored")
    }

    /// A disk is slow for an hour after a slow write.
    private var disk: NoticeFact {
        guard let slow = report.poller.slow, report.now - slow.last < 3_600_000 else {
            return NoticeFact(subject: .disk, event: .diskWorks, message: "the disk is quick again")
        }
        return NoticeFact(
            subject: .disk, event: .diskSlow,
            message: "the disk takes up to \(DurationText.text(slow.longest)) to write to the history")
    }

    private var devices: [NoticeFact] {
        report.devices.compactMap { status in
            guard status.pause == nil, let event = Self.event(status.state) else { return nil }
            return NoticeFact(
                subject: .device(status.id), event: event,
                message: status.failure.map { Advice.message($0, of: status.address) } ?? "reads again",
                device: status.name, address: status.address)
        }
    }

    private static func event(_ state: DeviceCondition.State) -> NoticeEvent? {
        switch state {
        case .good: .deviceBack
        case .lost: .deviceLost
        case .needsUser: .deviceNeedsUser
        case .new, .trying: nil
        }
    }

    private var sinks: [NoticeFact] {
        report.sinks.map { sink in
            NoticeFact(
                subject: .sink(sink.name), event: sink.failure == nil ? .sinkWorks : .sinkFails,
                message: "\(sink.name): \(sink.failure ?? "takes readings again")")
        }
    }

    private var adapters: [NoticeFact] {
        report.poller.adapters.map { adapter in
            let isStuck = adapter.trouble.map { $0.isGrave && $0 != .cycling } ?? false
            return NoticeFact(
                subject: .adapter(adapter.name), event: isStuck ? .adapterStuck : .adapterWorks,
                message:
                    "\(adapter.name) \(isStuck ? Advice.message(adapter, now: report.now) : "reaches devices again")")
        }
    }

    private var rules: [NoticeFact] {
        report.rules.map { rule in
            let device = report.devices.first { $0.id == rule.device }
            return NoticeFact(
                subject: .rule(rule.rule, rule.device), event: rule.isFiring ? .ruleFires : .ruleEnds,
                message: rule.message ?? "the rule changed", firing: rule.firings, device: device?.name,
                address: device?.address)
        }
    }

    /// A battery is good again only with 5 % more, because its level goes up and down.
    private func charges(_ limit: Int) -> [NoticeFact] {
        let names = Dictionary(report.devices.map { ($0.id, $0.name) }) { first, _ in first }
        return newest.compactMap { reading in
            guard let name = names[reading.id], case .value(let measurement, _) = reading.outcome,
                let level = Self.charge(measurement)
            else { return nil }
            let event: NoticeEvent? = level < limit ? .batteryLow : level >= limit + 5 ? .batteryGood : nil
            guard let event else { return nil }
            return NoticeFact(
                subject: .battery(reading.id), event: event, message: "its battery has \(level) %", device: name,
                address: reading.address)
        }
    }

    /// A battery is good again only with 0.1 V more.
    private var voltages: [NoticeFact] {
        let values = NewestValues(newest, limits: BatteryLimits(batteries: batteries), statuses: report.devices).devices
        return report.devices.compactMap { status in
            guard let device = values[status.id], let voltage = device.voltage, let text = device.batteryText,
                let limit = BatteryLimits(batteries: batteries).voltage(
                    of: status.id, at: device.number(of: "temperature"))
            else { return nil }
            let event: NoticeEvent? = voltage < limit ? .batteryLow : voltage >= limit + 0.1 ? .batteryGood : nil
            return event.map {
                NoticeFact(
                    subject: .battery(status.id), event: $0, message: "its battery has \(text)", device: status.name,
                    address: status.address)
            }
        }
    }

    /// Returns the charge in percent, from the Battery Level or from BTHome; `nil` for another field.
    private static func charge(_ measurement: Measurement) -> Int? {
        guard ["battery_level", "battery"].contains(measurement.field), measurement.unit == "%" else { return nil }
        let charge: Double? =
            switch measurement.value {
            case .integer(let integer): Double(integer)
            case .number(let number): number
            case .text, .boolean, .list, nil: nil
            }
        return charge.flatMap { (0...100).contains($0) ? Int($0) : nil }
    }
}
