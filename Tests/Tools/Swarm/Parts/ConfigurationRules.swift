import Blekeep
import BlekeepConfiguration
import RunLoop

/// S19 reconfigured: the poller follows each new configuration soon, and changes nothing else. Pure.
struct ConfigurationRules: Sendable {
    private var devices: [BluetoothAddress: Row] = [:]
    /// The last configuration: its time, and the devices that it had to leave alone.
    private var undisturbed: (moment: Uptime, devices: Set<BluetoothAddress>) = (.start, [])
    private var maxLinks = 0
    /// The number of devices that blekeep connects.
    private var connecting = 0
    /// The number of connections that the adapter holds.
    private let slots: Int
    /// Until when the poller may believe an adapter that said that it is full.
    private var fullUntil = Uptime.start
    /// Whether the next configuration is that of a new run.
    private var isStarting = true
    /// The devices with a read in progress that their removal or their change ended. Its value may come too late.
    private var orphans: Set<BluetoothAddress> = []

    private struct Row: Sendable {
        /// `nil` when it isn't configured.
        var device: DeviceConfiguration?
        /// When it joined, changed or left.
        var since: Uptime
        /// The intervals with their start times; `nil` is removed.
        var intervals: [(moment: Uptime, interval: Duration?)] = []
        var lastTick = 0
        /// Whether this run never had it, so that a connection of an earlier one isn't its.
        var isUnknown = false
    }

    /// The longest time until a new configuration has its effect.
    private static let grace: Duration = .milliseconds(100)
    /// The longest time to end the connection of a device that was removed.
    private static let release: Duration = .seconds(60)

    init(slots: Int = .max) { self.slots = slots }

    /// Takes a new configuration, of a running poller or a new one.
    ///
    /// - Parameter isReading: returns whether a read of a device is in progress.
    /// - Returns: the devices that joined, changed or left.
    mutating func apply(
        _ new: PollConfiguration, at now: Uptime, isReading: (BluetoothAddress) -> Bool = { _ in false }
    ) -> Set<BluetoothAddress> {
        let configured = Dictionary(new.devices.map { ($0.address, $0) }) { $1 }
        var touched: Set<BluetoothAddress> = []
        var isOnlyRemoval = maxLinks == new.maxLinks
        for address in Set(devices.keys).union(configured.keys).sorted() {
            let (old, device) = (devices[address]?.device, configured[address])
            if old == device { continue }
            touched.insert(address)
            if device != nil { isOnlyRemoval = false }
            if isReading(address) { orphans.insert(address) }
            var row = devices[address] ?? Row(since: now)
            if old == nil { row.lastTick = 0 }
            row.device = device
            row.since = now
            row.isUnknown = isStarting
            row.intervals.append((now, device.map { $0.interval ?? new.interval }))
            devices[address] = row
        }
        (maxLinks, isStarting) = (new.maxLinks, false)
        // When devices take turns, a connection may end at any time.
        connecting = new.devices.count { $0.mode != .passive }
        var calm = isOnlyRemoval && connecting <= min(slots, maxLinks) ? Set(configured.keys).subtracting(touched) : []
        // Several may come at once.
        if undisturbed.moment == now, now > .start { calm.formIntersection(undisturbed.devices) }
        undisturbed = (now, calm)
        return touched
    }

    /// Takes the start of another run, with the configuration of `apply`.
    mutating func newRun() {
        for (address, row) in devices {
            devices[address]?.lastTick = 0
            devices[address]?.isUnknown = row.device == nil
        }
        isStarting = true
        orphans = []
        undisturbed.devices = []
    }

    /// The intervals of a device with their start times.
    func intervals(of device: BluetoothAddress) -> [(moment: Uptime, interval: Duration?)] {
        devices[device]?.intervals ?? []
    }

    /// An adapter refused a connection because it holds enough. Devices take turns for a while.
    mutating func refusedAsFull(at now: Uptime) { fullUntil = now + .seconds(180) }

    /// The read of a device ended.
    ///
    /// - Returns: whether its value needn't be stored, because the device is another one now.
    mutating func readEnded(_ device: BluetoothAddress) -> Bool { orphans.remove(device) != nil }

    /// - Returns: the violation of an attempt to connect or to read.
    func flaw(of call: String, on address: BluetoothAddress, at now: Uptime) -> String? {
        guard let row = devices[address], now - row.since > Self.grace else { return nil }
        guard let device = row.device else { return "\(call) on \(address), which was removed \(now - row.since) ago" }
        return device.mode == .passive ? "\(call) on \(address), which is passive since \(row.since)" : nil
    }

    /// Whether a device joined, changed or left just now. Then the poller may end what it did with it.
    func isFresh(_ device: BluetoothAddress, at now: Uptime) -> Bool {
        devices[device].map { now - $0.since <= Self.grace } ?? false
    }

    /// - Parameter foreign: the number of other programs' connections, which take slots.
    /// - Returns: the violation of a Disconnect.
    func disconnects(_ device: BluetoothAddress, beside foreign: Int = 0, at now: Uptime) -> String? {
        undisturbed.moment == now && undisturbed.devices.contains(device) && connecting + foreign <= slots
            && now >= fullUntil
            ? "the connection of \(device) is ended as others are removed" : nil
    }

    /// - Parameters:
    ///   - links: the devices that the poller connected.
    ///   - start: the time before this doesn't count.
    /// - Returns: a violation for each connection that lasts after the removal of its device.
    func leftovers(among links: [BluetoothAddress], since start: Uptime, at now: Uptime) -> [String] {
        links.compactMap { link in
            guard let row = devices[link], row.device == nil, !row.isUnknown, now - max(row.since, start) > Self.release
            else { return nil }
            return "\(link) is still connected, and was removed at \(row.since)"
        }
    }

    /// - Returns: the violation of a stored reading.
    mutating func flaw(of reading: Reading) -> String? {
        let moment = Uptime.start + .milliseconds(reading.time)
        guard let row = devices[reading.address], moment - row.since > Self.grace else { return nil }
        guard let device = row.device else {
            return "\(reading.device) was removed at \(row.since), and was read at \(moment)"
        }
        if reading.device != device.name {
            return "\(device.name) is stored as \(reading.device) at \(moment)"
        }
        if reading.id != device.id { return "\(device.name) is stored as \(reading.id) at \(moment)" }
        if reading.tick == 0 { return nil }
        defer { devices[reading.address]?.lastTick = max(row.lastTick, reading.tick) }
        // A conversation that the next tick interrupted reports after it.
        return reading.tick < row.lastTick - 1
            ? "\(device.name) has tick \(reading.tick) after \(row.lastTick), and did not leave" : nil
    }
}
