import DBus
import Testing

@testable import BlekeepBluetooth

@Suite struct RemedyTests {
    /// Every pair of error and text from field reports and BlueZ's sources, with its remedy.
    @Test(arguments: [
        ("org.bluez.Error.Failed", "le-connection-abort-by-local", Remedy.retry),
        ("org.bluez.Error.Failed", "Software caused connection abort", .retry),
        ("org.bluez.Error.Failed", "Host is down", .retry),
        ("org.bluez.Error.Failed", "Connection timed out", .retry),
        ("org.bluez.Error.Failed", "Input/output error", .retry),
        ("org.bluez.Error.Failed", "Operation already in progress", .watch),
        ("org.bluez.Error.Failed", "br-connection-canceled", .backOff),
        ("org.bluez.Error.Failed", "br-connection-key-missing", .rebond),
        ("org.bluez.Error.Failed", "le-connection-key-missing", .rebond),
        ("org.bluez.Error.Failed", "br-connection-page-timeout", .bearer),
        ("org.bluez.Error.Failed", "br-connection-unknown", .bearer),
        ("org.bluez.Error.Failed", "br-connection-sdp-search", .bearer),
        ("org.bluez.Error.Failed", "br-connection-create-socket", .bearer),
        ("org.bluez.Error.Failed", "le-connection-gatt-browsing", .retry),
        ("org.bluez.Error.Failed", "le-connection-concurrent-connection-limit", .slots),
        ("org.bluez.Error.Failed", "le-connection-memory-allocation", .slots),
        ("org.bluez.Error.Failed", "le-connection-busy", .slots),
        ("org.bluez.Error.Failed", "le-connection-refused", .retry),
        ("org.bluez.Error.Failed", "le-connection-timeout", .retry),
        ("org.bluez.Error.Failed", "le-connection-not-supported", .retry),
        ("org.bluez.Error.Failed", "le-connection-link-layer-protocol-error", .retry),
        ("org.bluez.Error.Failed", "le-connection-abort-by-remote", .retry),
        ("org.bluez.Error.Failed", "Not connected", .relink),
        ("org.bluez.Error.Failed", "Operation failed", .relink),
        ("org.bluez.Error.Failed", "Failed to send read request", .relink),
        ("org.bluez.Error.Failed", "Failed to initiate write", .relink),
        ("org.bluez.Error.Failed", "Failed to subscribe", .relink),
        ("org.bluez.Error.Failed", "No ATT transport", .relink),
        ("org.bluez.Error.Failed", "No discovery started", .adopt),
        ("org.bluez.Error.Failed", "Powering down", .wait),
        ("org.bluez.Error.Failed", "Not Powered", .wait),
        ("org.bluez.Error.InProgress", "In Progress", .watch),
        ("org.bluez.Error.InProgress", "Operation already in progress", .watch),
        ("org.bluez.Error.InProgress", "br-connection-busy", .watch),
        ("org.bluez.Error.NotReady", "Resource Not Ready", .wait),
        ("org.bluez.Error.NotReady", "br-connection-adapter-not-powered", .wait),
        ("org.bluez.Error.NotPermitted", "Read not permitted", .unsupported),
        ("org.bluez.Error.NotPermitted", "Write not permitted", .unsupported),
        ("org.bluez.Error.NotPermitted", "Not paired", .pairing),
        ("org.bluez.Error.NotPermitted", "Notify acquired", .unsupported),
        ("org.bluez.Error.NotPermitted", "Write acquired", .unsupported),
        ("org.bluez.Error.NotAuthorized", "Operation Not Authorized", .unsupported),
        ("org.bluez.Error.NotSupported", "Operation is not supported", .unsupported),
        ("org.bluez.Error.InvalidArguments", "Invalid offset", .unsupported),
        ("org.bluez.Error.InvalidArguments", "Invalid Length", .unsupported),
        ("org.bluez.Error.InvalidArguments", "Invalid arguments in method call", .unsupported),
        ("org.bluez.Error.InvalidOffset", "Invalid offset", .unsupported),
        ("org.bluez.Error.InvalidValueLength", "Invalid length", .unsupported),
        ("org.bluez.Error.AlreadyConnected", "Already Connected", .adopt),
        ("org.bluez.Error.AlreadyExists", "Already Exists", .adopt),
        ("org.bluez.Error.NotConnected", "Not Connected", .relink),
        ("org.bluez.Error.DoesNotExist", "Does Not Exist", .rediscover),
        ("org.bluez.Error.AuthenticationFailed", "Authentication Failed", .rebond),
        ("org.bluez.Error.AuthenticationRejected", "Authentication Rejected", .rebond),
        ("org.bluez.Error.AuthenticationCanceled", "Authentication Canceled", .retry),
        ("org.bluez.Error.AuthenticationTimeout", "Authentication Timeout", .retry),
        ("org.bluez.Error.ConnectionAttemptFailed", "Page Timeout", .retry),
        ("org.bluez.Error.BREDR.ProfileUnavailable", "No more profiles to connect to", .bearer),
        ("org.bluez.Error.AgentNotAvailable", "", .pairing),
        ("org.bluez.Error.Blocked", "rfkill", .blocked),
        ("org.bluez.Error.Busy", "", .retry),
        ("org.freedesktop.systemd1.NoSuchUnit", "", .wait),
        ("com.example.Nobody.Knows", "this", .retry),
    ])
    func everyAnswerAsksForSomething(name: String, message: String, remedy: Remedy) {
        #expect(Remedy(.remote(name: name, message: message)) == remedy)
    }

    /// Two bus daemons say the same in different words.
    @Test(arguments: [
        ("UnknownObject", Remedy.rediscover), ("UnknownMethod", .rediscover), ("UnknownInterface", .rediscover),
        ("NoReply", .wait), ("Timeout", .relink), ("TimedOut", .relink), ("ServiceUnknown", .wait),
        ("NameHasNoOwner", .wait), ("Spawn.ChildExited", .wait), ("Spawn.ServiceNotFound", .wait),
        ("Disconnected", .wait), ("AccessDenied", .denied), ("InteractiveAuthorizationRequired", .denied),
        ("AuthFailed", .denied), ("LimitsExceeded", .shed), ("InvalidArgs", .retry), ("InvalidSignature", .retry),
    ])
    func ofTheBusDaemonsErrorsOnlyTheNameCounts(name: String, remedy: Remedy) {
        for message in ["", "Not connected", "anything at all", "Operation failed with ATT error: 0x05"] {
            #expect(Remedy(.remote(name: "org.freedesktop.DBus.Error.\(name)", message: message)) == remedy)
        }
    }

    /// The bus daemon writes for people who know D-Bus. What BlueZ says itself is shown.
    @Test func noErrorShowsTheWordsOfTheBus() {
        let raw = #"Rejected send message, 2 matched rules; type="method_call", destination="org.bluez""#
        let standard = "org.freedesktop.DBus.Error."
        let more = [
            "Failed", "IOError", "BadAddress", "InvalidArgs", "MatchRuleInvalid", "SELinuxSecurityContextUnknown",
        ]
        for name in RemedyTable.entries.keys + more.map({ standard + $0 }) {
            let isOfBus = name.hasPrefix(standard)
            let error = BusError.remote(name: name, message: isOfBus ? raw : "said")
            for text in [
                error.description, BluetoothError(error, "reading 2a19").description,
                PairingError(error, refusal: nil, passkeyGiven: false).description,
            ] { #expect(!text.contains("org.") && !text.contains("Rejected"), "\(name): \(text)") }
            #expect(error.detail == (isOfBus ? "\(name): \(raw)" : "\(name): said"))
            #expect(isOfBus || error.description == "said")
            #expect(BusError.remote(name: name, message: "").description != "")
            guard Remedy(error) == .denied else { continue }
            #expect(BluetoothError(error, "reading 2a19") == .denied)
        }
    }

    @Test func everyATTErrorAsksForSomething() {
        let expected: [ClosedRange<UInt16>: Remedy] = [
            0x01...0x01: .stale, 0x02...0x03: .unsupported, 0x04...0x04: .point, 0x05...0x05: .pairing,
            0x06...0x06: .unsupported, 0x07...0x07: .point, 0x08...0x08: .unsupported, 0x09...0x0B: .point,
            0x0C...0x0C: .pairing, 0x0D...0x0E: .point,
            0x0F...0x0F: .pairing, 0x10...0x10: .unsupported, 0x11...0x11: .point, 0x12...0x12: .relink,
            0x13...0x13: .point, 0x14...0x7F: .retry, 0x80...0xFF: .point,
        ]
        for code in UInt16(1)...255 {
            let digits = String(hex: code, width: 2)
            let error = BusError.remote(
                name: "org.bluez.Error.Failed", message: "Operation failed with ATT error: 0x\(digits)")
            #expect(Remedy(error) == expected.first { $0.key.contains(code) }?.value, "0x\(digits)")
        }
    }

    @Test(arguments: ["", "0x", "0xzz", "0x12345", "0x-1", "0x+5", "0x0e and more"])
    func aCodeThatIsNoneIsTakenAsPassing(tail: String) {
        let error = BusError.remote(name: "org.bluez.Error.Failed", message: "Operation failed with ATT error: \(tail)")
        #expect(Remedy(error) == .retry)
    }

    @Test func ourOwnErrorsDoToo() {
        #expect(Remedy(.timedOut) == .relink)
        #expect(Remedy(.disconnected) == .wait)
        #expect(Remedy(.unreachable("")) == .wait)
        #expect(Remedy(.vanished) == .rediscover)
        #expect(Remedy(.malformed("")) == .point)
    }
}
