/// The remedy for each name and text of an error that BlueZ 5.66 to 5.87 sends. For errors of the bus daemon, the name
/// decides alone. All other errors are taken as temporary.
///
/// Sources: BlueZ's `src/error.h`, `src/device.c`, `src/gatt-client.c`, `src/adapter.c`; measurements with 5.66.
enum RemedyTable {
    static func remedy(for name: String, _ message: String) -> Remedy {
        guard let entry = entries[name] else { return .retry }
        if let code = attCode(message), name == failed { return attErrors[code] ?? (code >= 0x80 ? .point : .retry) }
        return entry.texts[message] ?? entry.otherwise
    }

    /// Reads the code in `Operation failed with ATT error: 0x0e`; `nil` for other text.
    static func attCode(_ message: String) -> UInt16? {
        let digits = message.dropFirst(attPrefix.count)
        guard message.hasPrefix(attPrefix), (1...4).contains(digits.utf8.count) else { return nil }
        return digits.allSatisfy(\.isHexDigit) ? UInt16(digits, radix: 16) : nil
    }

    private static let attPrefix = "Operation failed with ATT error: 0x"
    private static let failed = "org.bluez.Error.Failed"

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

    /// The remedies for ATT errors of a peripheral (Core Specification, Vol 3, Part F, 3.4.1.1).
    static let attErrors: [UInt16: Remedy] = [
        0x01: .stale,  // invalid handle
        0x02: .unsupported,  // read not permitted
        0x03: .unsupported,  // write not permitted
        0x04: .point,  // invalid request
        0x05: .pairing,  // insufficient authentication
        0x06: .unsupported,  // request not supported
        0x07: .point,  // invalid offset
        0x08: .unsupported,  // insufficient authorization
        0x09: .point,  // prepare queue full
        0x0A: .point,  // attribute not found
        0x0B: .point,  // attribute not long
        0x0C: .pairing,  // encryption key too short
        0x0D: .point,  // invalid length
        0x0E: .point,  // unlikely error; also when the connection ends
        0x0F: .pairing,  // insufficient encryption
        0x10: .unsupported,  // unsupported group type
        0x11: .point,  // insufficient resources
        0x12: .relink,  // database out of sync
        0x13: .point,  // value not allowed
    ]
}
