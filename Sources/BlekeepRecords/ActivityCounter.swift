import RunLoop

/// Counts the work for each device, for heartbeats.
struct ActivityCounter: Sendable {
    private struct Entry: Sendable {
        var total: DeviceActivity
        var kept: DeviceActivity
        /// When blekeep's connection began, while it is up.
        var upSince: Uptime?
        /// Whether the device has left. Another one may have its ID.
        var hasLeft = false

        init(_ idle: DeviceActivity) {
            total = idle
            kept = idle
        }
    }

    private var entries: [Entry]

    /// - Parameter idle: an empty count for each device.
    init(_ idle: [DeviceActivity]) {
        entries = idle.map(Entry.init)
    }

    /// Takes a device that joined.
    ///
    /// - Parameters:
    ///   - id: the next number, or that of a device that has left.
    ///   - idle: an empty count.
    mutating func join(_ id: DeviceIndex, idle: DeviceActivity) {
        if entries.indices.contains(id) { entries[id] = Entry(idle) } else { entries.append(Entry(idle)) }
    }

    mutating func leave(_ id: DeviceIndex) {
        if entries.indices.contains(id) { entries[id].hasLeft = true }
    }

    mutating func rename(_ id: DeviceIndex, to name: String) {
        guard entries.indices.contains(id) else { return }
        entries[id].total.device = name
        entries[id].kept.device = name
    }

    /// Takes a device's newest snapshot.
    mutating func apply(_ device: DeviceSnapshot, of id: DeviceIndex, at now: Uptime) {
        guard id < entries.count else { return }
        entries[id].total.good = device.goodTicks
        entries[id].total.failed = device.failedTicks
        entries[id].total.missed = device.missedTicks
        if device.isInUse, entries[id].upSince == nil { entries[id].upSince = now }
        if !device.isInUse { settle(id, at: now) }
    }

    /// Counts an attempt to connect a device.
    mutating func connects(_ id: DeviceIndex) {
        if id < entries.count { entries[id].total.connects += 1 }
    }

    /// Counts values.
    mutating func count(_ readings: [Reading]) {
        for reading in readings {
            guard case .value = reading.outcome,
                let id = entries.firstIndex(where: { $0.total.id == reading.id && !$0.hasLeft })
            else { continue }
            entries[id].total.values += 1
        }
    }

    /// Returns the counts since the last `keep`, without idle devices.
    mutating func activities(at now: Uptime) -> [DeviceActivity] {
        for id in entries.indices where entries[id].upSince != nil {
            settle(id, at: now)
            entries[id].upSince = now
        }
        return entries.map { $0.total - $0.kept }.filter { !$0.isIdle }
    }

    /// Call this when the store holds these activities.
    mutating func keep(_ activities: [DeviceActivity]) {
        for activity in activities {
            let id = entries.firstIndex { $0.total.id == activity.id && $0.total.address == activity.address }
            guard let id else { continue }
            entries[id].kept = entries[id].kept + activity
        }
    }

    private mutating func settle(_ id: DeviceIndex, at now: Uptime) {
        guard let since = entries[id].upSince else { return }
        entries[id].total.onAir += now - since
        entries[id].upSince = nil
    }
}
