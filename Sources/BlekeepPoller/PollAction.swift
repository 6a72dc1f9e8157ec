import RunLoop

/// The next action in a device's tick. Points are named by their index.
enum PollAction: Sendable, Equatable {
    /// Find the device's points.
    case bind
    case report(Report)
    /// Request the notifications of these points from the message bus.
    case follow([Int])
    /// Write the values that wait.
    case write
    case subscribe(Int, mayNeedPairing: Bool)
    case read(Int, mayNeedPairing: Bool)
    /// Take the battery level that BlueZ itself read.
    case readBattery
    /// Wait until the device sends a value by itself.
    case listen(until: Uptime)
    case end(PollResult)

    /// A read that failed, or that wasn't possible.
    struct Report: Sendable, Equatable {
        enum Subject: Sendable, Equatable {
            case point(Int)
            case missing(CharacteristicConfiguration)
            case device
        }

        let subject: Subject
        let failure: ReadingFailure
    }
}
