import RunLoop

/// The objects that read each device, listen to it, and throttle the values that it sends by itself.
struct DeviceWorkers {
    let pollers: [DevicePoller]
    /// The readers of passive devices.
    let readers: [DeviceID: BroadcastReader]
    let throttled: [ThrottledReadings]
    /// The users who wait for the end of a tick.
    let waiters: TickWaiters

    /// - Parameter isFinite: whether the run ends after a number of ticks.
    init(
        _ configuration: Configuration, isFinite: Bool, on loop: RunLoop, recorder: Recorder,
        wallTime: @escaping () -> Int64
    ) {
        let devices = configuration.devices
        let throttled = devices.indices.map { id in
            ThrottledReadings(on: loop, wallTime: wallTime, record: recorder.record) { recorder.record($0, of: id) }
        }
        self.throttled = throttled
        waiters = TickWaiters(loop)
        pollers = zip(devices, throttled).map { device, throttled in
            DevicePoller(
                device, interval: device.interval ?? configuration.interval,
                throttle: device.throttle ?? configuration.throttle, layouts: configuration.layouts,
                isFinite: isFinite, loop: loop, wallTime: wallTime, record: recorder.record, throttled: throttled)
        }
        var readers: [DeviceID: BroadcastReader] = [:]
        for (id, device) in devices.enumerated() where device.mode == .passive {
            let throttle = device.throttle ?? configuration.throttle
            readers[id] = BroadcastReader(device, wallTime: wallTime, now: { loop.now }) {
                throttled[id].take($0, every: throttle)
            }
        }
        self.readers = readers
    }

    /// Stores the values that wait for their throttle, because there may be no later time.
    func flush() { for each in throttled { each.flush() } }

    /// Answers the users who wait for a device.
    func refuse(_ id: DeviceID, _ failure: ReadingFailure) {
        pollers[id].writes.refuseAll(failure)
        waiters.refuse(id, failure)
    }

    /// Answers the users who wait for any device.
    func refuseAll(_ failure: ReadingFailure) { for id in pollers.indices { refuse(id, failure) } }

    /// Call this when all connections ended.
    func unbind() { for poller in pollers { poller.unbind() } }
}
