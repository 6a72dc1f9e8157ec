import RunLoop

/// A command to the running poller, about one device: of a user, or of what decides between gateways.
package struct DeviceCommand: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        /// Read the device now. Its later ticks don't move.
        case poll
        case pause(PauseLength)
        case resume
        /// Write a characteristic that the configuration allows to write, and read the device.
        case write(WriteRequest)
        /// Leave the device to another gateway, and listen to it.
        ///
        /// - Parameter atLinkEnd: whether a connection goes on until it ends by itself.
        case standBy(because: String, atLinkEnd: Bool)
        /// Read the device, because no other gateway does.
        case takeOver(because: String)

        package enum Answer: Sendable, Hashable { case whenRead, whenStored, atOnce }

        /// When who gave the command gets the answer.
        package var answer: Answer {
            switch self {
            case .poll, .write: .whenRead
            case .pause, .resume: .whenStored
            case .standBy, .takeOver: .atOnce
            }
        }
    }

    package var device: DeviceID
    package var action: Action

    package init(_ action: Action, _ device: DeviceID) { (self.device, self.action) = (device, action) }
}

/// A value for a characteristic.
package struct WriteRequest: Sendable, Hashable {
    /// `nil` for the first service with the characteristic.
    package var service: BluetoothUUID?
    package var characteristic: BluetoothUUID
    /// The number among the same characteristics, from 1.
    package var instance: Int
    package var value: ValueText

    package init(service: BluetoothUUID? = nil, characteristic: BluetoothUUID, instance: Int = 1, value: ValueText) {
        self.service = service
        self.characteristic = characteristic
        self.instance = instance
        self.value = value
    }

    /// Whether both name the same characteristic.
    package func hasTarget(of other: WriteRequest) -> Bool {
        service == other.service && characteristic == other.characteristic && instance == other.instance
    }
}

extension DeviceConfiguration {
    package func allows(_ request: WriteRequest) -> Bool {
        mode != .passive
            && characteristics.contains {
                $0.isWritable && $0.characteristic == request.characteristic
                    && ($0.service == nil || request.service == nil || $0.service == request.service)
            }
    }
}

/// A pause of a device that a user asked for.
package enum UserPause: Sendable, Hashable {
    case untilResumed
    /// Milliseconds since 1970.
    case until(Int64)

    /// The longest pause with an end.
    package static let longest: Duration = .seconds(366 * 86_400)

    /// Returns how long it lasts from this time on: zero when it is over.
    package func length(from time: Int64) -> PauseLength {
        switch self {
        case .untilResumed: .untilResumed
        // Neither time is negative, so that the difference can't overflow.
        case .until(let end): .time(min(Self.longest, .milliseconds(max(0, max(0, end) - max(0, time)))))
        }
    }

    /// Whether both end at about the same time. The ends of one pause differ when the time of day drifts.
    func isLike(_ other: UserPause) -> Bool {
        guard case .until(let end) = self, case .until(let otherEnd) = other else { return self == other }
        return end.subtractingReportingOverflow(otherEnd).partialValue.magnitude < 2000
    }
}

/// How long to pause a device.
package enum PauseLength: Sendable, Hashable {
    case untilResumed
    case time(Duration)

    package func end(from now: Uptime) -> Uptime {
        switch self {
        case .untilResumed: .never
        case .time(let length): now + length
        }
    }
}

/// Limits how many commands a source may give, and how many events a device may send: some at once, and then one a second.
/// Pure.
package struct CommandBudget: Sendable {
    package static let maxCommands = 20
    private static let pause: Duration = .seconds(1)
    /// When the budget is full again.
    private var full = Uptime.start

    package init() {}

    /// - Returns: whether there is room for one more.
    package mutating func spend(at now: Uptime) -> Bool {
        let from = max(full, now)
        guard from - now <= Self.pause * (Self.maxCommands - 1) else { return false }
        full = from + Self.pause
        return true
    }
}
