import RunLoop

/// What is to be done next in a tick with a device. Points are named by their places among those that were found.
enum PollAction: Sendable, Equatable {
    /// Find the device's points.
    case bind
    case report(Report)
    /// Let the notifications of these through.
    case follow([Int])
    case subscribe(Int, mayNeedPairing: Bool)
    case read(Int, mayNeedPairing: Bool)
    /// Ask BlueZ what it has read of the battery itself.
    case readBattery
    /// Wait until a value comes by itself.
    case listen(until: Uptime)
    case end(PollResult)

    /// A read that failed, or could not be made.
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
