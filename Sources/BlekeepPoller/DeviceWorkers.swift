import RunLoop

/// What reads one device, listens to it, and throttles the values that it sends by itself.
final class DeviceWorker: DevicePart {
    let number: DeviceNumber
    fileprivate(set) var setting: DeviceSetting
    fileprivate(set) var poller: DevicePoller
    /// The reader of a passive device; `nil` for other devices.
    fileprivate(set) var reader: BroadcastReader?
    var request: ConnectRequest?
    let throttled: ThrottledReadings

    fileprivate init(
        _ number: DeviceNumber, setting: DeviceSetting, poller: DevicePoller, reader: BroadcastReader?,
        throttled: ThrottledReadings
    ) {
        self.number = number
        self.setting = setting
        self.poller = poller
        self.reader = reader
        self.throttled = throttled
    }

    var device: DeviceConfiguration { setting.device }
}

/// The workers of all devices, in the order of the devices' numbers.
final class DeviceWorkers: @unchecked Sendable {
    // Used only on the loop's thread.
    /// Also the ones of devices that were removed and may have a connection to end.
    private(set) var all: [DeviceWorker] = []
    /// The number of packets that BlueZ passed on of them, for the heartbeat.
    var packets = 0
    /// The users who wait for the end of a device's tick with this number, or of a later one.
    let waiters: WaitingUsers<(device: DeviceNumber, tick: Int)>
    private let isOneOff: Bool
    private let loop: RunLoop
    private let recorder: Recorder
    private let wallTime: () -> Int64

    /// - Parameter isOneOff: whether the run ends after a number of ticks.
    init(
        _ settings: [DeviceSetting], isOneOff: Bool, on loop: RunLoop, recorder: Recorder,
        wallTime: @escaping () -> Int64
    ) {
        self.isOneOff = isOneOff
        self.loop = loop
        self.recorder = recorder
        self.wallTime = wallTime
        waiters = WaitingUsers(loop, upTo: 64, crowded: "too many users wait already", late: "the device wasn't read")
        for (index, setting) in settings.enumerated() { join(DeviceNumber(index), setting) }
    }

    /// `nil` for a device that has left.
    subscript(number: DeviceNumber) -> DeviceWorker? { all.index(of: number).map { all[$0] } }

    var watched: [WatchedDevice] {
        all.map {
            WatchedDevice(
                number: $0.number, address: $0.device.address, adapter: $0.device.adapter,
                isListenedTo: $0.reader != nil)
        }
    }

    /// What BlueZ must listen for to hear the devices.
    var patterns: [AdvertisementPattern] {
        var formats: Set<BroadcastFormat> = []
        var areAllKnown = true
        for worker in all {
            let own = worker.reader.map { reader in worker.device.format.map { [$0] } ?? reader.identity.formats }
            areAllKnown = areAllKnown && own?.isEmpty == false
            // One that only advertises may send no flags.
            formats.formUnion(own?.isEmpty == true ? Set(BroadcastFormat.allCases) : own ?? [])
        }
        return AdvertisementPattern.all(
            of: formats.sorted { $0.rawValue < $1.rawValue }, areAllKnown: areAllKnown)
    }

    // MARK: Configurations

    /// Replaces the objects of the devices that changed, and of those only.
    func apply(_ changes: [DeviceChange]) {
        for change in changes {
            switch change.kind {
            case .joined(let setting): join(change.number, setting)
            case .changed(_, let setting): if let worker = self[change.number] { self.change(worker, to: setting) }
            case .left: if let worker = self[change.number] { leave(worker) }
            }
        }
    }

    /// Lets the values of passive devices come once more, also unchanged ones, which come no other way.
    func renewBroadcasts() { for worker in all { worker.reader?.renew() } }

    /// Forgets the devices that aren't among these any more.
    func keep(_ numbers: [DeviceNumber]) {
        guard numbers.count < all.count else { return }
        let kept = Set(numbers)
        all.removeAll { !kept.contains($0.number) }
    }

    private func join(_ number: DeviceNumber, _ setting: DeviceSetting) {
        let throttled = ThrottledReadings(on: loop, wallTime: wallTime, record: recorder.record) {
            [recorder] in recorder.record($0, of: number)
        }
        all.append(
            DeviceWorker(
                number, setting: setting, poller: poller(setting, throttled),
                reader: reader(number, setting, throttled), throttled: throttled))
    }

    private func change(_ worker: DeviceWorker, to setting: DeviceSetting) {
        worker.poller.unbind()
        worker.poller.writes.answer(.failure(.refused("the configuration of the device changed")))
        let former = worker.reader
        worker.setting = setting
        worker.poller = poller(setting, worker.throttled)
        worker.reader = reader(worker.number, setting, worker.throttled)
        worker.reader?.isPaused = former?.isPaused ?? false
        if let former { worker.reader?.inherit(former.identity) }
    }

    private func leave(_ worker: DeviceWorker) {
        worker.poller.unbind()
        refuse(worker, .refused("the device isn't polled any more"))
        worker.reader = nil
    }

    private func poller(_ setting: DeviceSetting, _ throttled: ThrottledReadings) -> DevicePoller {
        DevicePoller(setting, isOneOff: isOneOff, loop: loop, wallTime: wallTime, throttled: throttled)
    }

    private func reader(
        _ number: DeviceNumber, _ setting: DeviceSetting, _ throttled: ThrottledReadings
    ) -> BroadcastReader? {
        guard setting.device.mode == .passive else { return nil }
        return BroadcastReader(
            setting.device, wallTime: wallTime, now: { [loop] in loop.now },
            record: { throttled.add($0, every: setting.throttle) },
            recognize: { [recorder] in recorder.record($0, of: number) })
    }

    /// Takes what an earlier run recognized of the devices.
    func inherit(_ inheritance: Inheritance) {
        for worker in all {
            guard let reader = worker.reader, let identity = inheritance[worker.number].identity else { continue }
            reader.inherit(identity)
            recorder.record(reader.identity, of: worker.number)
        }
    }

    // MARK: Ends

    /// Stores the values that wait for their throttle, because there may be no later time.
    func flush() { for worker in all { worker.throttled.flush() } }

    /// Answers the users who wait for a device.
    func refuse(_ worker: DeviceWorker, _ failure: ReadingFailure) {
        worker.poller.writes.answer(.failure(failure))
        waiters.answer(.failure(failure)) { $0.wish.device == worker.number }
    }

    /// Answers the users who wait for any device.
    func refuseAll(_ failure: ReadingFailure) { for worker in all { refuse(worker, failure) } }

    /// Call this when all connections ended.
    func unbind() { for worker in all { worker.poller.unbind() } }
}
