import RunLoop

/// Counts the work for each device, for heartbeats.
struct ActivityCounter: Sendable {
    private struct Entry: Sendable, DevicePart {
        let number: DeviceNumber
        var total: DeviceActivity
        var kept: DeviceActivity
        /// When blekeep's connection began, while it is up.
        var upSince: Uptime?
        /// Whether the device has left. Another one may have its ID.
        var hasLeft = false

        init(_ number: DeviceNumber, idle: DeviceActivity) {
            self.number = number
            total = idle
            kept = idle
        }
    }

    private var entries: [Entry]

    /// - Parameter idle: an empty count for each device.
    init(_ idle: [DeviceActivity]) {
        entries = idle.enumerated().map { Entry(DeviceNumber($0.offset), idle: $0.element) }
    }

    /// Takes the devices that join, leave and change.
    mutating func apply(_ changes: [DeviceChange]) {
        entries.removeAll { $0.hasLeft && $0.upSince == nil && ($0.total - $0.kept).isIdle }
        for change in changes {
            switch change.kind {
            case .joined(let setting): join(change.number, idle: DeviceActivity(setting.device))
            case .changed(_, let setting): rename(change.number, to: setting.device.name)
            case .left: if let index = entries.index(of: change.number) { entries[index].hasLeft = true }
            }
        }
    }

    private mutating func join(_ number: DeviceNumber, idle: DeviceActivity) {
        // A heartbeat has one activity for each device.
        entries.removeAll { $0.hasLeft && $0.total.id == idle.id && $0.total.address == idle.address }
        entries.append(Entry(number, idle: idle))
    }

    private mutating func rename(_ number: DeviceNumber, to name: String) {
        guard let index = entries.index(of: number) else { return }
        entries[index].total.device = name
        entries[index].kept.device = name
    }

    /// Takes a device's newest snapshot.
    mutating func apply(_ device: DeviceSnapshot, of number: DeviceNumber, at now: Uptime) {
        guard let index = entries.index(of: number) else { return }
        entries[index].total.good = device.goodTicks
        entries[index].total.failed = device.failedTicks
        entries[index].total.missed = device.missedTicks
        if device.isInUse, entries[index].upSince == nil { entries[index].upSince = now }
        if !device.isInUse { settle(index, at: now) }
    }

    /// Counts an attempt to connect a device.
    mutating func connects(_ number: DeviceNumber) {
        if let index = entries.index(of: number) { entries[index].total.connects += 1 }
    }

    /// Counts values.
    mutating func count(_ readings: [Reading]) {
        for reading in readings {
            guard case .value = reading.outcome,
                let index = entries.firstIndex(where: { $0.total.id == reading.id && !$0.hasLeft })
            else { continue }
            entries[index].total.values += 1
        }
    }

    /// Returns the counts since the last `keep`, without idle devices.
    mutating func activities(at now: Uptime) -> [DeviceActivity] {
        for index in entries.indices where entries[index].upSince != nil {
            settle(index, at: now)
            entries[index].upSince = now
        }
        return entries.map { $0.total - $0.kept }.filter { !$0.isIdle }
    }

    /// Call this when the store holds these activities.
    mutating func keep(_ activities: [DeviceActivity]) {
        for activity in activities {
            let index = entries.firstIndex { $0.total.id == activity.id && $0.total.address == activity.address }
            guard let index else { continue }
            entries[index].kept = entries[index].kept + activity
        }
    }

    private mutating func settle(_ index: Int, at now: Uptime) {
        guard let since = entries[index].upSince else { return }
        entries[index].total.onAir += now - since
        entries[index].upSince = nil
    }
}
