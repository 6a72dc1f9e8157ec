import BlekeepRecords

/// When a rule would have fired, from the summaries of five minutes, which stay longer than the readings.
///
/// Of each summary, the rule gets the least fitting value at its start, the most fitting one in its middle, and the last one
/// at its end. So a time is off by up to five minutes. A rule on a move or a word gets the last values alone.
package struct RuleTrial: Sendable {
    package struct Firing: Sendable, Hashable {
        package let device: DeviceID
        /// Milliseconds since 1970.
        package let from: Int64
        /// `nil` when it still fires at the end.
        package fileprivate(set) var to: Int64?
        /// Why it fires.
        package let message: String
    }

    /// In the order of their beginnings, at most `maxFirings`.
    package private(set) var firings: [Firing] = []
    /// How many there are in all.
    package private(set) var count = 0
    /// The number of summaries that the rule got.
    package private(set) var summaries = 0
    /// When the first of them begins, in milliseconds since 1970. The history keeps no summaries of five minutes for ever.
    package private(set) var first: Int64?
    package private(set) var devices: Set<DeviceID> = []
    private var machines: [DeviceID: Tried] = [:]
    private let rule: Rule

    package static let maxFirings = 1000

    private struct Tried {
        var machine: RuleMachine
        var last: Int64
        /// The index of what fires, in `firings`.
        var firing: Int?

        mutating func observe(
            _ measurement: Measurement, of characteristic: BluetoothUUID?, at time: Int64
        ) -> RuleMachine.Change? {
            last = time
            return machine.observe(measurement, of: characteristic, at: RuleMoment(time: time))
        }
    }

    /// - Parameters:
    ///   - devices: those that the rule is about.
    ///   - since: only summaries from this time on, in milliseconds since 1970.
    ///   - now: the end.
    /// - Throws: `HistoryError`.
    package init(_ rule: Rule, devices: [DeviceID], since: Int64, now: Int64, in reader: HistoryReader) throws {
        self.rule = rule
        guard !devices.isEmpty else { return }
        var query = HistoryQuery(since: since, until: now)
        query.devices = devices
        query.fields =
            rule.when.field.map { own in
                own == "battery" ? ["battery", "battery_level"] : [String(own.prefix { $0 != "#" })]
            } ?? []
        if case .silence = rule.when.test, query.fields.isEmpty {
            // What the values are doesn't matter.
            try reader.times(query, every: .fiveMinutes) { device, start, count in
                first = first ?? start
                summaries += count
                self.devices.insert(device)
                let time = min(start + Summary.Period.fiveMinutes.milliseconds - 1, now)
                observe(Measurement(field: "", value: nil), of: device, at: time)
            }
        } else {
            try reader.summaries(query, every: .fiveMinutes) { add($0, until: now) }
        }
        for id in machines.keys.sorted(by: { $0.description < $1.description }) { wait(id, until: now) }
        firings.sort { ($0.from, $0.device.description) < ($1.from, $1.device.description) }
    }

    private mutating func add(_ summary: Summary, until now: Int64) {
        guard let field = summary.key.field, let last = summary.last,
            rule.when.isAbout(field, instance: summary.key.source.instance)
        else { return }
        first = first ?? summary.start
        summaries += 1
        devices.insert(summary.id)
        let length = summary.milliseconds
        var values: [(value: MeasuredValue, time: Int64)] = [(last, summary.start + length - 1)]
        if case .limit(_, let limit) = rule.when.test, summary.count > 1, let least = summary.minimum,
            let most = summary.maximum
        {
            let isUpper = limit.comparison == .above || limit.comparison == .atLeast
            let (first, second) = isUpper ? (least, most) : (most, least)
            values = [(.number(first), summary.start), (.number(second), summary.start + length / 2)] + values
        }
        for (value, time) in values {
            let measurement = Measurement(field: field, value: value, unit: summary.key.unit)
            observe(measurement, of: summary.id, summary.key.source.characteristic, at: min(time, now))
        }
    }

    private mutating func observe(
        _ measurement: Measurement, of device: DeviceID, _ characteristic: BluetoothUUID? = nil, at time: Int64
    ) {
        wait(device, until: time)
        let change = machines[device, default: Tried(machine: RuleMachine(rule, for: device), last: time)]
            .observe(measurement, of: characteristic, at: time)
        note(change, of: device)
    }

    /// Lets time pass without a value.
    private mutating func wait(_ device: DeviceID, until time: Int64) {
        guard let tried = machines[device], let due = tried.machine.due(at: RuleMoment(time: tried.last)) else {
            return
        }
        let moment = tried.last + due.wholeMilliseconds
        guard moment <= time else { return }
        note(machines[device]?.machine.advance(at: RuleMoment(time: moment)), of: device)
    }

    private mutating func note(_ change: RuleMachine.Change?, of device: DeviceID) {
        guard let change else { return }
        guard change.isFiring else {
            if let index = machines[device]?.firing { firings[index].to = change.at.time }
            machines[device]?.firing = nil
            return
        }
        count += 1
        guard firings.count < Self.maxFirings else { return }
        machines[device]?.firing = firings.count
        firings.append(Firing(device: device, from: change.at.time, to: nil, message: change.status.message ?? ""))
    }
}
