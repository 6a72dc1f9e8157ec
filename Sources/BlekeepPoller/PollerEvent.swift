import DBus
internal import DequeModule
import RunLoop

/// An input of `PollerState`.
enum Event: Sendable {
    case time
    /// Something happened to a device.
    case device(DeviceNumber, DeviceEvent)
    /// BlueZ's adapters and configured devices are known, for the first time or again.
    case bluez([AdapterFacts], [DeviceNumber: [DeviceFacts]])
    /// BlueZ, or the bus with it, stopped.
    case lost(Outage)
    /// bluetoothd replied to a call, even with an error, or didn't.
    case answered(Bool)
    /// bluetoothd replied to a ping, or didn't.
    case alive(Bool)
    /// The reply to StartDiscovery, with the part of the filter that BlueZ refused.
    case discovering(ObjectPath, BusError?, refused: FilterRefusal? = nil)
    /// BlueZ says whether an adapter searches. `isAsked`: in reply to a query, so that no lost signal hides the truth.
    case searches(ObjectPath, Bool, isAsked: Bool = false)
    /// The reply to StopDiscovery.
    case discoveryEnded(ObjectPath)
    /// BlueZ listens to what its monitors want; with an error, it doesn't, or doesn't any more.
    case monitors(ObjectPath, BluetoothError?)
    /// Calls without a reply used up many of the connection's slots at the bus daemon.
    case pressure(ReplyPressure)
    /// The result of a recovery step.
    case recovered(RecoveryAnswer)
    /// The ledger of an earlier run could be read only now.
    case recalled(Inheritance)
    /// The machine's power changed.
    case power(PowerStatus)
    case configured(Reconfiguration)
    /// A user began or stopped watching.
    case watched(Bool)
    /// The machine is about to sleep: disconnect, and start nothing.
    case sleep(SleepCause)
    /// The machine is awake, with a message.
    case awake(String)
    /// The program ends: disconnect, and start nothing.
    case stop
}

/// What happened to a device.
enum DeviceEvent: Sendable {
    /// An object of the device was added, removed or changed: all that BlueZ has, one for each adapter that knows it.
    case reported([DeviceFacts])
    /// BlueZ heard the device.
    ///
    /// - Parameters:
    ///   - adapter: which one heard it; `nil` on a machine with a single one.
    ///   - rssi: how strongly, in dBm.
    case heard(with: ObjectPath? = nil, rssi: Int? = nil)
    /// The connection is about to end, for this reason.
    case ended(LinkEnd)
    /// The device sent an advertisement.
    case broadcast(Hearing, with: ObjectPath? = nil)
    /// The device sends only when something happens, or doesn't.
    case habit(isTriggered: Bool)
    /// The device's advertisements tell something for the log, which isn't the failure of a tick.
    case remark(ReadingFailure)
    case connected(link: Int, BusError?)
    /// A tick's reads ended.
    case polled(link: Int, PollResult)
    /// The device last sent a value by itself at this time.
    case notified(at: Uptime)
    /// A user gave a command.
    case command(DeviceCommand.Action)
}

/// An output of `PollerState`.
enum Effect: Sendable {
    case startDiscovery(ObjectPath)
    case stopDiscovery(ObjectPath)
    /// Ask BlueZ whether the adapter searches.
    case queryDiscovery(ObjectPath)
    /// Have BlueZ listen for the devices without asking them.
    case startMonitors(ObjectPath)
    case stopMonitors(ObjectPath)
    case connect(DeviceNumber, link: Int, ObjectPath, within: Duration)
    /// Disconnect, without waiting for the 2 s that it takes.
    case disconnect(DeviceNumber, link: Int, ObjectPath)
    /// Disconnect these devices, which aren't configured.
    case endLinks(to: [BluetoothAddress])
    /// End a poll now: its calls fail.
    case abandon(DeviceNumber, ObjectPath)
    /// Read the due characteristics, one after another. `isHeld`: whether the connection stays up afterwards.
    case poll(DeviceNumber, link: Int, ObjectPath, DueTick, isHeld: Bool)
    /// A tick ended before any read.
    case failed(DeviceNumber, tick: Int, ReadingFailure)
    /// A tick ended, with the failure of the tick or of a part of it.
    case tickEnded(DeviceNumber, tick: Int, ReadingFailure?)
    /// No tick is in progress: write readings to disk.
    case settle
    /// blekeep has disconnected, and written all readings to disk.
    case flushed
    /// Query BlueZ's objects again.
    case refresh
    /// Replace the connection to the message bus.
    case renew
    /// Ask the bus to start bluetoothd.
    case activate
    case ping
    /// Count the connections of other programs.
    case countExternalLinks
    case recover(Recovery)
    case notice(Notice)
    /// A part of the work for a device took this long.
    case timed(DeviceNumber, WorkTime)
    /// An attempt ended, and left the device in this condition.
    case attempt(DeviceNumber, Attempt, DeviceCondition)
    /// An attempt that concerns all devices ended.
    case commonAttempt(Attempt)
    /// A device's newest snapshot.
    case device(DeviceNumber, DeviceSnapshot)
    /// The newest snapshot of adapters, power and outages.
    case machine(MachineSnapshot)
}

extension DueTick {
    /// Returns a pseudo-tick that only renews the subscriptions of a connection.
    static func subscribing(at now: Uptime) -> DueTick {
        DueTick(number: 0, reason: .timer, deadline: now, intervals: [], budget: Timing.read, skipped: 0)
    }

    var isOnlySubscribing: Bool { intervals.isEmpty }
}

/// A line for the log.
struct Notice: Sendable, Hashable {
    enum Level: Sendable { case debug, notice, warning }
    var level: Level
    var device: DeviceNumber?
    var text: String
    /// What failed; `nil` when nothing did.
    var code: FailureCode?

    /// The most devices with a line each about the same event.
    static let maxDevices = 3
}

/// The queue of events for the poller's loop. It stays short, because each source has at most a few events in progress.
final class Inbox: @unchecked Sendable {
    // Used only on the loop's thread.
    private var events = Deque<Event>()
    private let gate: Gate

    init(_ loop: RunLoop) { gate = Gate(loop) }

    var count: Int { events.count }

    func post(_ event: Event) {
        events.append(event)
        gate.open()
    }

    /// Puts the end of a sleep first, because it happened before all other events except the beginning of the sleep.
    func postFirst(_ event: Event) {
        let begin = events.lastIndex { if case .sleep = $0 { true } else { false } }
        events.insert(event, at: begin.map { $0 + 1 } ?? 0)
        gate.open()
    }

    /// Returns the next event, or `.time` at the deadline.
    func next(until deadline: Uptime) async -> Event {
        if events.isEmpty { await gate.wait(until: deadline) }
        return events.popFirst() ?? .time
    }
}
