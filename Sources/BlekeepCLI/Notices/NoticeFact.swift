import Blekeep

/// How a device, a battery, the history, its disk, a sink or an adapter does now.
struct NoticeFact: Sendable, Equatable {
    enum Subject: Sendable, Hashable {
        case device(DeviceID)
        case battery(DeviceID)
        case history
        case disk
        case sink(String)
        case adapter(String)
        case rule(String, DeviceID)
        /// A rule that would have fired while nobody looked.
        case missed(String, DeviceID)

        /// The key in the file of notices.
        var key: String {
            switch self {
            case .device(let id): "device \(id)"
            case .battery(let id): "battery \(id)"
            case .history: "history"
            case .disk: "disk"
            case .sink(let name): "sink \(name)"
            case .adapter(let name): "adapter \(name)"
            case .rule(let name, let id): "rule \(name) \(id)"
            case .missed(let name, let id): "missed \(name) \(id)"
            }
        }

        /// The device that it is about; `nil` for the gateway.
        var device: DeviceID? {
            switch self {
            case .device(let id), .battery(let id), .rule(_, let id), .missed(_, let id): id
            case .history, .disk, .sink, .adapter: nil
            }
        }

        /// The initial state, for which no notice is sent.
        var usual: NoticeEvent {
            switch self {
            case .device: .deviceBack
            case .battery: .batteryGood
            case .history: .historyWorks
            case .disk: .diskWorks
            case .sink: .sinkWorks
            case .adapter: .adapterWorks
            case .rule, .missed: .ruleEnds
            }
        }

        /// How long it must be so until it is worth a notice, because it may pass by itself. A device is lost only after
        /// several attempts, and a disk that was slow an hour ago counts as slow.
        var patience: Duration {
            switch self {
            case .device, .battery, .disk, .rule, .missed: .zero
            case .history, .sink, .adapter: .seconds(60)
            }
        }
    }

    var subject: Subject
    var event: NoticeEvent
    var message: String
    /// The number of a rule's firing, so that one between two looks is news, too; the time of one that nobody saw; `nil` for
    /// other subjects.
    var firing: Int64?
    /// The event with the number of the firing: what is remembered.
    var state: String { firing.map { "\(event.rawValue) \($0)" } ?? event.rawValue }
    var rule: String? {
        switch subject {
        case .rule(let name, _), .missed(let name, _): name
        default: nil
        }
    }
    /// The device's name and address; `nil` for other subjects.
    var device: String?
    var address: BluetoothAddress?
}
