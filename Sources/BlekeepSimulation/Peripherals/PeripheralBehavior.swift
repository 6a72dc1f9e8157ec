/// The current behavior of a peripheral. The default has no fault.
public struct PeripheralBehavior: Sendable, Hashable {
    /// The result of an attempt to connect while the peripheral is in range.
    public enum Connecting: Sendable, Hashable {
        case well
        /// The peripheral never accepts. The kernel gives up after 4 s, and BlueZ doesn't reply.
        case deaf
        /// Nothing happens, and Connect gets no reply.
        case hanging
        /// The connection comes up, but Connect gets no reply.
        case unanswered
        /// The connection comes up and BlueZ replies, but never reports that the device is connected.
        case untold
        /// BlueZ replies to Connect without a connection.
        case hollow
        /// BlueZ replies with `org.bluez.Error.Failed` and this text.
        case failing(String)
    }

    /// The result of a read.
    public enum Reading: Sendable, Hashable {
        case well
        /// No reply. After 29 s, the connection ends.
        case mute
        /// The ATT error with this code.
        case error(UInt8)
    }

    /// The result of an attempt to pair.
    public enum Pairing: Sendable, Hashable {
        case well
        case rejecting
        /// No reply. Both sides give up after 30 s.
        case mute
        /// The connection ends during pairing.
        case dropping
    }

    /// When BlueZ exports the objects of services that it reports as resolved.
    public enum Exporting: Sendable, Hashable {
        case well
        case late(Duration)
        /// Not on this connection. The next one has them when this ends.
        case never
    }

    /// Alternating times in range and out of range.
    public struct Nap: Sendable, Hashable {
        public var there: Duration
        public var away: Duration

        public init(there: Duration, away: Duration) {
            self.there = there
            self.away = away
        }
    }

    /// What happens to the answers to written values.
    public struct Answering: Sendable, Hashable {
        public enum Fault: Sendable, Hashable {
            case lost, twice
            case late(Duration)
            /// A bit of the last piece is another one.
            case damaged
        }

        public var fault: Fault
        /// Which answers: every second one for 2.
        public var every: Int

        public init(_ fault: Fault, every: Int = 1) {
            self.fault = fault
            self.every = max(1, every)
        }
    }

    public var isInRange = true
    /// Whether its advertisements come without its name. BlueZ keeps the name that it has.
    public var hidesName = false
    public var connecting = Connecting.well
    public var reading = Reading.well
    public var pairing = Pairing.well
    /// `nil` when all answers to written values are good.
    public var answering: Answering?
    /// The time to answer one request.
    public var latency = Duration.milliseconds(20)
    /// The time after which the peripheral ends a connection; `nil` if it never does.
    public var dropsAfter: Duration?
    public var nap: Nap?
    /// Whether BlueZ can resolve its services.
    public var resolves = true
    public var exporting = Exporting.well
    /// How long after the services BlueZ has the battery level that it reads itself.
    public var batteryDelay = Duration.zero
    /// Whether the services of new connections never get resolved. Such a connection stays so even when this becomes `false`.
    public var strands = false
    /// Whether BlueZ reports the current connection as up forever, although nothing comes through it.
    public var isZombie = false

    public init() {}
}
