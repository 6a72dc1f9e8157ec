import RunLoop

/// What works with each configured device: reads it or listens to it, and thins what comes by itself.
struct DeviceWorkers {
    let pollers: [DevicePoller]
    /// Of the passive devices.
    let readers: [DeviceID: BroadcastReader]
    /// What comes of each device by itself.
    let throttled: [ThrottledReadings]

    /// - Parameter isFinite: whether the run ends after so many ticks.
    init(
        _ configuration: Configuration, isFinite: Bool, on loop: RunLoop, recorder: Recorder,
        wallTime: @escaping () -> Int64
    ) {
        let devices = configuration.devices
        let throttled = devices.indices.map { id in
            ThrottledReadings(on: loop, wallTime: wallTime, record: recorder.record) { recorder.record($0, of: id) }
        }
        self.throttled = throttled
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

    /// Stores what waits for the end of its throttle's period: there may be no later.
    func flush() { for each in throttled { each.flush() } }

    /// No connection is there any more.
    func unbind() { for poller in pollers { poller.unbind() } }
}
