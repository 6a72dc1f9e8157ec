import DBus

/// What blekeep does about an error of BlueZ. `RemedyTable` has the remedy of each error.
package enum Remedy: String, Sendable, Hashable, CaseIterable {
    /// Try again soon, and then with growing pauses.
    case retry
    /// Another program ended the attempt, or uses the device. Try once more soon, and then pause for longer.
    case backOff = "back_off"
    /// Another program's attempt is in progress. Wait for its result.
    case watch
    /// Wait until a signal reports a change, because nothing else helps.
    case wait
    /// The device's object is gone. Search for the device again.
    case rediscover
    /// The requested state is already there. Continue.
    case adopt
    /// The connection ended or is unreliable. Disconnect and connect again.
    case relink
    /// This characteristic failed this time. Continue with the others.
    case point
    /// This characteristic never supports the request.
    case unsupported
    /// The device's services no longer match BlueZ's cache.
    case stale
    /// The characteristic needs pairing. Only the user can help.
    case pairing
    /// One side lost the keys of the pairing. Only the user can help.
    case rebond
    /// BlueZ tried classic Bluetooth. Ask for Low Energy.
    case bearer
    /// The adapter has no free slot for a connection.
    case slots
    /// The system forbids the request. Only the user can help.
    case denied
    /// The device or the adapter is blocked. Only the user can help.
    case blocked
    /// Too many requests at a time. Send fewer.
    case shed
}

extension Remedy {
    /// - Parameter error: the error of a call to BlueZ.
    package init(_ error: BusError) {
        switch error {
        case .remote(let name, let message): self = RemedyTable.remedy(for: name, message)
        case .timedOut: self = .relink
        case .disconnected, .unreachable, .forbidden: self = .wait
        case .vanished: self = .rediscover
        case .malformed: self = .point
        }
    }

    /// Whether only the user can help.
    package var needsUser: Bool {
        switch self {
        case .pairing, .rebond, .denied, .blocked: true
        case .retry, .backOff, .watch, .wait, .rediscover, .adopt, .relink, .point, .unsupported, .stale, .bearer,
            .slots,
            .shed:
            false
        }
    }
}

/// The remedy for each name and text of an error that BlueZ 5.66 to 5.87 sends. For errors of the bus daemon, the name
/// decides alone. All other errors are taken as temporary.
///
/// Sources: BlueZ's `src/error.h`, `src/device.c`, `src/gatt-client.c`, `src/adapter.c`; measurements with 5.66.
enum RemedyTable {
    static func remedy(for name: String, _ message: String) -> Remedy {
        guard let entry = entries[name] else { return .retry }
        return ATTError(name, message)?.remedy ?? entry.texts[message] ?? entry.otherwise
    }

    static let failed = "org.bluez.Error.Failed"

    struct Entry: Sendable {
        var texts: [String: Remedy] = [:]
        var otherwise: Remedy
    }

    static let entries: [String: Entry] = [
        failed: Entry(texts: failures, otherwise: .retry),
        "org.bluez.Error.InProgress": Entry(
            texts: [
                "In Progress": .watch, "Operation already in progress": .watch, "br-connection-busy": .watch,
            ], otherwise: .watch),
        "org.bluez.Error.NotReady": Entry(otherwise: .wait),
        "org.bluez.Error.NotPermitted": Entry(
            texts: [
                "Not paired": .pairing, "Read not permitted": .unsupported, "Write not permitted": .unsupported,
                "Notify acquired": .unsupported, "Write acquired": .unsupported,
            ], otherwise: .unsupported),
        "org.bluez.Error.NotAuthorized": Entry(otherwise: .unsupported),
        "org.bluez.Error.NotSupported": Entry(otherwise: .unsupported),
        "org.bluez.Error.InvalidArguments": Entry(otherwise: .unsupported),
        "org.bluez.Error.InvalidOffset": Entry(otherwise: .unsupported),
        "org.bluez.Error.InvalidValueLength": Entry(otherwise: .unsupported),
        "org.bluez.Error.ImproperlyConfigured": Entry(otherwise: .point),
        "org.bluez.Error.AlreadyConnected": Entry(otherwise: .adopt),
        "org.bluez.Error.AlreadyExists": Entry(otherwise: .adopt),
        "org.bluez.Error.NotConnected": Entry(otherwise: .relink),
        "org.bluez.Error.DoesNotExist": Entry(otherwise: .rediscover),
        "org.bluez.Error.NotAvailable": Entry(otherwise: .bearer),
        "org.bluez.Error.AuthenticationFailed": Entry(otherwise: .rebond),
        "org.bluez.Error.AuthenticationRejected": Entry(otherwise: .rebond),
        "org.bluez.Error.AuthenticationCanceled": Entry(otherwise: .retry),
        "org.bluez.Error.AuthenticationTimeout": Entry(otherwise: .retry),
        "org.bluez.Error.ConnectionAttemptFailed": Entry(otherwise: .retry),
        "org.bluez.Error.BREDR.ProfileUnavailable": Entry(otherwise: .bearer),
        "org.bluez.Error.AgentNotAvailable": Entry(otherwise: .pairing),
        "org.bluez.Error.Blocked": Entry(otherwise: .blocked),
        "org.bluez.Error.Busy": Entry(otherwise: .retry),

        "org.freedesktop.DBus.Error.UnknownObject": Entry(otherwise: .rediscover),
        "org.freedesktop.DBus.Error.UnknownMethod": Entry(otherwise: .rediscover),
        "org.freedesktop.DBus.Error.UnknownInterface": Entry(otherwise: .rediscover),
        "org.freedesktop.DBus.Error.NoReply": Entry(otherwise: .wait),
        "org.freedesktop.DBus.Error.Timeout": Entry(otherwise: .relink),
        "org.freedesktop.DBus.Error.TimedOut": Entry(otherwise: .relink),
        "org.freedesktop.DBus.Error.ServiceUnknown": Entry(otherwise: .wait),
        "org.freedesktop.DBus.Error.NameHasNoOwner": Entry(otherwise: .wait),
        "org.freedesktop.DBus.Error.Spawn.ChildExited": Entry(otherwise: .wait),
        "org.freedesktop.DBus.Error.Spawn.ChildSignaled": Entry(otherwise: .wait),
        "org.freedesktop.DBus.Error.Spawn.ExecFailed": Entry(otherwise: .wait),
        "org.freedesktop.DBus.Error.Spawn.Failed": Entry(otherwise: .wait),
        "org.freedesktop.DBus.Error.Spawn.ServiceNotFound": Entry(otherwise: .wait),
        "org.freedesktop.systemd1.NoSuchUnit": Entry(otherwise: .wait),
        "org.freedesktop.DBus.Error.Disconnected": Entry(otherwise: .wait),
        "org.freedesktop.DBus.Error.NoServer": Entry(otherwise: .wait),
        "org.freedesktop.DBus.Error.AccessDenied": Entry(otherwise: .denied),
        "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired": Entry(otherwise: .denied),
        "org.freedesktop.DBus.Error.AuthFailed": Entry(otherwise: .denied),
        "org.freedesktop.DBus.Error.LimitsExceeded": Entry(otherwise: .shed),
        "org.freedesktop.DBus.Error.NoMemory": Entry(otherwise: .shed),
    ]

    /// The texts of `org.bluez.Error.Failed`, the most frequent name.
    static let failures: [String: Remedy] = [
        // Low Energy connections.
        "le-connection-abort-by-local": .retry,
        "le-connection-abort-by-remote": .retry,
        "le-connection-refused": .retry,
        "le-connection-timeout": .retry,
        "le-connection-link-layer-protocol-error": .retry,
        "le-connection-gatt-browsing": .retry,
        "le-connection-create-socket": .retry,
        "le-connection-bad-socket": .retry,
        "le-connection-invalid-arguments": .retry,
        "le-connection-not-supported": .retry,
        "le-connection-unknown": .retry,
        "le-connection-canceled": .backOff,
        "le-connection-adapter-not-powered": .wait,
        "le-connection-already-connected": .adopt,
        "le-connection-concurrent-connection-limit": .slots,
        "le-connection-memory-allocation": .slots,
        "le-connection-busy": .slots,
        "le-connection-key-missing": .rebond,
        // Classic connections, of dual-mode devices. BlueZ uses some of these texts for Low Energy, too.
        "br-connection-canceled": .backOff,
        "br-connection-busy": .watch,
        "br-connection-already-connected": .adopt,
        "br-connection-adapter-not-powered": .wait,
        "br-connection-key-missing": .rebond,
        "br-connection-concurrent-connection-limit": .slots,
        "br-connection-memory-allocation": .slots,
        "br-connection-page-timeout": .bearer,
        "br-connection-profile-unavailable": .bearer,
        "br-connection-sdp-search": .bearer,
        "br-connection-create-socket": .bearer,
        "br-connection-invalid-argument": .bearer,
        "br-connection-not-supported": .bearer,
        "br-connection-bad-socket": .bearer,
        "br-connection-refused": .bearer,
        "br-connection-timeout": .bearer,
        "br-connection-aborted-by-remote": .bearer,
        "br-connection-aborted-by-local": .bearer,
        "br-connection-lmp-protocol-error": .bearer,
        "br-connection-unknown": .bearer,
        // Texts of the kernel.
        "Software caused connection abort": .retry,
        "Host is down": .retry,
        "Connection timed out": .retry,
        "Connection refused": .retry,
        "Connection reset by peer": .retry,
        "Input/output error": .retry,
        "Device or resource busy": .retry,
        "Operation already in progress": .watch,
        // A connection that ends or has ended.
        "Not connected": .relink,
        "Operation failed": .relink,
        "Failed to send read request": .relink,
        "Failed to initiate write": .relink,
        "Failed to subscribe": .relink,
        "Failed to register notify session": .relink,
        "No ATT transport": .relink,
        // Discovery and power.
        "No discovery started": .adopt,
        "Not Powered": .wait,
        "Powering down": .wait,
    ]
}
