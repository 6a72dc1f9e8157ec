import RunLoop

/// The objects that read each device, listen to it, and throttle the values that it sends by itself.
final class DeviceWorkers: @unchecked Sendable {
    // Used only on the loop's thread. Each array is in the order of the devices' numbers.
    private(set) var settings: [DeviceSetting] = []
    private(set) var pollers: [DevicePoller] = []
    /// The readers of passive devices.
    private(set) var readers: [DeviceIndex: BroadcastReader] = [:]
    private(set) var throttled: [ThrottledReadings] = []
    /// The users who wait for the end of a tick.
    let waiters: TickWaiters
    private let isFinite: Bool
    private let loop: RunLoop
    private let recorder: Recorder
    private let wallTime: () -> Int64

    /// - Parameter isFinite: whether the run ends after a number of ticks.
    init(
        _ settings: [DeviceSetting], isFinite: Bool, on loop: RunLoop, recorder: Recorder,
        wallTime: @escaping () -> Int64
    ) {
        self.isFinite = isFinite
        self.loop = loop
        self.recorder = recorder
        self.wallTime = wallTime
        waiters = TickWaiters(loop)
        for (id, setting) in settings.enumerated() { join(id, setting) }
    }

    func device(_ id: DeviceIndex) -> DeviceConfiguration { settings[id].device }

    /// The devices to watch, in the order of their numbers.
    var watched: [WatchedDevice] {
        settings.enumerated().map { id, setting in
            WatchedDevice(
                address: setting.device.address, adapter: setting.device.adapter, isListenedTo: readers[id] != nil)
        }
    }

    // MARK: Configurations

    /// Replaces the objects of the devices that changed, and of those only.
    func apply(_ changes: [Roster.Change]) {
        for change in changes {
            switch change.kind {
            case .joined(let setting): join(change.id, setting)
            case .changed(_, let setting): self.change(change.id, setting)
            case .left: leave(change.id)
            }
        }
    }

    private func join(_ id: DeviceIndex, _ setting: DeviceSetting) {
        let throttled = ThrottledReadings(on: loop, wallTime: wallTime, record: recorder.record) {
            [recorder] in recorder.record($0, of: id)
        }
        let poller = poller(setting, throttled)
        if settings.indices.contains(id) {
            settings[id] = setting
            pollers[id] = poller
            self.throttled[id] = throttled
        } else {
            settings.append(setting)
            pollers.append(poller)
            self.throttled.append(throttled)
        }
        readers[id] = reader(id, setting)
    }

    private func change(_ id: DeviceIndex, _ setting: DeviceSetting) {
        let former = readers[id]
        pollers[id].unbind()
        pollers[id].writes.refuseAll(.refused("the configuration of the device changed"))
        settings[id] = setting
        pollers[id] = poller(setting, throttled[id])
        readers[id] = reader(id, setting)
        readers[id]?.isPaused = former?.isPaused ?? false
        if let former { readers[id]?.inherit(former.identity) }
    }

    private func leave(_ id: DeviceIndex) {
        pollers[id].unbind()
        refuse(id, .refused("the device was removed from the configuration"))
        readers[id] = nil
    }

    private func poller(_ setting: DeviceSetting, _ throttled: ThrottledReadings) -> DevicePoller {
        DevicePoller(
            setting.device, interval: setting.interval, throttle: setting.throttle, layouts: setting.layouts,
            recipe: setting.recipe, isFinite: isFinite, loop: loop, wallTime: wallTime, record: recorder.record,
            throttled: throttled)
    }

    private func reader(_ id: DeviceIndex, _ setting: DeviceSetting) -> BroadcastReader? {
        guard setting.device.mode == .passive else { return nil }
        let throttled = throttled[id]
        return BroadcastReader(
            setting.device, wallTime: wallTime, now: { [loop] in loop.now },
            record: { throttled.add($0, every: setting.throttle) },
            recognize: { [recorder] in recorder.record($0, of: id) })
    }

    /// Takes what an earlier run recognized of the devices.
    func inherit(_ inheritance: Inheritance) {
        for (id, identity) in inheritance.identities {
            guard let reader = readers[id] else { continue }
            reader.inherit(identity)
            recorder.record(reader.identity, of: id)
        }
    }

    // MARK: Ends

    /// Stores the values that wait for their throttle, because there may be no later time.
    func flush() { for each in throttled { each.flush() } }

    /// Answers the users who wait for a device.
    func refuse(_ id: DeviceIndex, _ failure: ReadingFailure) {
        pollers[id].writes.refuseAll(failure)
        waiters.refuse(id, failure)
    }

    /// Answers the users who wait for any device.
    func refuseAll(_ failure: ReadingFailure) { for id in pollers.indices { refuse(id, failure) } }

    /// Call this when all connections ended.
    func unbind() { for poller in pollers { poller.unbind() } }
}
