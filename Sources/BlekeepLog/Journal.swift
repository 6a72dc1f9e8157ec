import BlekeepOutputs
import BlekeepRecords
import Logging

/// journald's socket. Nothing waits for it: what it doesn't take now goes to standard error.
package struct Journal: Sendable {
    private let socket: DatagramSocket

    /// - Returns: `nil` for a path that is none, or too long.
    package init?(path: String) {
        guard let socket = DatagramSocket(path) else { return nil }
        self.socket = socket
    }

    /// The journal of this system.
    package static let system = Journal(path: "/run/systemd/journal/socket")

    /// - Returns: whether journald has the entry.
    func send(_ entry: JournalEntry) -> Bool { socket.send(entry.bytes) }

    /// Returns the entry of a line of the log.
    static func entry(_ priority: Int, message: String, metadata: Logger.Metadata) -> JournalEntry {
        var entry = JournalEntry()
        entry.add("MESSAGE", value: message)
        entry.add("PRIORITY", value: "\(priority)")
        entry.add("SYSLOG_IDENTIFIER", value: "blekeep")
        for key in LogKey.allCases {
            guard let value = metadata[key.rawValue].map({ "\($0)" }) else { continue }
            entry.add("BLEKEEP_\(key.rawValue.uppercased())", value: Untrusted(value).description)
            guard key == .event, let identifier = NoticeEvent(rawValue: value)?.messageID else { continue }
            entry.add("MESSAGE_ID", value: identifier)
        }
        return entry
    }
}

extension NoticeEvent {
    /// The event's entry in journald's catalog, `dbus/systemd/blekeep.catalog`; `nil` for one that the log doesn't name.
    package var messageID: String? {
        switch self {
        case .deviceLost: "6873927faef146f8ac4768b48906659b"
        case .deviceNeedsUser: "20645edfe5284f5b9df39fb7cedd9446"
        case .deviceBack: "12c7b182a1c942ceb7ea410759d6eaf8"
        case .historyFails: "3e484c82a4384f4798e5db279f28ad62"
        case .historyWorks: "f4fe82ffd7f644568b519265c89a3540"
        case .ruleFires: "bbaf42be84f54d4bb869d22b692a0143"
        case .ruleEnds: "a23321d07c8f40bca0372709c6451346"
        case .batteryLow, .batteryGood, .diskSlow, .diskWorks, .sinkFails, .sinkWorks, .adapterStuck, .adapterWorks,
            .ruleMissed:
            nil
        }
    }
}

/// A line of the log with fields, in the form of journald's native protocol.
///
/// Source: systemd's `docs/JOURNAL_NATIVE_PROTOCOL.md`.
struct JournalEntry: Equatable {
    private(set) var bytes: [UInt8] = []

    /// Adds a field.
    ///
    /// - Parameter name: capital letters, digits and `_`.
    mutating func add(_ name: String, value: String) {
        bytes += name.utf8
        let text = Array(value.utf8)
        if text.contains(UInt8(ascii: "\n")) {
            bytes.append(UInt8(ascii: "\n"))
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: UInt64(text.count) >> shift))
            }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += text
        bytes.append(UInt8(ascii: "\n"))
    }
}
