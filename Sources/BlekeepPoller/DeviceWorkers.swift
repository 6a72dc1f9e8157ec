import RunLoop

/// What reads one device, listens to it, and throttles the values that it sends by itself.
struct DeviceWorker {
    fileprivate(set) var setting: DeviceSetting
    fileprivate(set) var poller: DevicePoller
    /// The reader of a passive device; `nil` for other devices.
    fileprivate(set) var reader: BroadcastReader?
    let throttled: ThrottledReadings

    var device: DeviceConfiguration { setting.device }
}

/// The workers of all devices, in the order of the devices' numbers.
final class DeviceWorkers: @unchecked Sendable {
    // Used only on the loop's thread.
    private var workers: [DeviceWorker] = []
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

    subscript(id: DeviceIndex) -> DeviceWorker { workers[id] }
    var indices: Range<DeviceIndex> { workers.indices }

    /// The devices to watch, in the order of their numbers.
    var watched: [WatchedDevice] {
        workers.map {
            WatchedDevice(address: $0.device.address, adapter: $0.device.adapter, isListenedTo: $0.reader != nil)
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
        let worker = DeviceWorker(
            setting: setting, poller: poller, reader: reader(id, setting, throttled), throttled: throttled)
        if workers.indices.contains(id) { workers[id] = worker } else { workers.append(worker) }
    }

    private func change(_ id: DeviceIndex, _ setting: DeviceSetting) {
        let former = workers[id]
        former.poller.unbind()
        former.poller.writes.refuseAll(.refused("the configuration of the device changed"))
        workers[id].setting = setting
        workers[id].poller = poller(setting, former.throttled)
        workers[id].reader = reader(id, setting, former.throttled)
        workers[id].reader?.isPaused = former.reader?.isPaused ?? false
        if let former = former.reader { workers[id].reader?.inherit(former.identity) }
    }

    private func leave(_ id: DeviceIndex) {
        workers[id].poller.unbind()
        refuse(id, .refused("the device was removed from the configuration"))
        workers[id].reader = nil
    }

    private func poller(_ setting: DeviceSetting, _ throttled: ThrottledReadings) -> DevicePoller {
        DevicePoller(
            setting.device, interval: setting.interval, throttle: setting.throttle, layouts: setting.layouts,
            recipe: setting.recipe, isFinite: isFinite, loop: loop, wallTime: wallTime, record: recorder.record,
            throttled: throttled)
    }

    private func reader(
        _ id: DeviceIndex, _ setting: DeviceSetting, _ throttled: ThrottledReadings
    ) -> BroadcastReader? {
        guard setting.device.mode == .passive else { return nil }
        return BroadcastReader(
            setting.device, wallTime: wallTime, now: { [loop] in loop.now },
            record: { throttled.add($0, every: setting.throttle) },
            recognize: { [recorder] in recorder.record($0, of: id) })
    }

    /// Takes what an earlier run recognized of the devices.
    func inherit(_ inheritance: Inheritance) {
        for (id, identity) in inheritance.identities where indices.contains(id) {
            guard let reader = workers[id].reader else { continue }
            reader.inherit(identity)
            recorder.record(reader.identity, of: id)
        }
    }

    // MARK: Ends

    /// Stores the values that wait for their throttle, because there may be no later time.
    func flush() { for worker in workers { worker.throttled.flush() } }

    /// Answers the users who wait for a device.
    func refuse(_ id: DeviceIndex, _ failure: ReadingFailure) {
        workers[id].poller.writes.refuseAll(failure)
        waiters.refuse(id, failure: failure)
    }

    /// Answers the users who wait for any device.
    func refuseAll(_ failure: ReadingFailure) { for id in indices { refuse(id, failure) } }

    /// Call this when all connections ended.
    func unbind() { for worker in workers { worker.poller.unbind() } }
}
