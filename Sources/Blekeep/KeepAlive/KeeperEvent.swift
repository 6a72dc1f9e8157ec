import DBus
import RunLoop

/// Something that happened.
enum Event: Sendable {
    /// Nothing but time.
    case time
    /// The bus is there, and BlueZ on it, and this is what it has: everything anew.
    case bluez([AdapterFacts], [DeviceID: DeviceFacts])
    /// BlueZ, or the bus with it, went away.
    case lost(Outage)
    /// A device's object changed, or went away.
    case device(DeviceID, DeviceFacts?)
    /// A device was heard on the air.
    case heard(DeviceID)
    /// BlueZ says why a link is about to be down.
    case ended(DeviceID, LinkEnd)
    /// A call to bluetoothd was answered, if only with an error, or not at all.
    case answered(Bool)
    /// bluetoothd was asked for a sign of life, and gave one or did not.
    case alive(Bool)
    /// A device that is listened to has said something.
    case broadcast(DeviceID, Hearing)
    /// StartDiscovery was answered.
    case discovering(ObjectPath, BusError?)
    /// StopDiscovery was answered.
    case discoveryEnded(ObjectPath)
    /// Connect was answered.
    case connected(DeviceID, link: Int, BusError?)
    /// A tick's reads are done.
    case polled(DeviceID, link: Int, PollResult)
    /// When a device has told something by itself last.
    case notified(DeviceID, at: Uptime)
    /// Calls without a reply have used up many of the connection's slots at the bus daemon.
    case pressure(ReplyPressure)
    /// What was done to BlueZ or its radio was answered.
    case recovered(RecoveryAnswer)
    /// What an earlier keeper has left could be read only now.
    case recalled(Inheritance)
    /// The machine's power is another.
    case power(PowerStatus)
    /// A person looks at what is read, or does no more.
    case attended(Bool)
    /// The machine is about to sleep: let everything go, and start nothing.
    case sleep(SleepCause)
    /// It has slept, or does not; in words.
    case awake(String)
    /// No more ticks: let everything go.
    case stop
}

/// What keeps every device from being polled.
enum Outage: Sendable, Hashable {
    case bus(String)
    case bluez
    /// bluetoothd is there and answers nothing.
    case hung
    /// We may not talk to bluetoothd; in the words of the bus daemon.
    case denied(String)
}

/// Something to do.
enum Effect: Sendable {
    case startDiscovery(ObjectPath)
    case stopDiscovery(ObjectPath)
    case connect(DeviceID, link: Int, ObjectPath, within: Duration)
    /// Sent, not waited for: it takes 2 s.
    case disconnect(DeviceID, ObjectPath)
    /// A poll under way is void: what it waits for is not waited for any more.
    case abandon(DeviceID, ObjectPath)
    /// Reads what is due, one after another.
    case poll(DeviceID, link: Int, ObjectPath, DueTick)
    /// A tick ended without a single read.
    case failed(DeviceID, tick: Int, ReadingFailure)
    /// No tick is under way any more: what was read is to be made safe.
    case settle
    /// Everything is let go, and what was read is safe.
    case flushed
    /// What BlueZ has is to be asked anew.
    case refresh
    /// The connection to the message bus is to be replaced.
    case renew
    /// Nobody owns BlueZ's name: ask the bus to start it.
    case activate
    /// Ask bluetoothd for a sign of life.
    case ask
    /// Other programs' links may have taken the adapter's slots: count them.
    case countExternalLinks
    /// Something to be done to BlueZ or its radio.
    case recover(Recovery)
    case notice(Notice)
    /// An attempt came to an end, and the device is judged to be this now.
    case attempt(DeviceID, Attempt, Verdict)
    /// An attempt that concerns every device came to an end.
    case commonAttempt(Attempt)
    /// A device's newest snapshot.
    case device(DeviceID, DeviceSnapshot)
    /// The newest snapshot of what stands above the devices.
    case machine(MachineSnapshot)
}

/// A device's tick that is under way.
struct DueTick: Sendable, Hashable {
    var number: Int
    var reason: TickReason
    var deadline: Uptime
    /// The intervals whose moment this is: a point is read when its interval is among them.
    var intervals: Set<Duration>
    var budget: Duration
    var skipped: Int
    /// Whether the link goes when the tick's work is done: what is subscribed to has to come before.
    var isAlone = false

    /// No tick, only the subscriptions of a link that is up.
    static func subscribing(at now: Uptime) -> DueTick {
        DueTick(number: 0, reason: .timer, deadline: now, intervals: [], budget: Timing.read, skipped: 0)
    }

    var isOnlySubscribing: Bool { intervals.isEmpty }
}

/// Something that a person should know, once.
struct Notice: Sendable, Hashable {
    enum Level: Sendable { case debug, notice, warning }
    var level: Level
    var device: DeviceID?
    var text: String
}
