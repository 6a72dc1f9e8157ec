import DBus
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

@Suite struct ReadFailureTests {
    /// Programs match on these: a code may be added, and never changes.
    @Test func codesAreStable() {
        #expect(
            FailureCode.allCases.map(\.rawValue) == [
                "no_bus", "no_bluez", "bluez_hung", "no_adapter", "adapter_off", "no_discovery",
                "no_filter", "power", "needs_user", "needs_pairing", "lost_keys", "crashes_bluez", "stale_cache",
                "no_permission", "not_found",
                "silent", "late", "connect", "services", "vanished", "dropped", "stale", "budget", "no_point",
                "no_field",
                "no_format", "nothing", "Timeout", "NoReply", "bad_length", "bad_format", "bad_version", "no_key",
                "bad_key",
                "replay", "not_encrypted", "no_answer", "bad_answer", "rest", "power_cycle", "restart", "replug",
                "refused",
                "recovered", "forget",
                "prefer_le", "new_counter", "no_new_links", "new_links", "no_air_time", "air_time",
            ])
    }

    @Test(arguments: FailureCode.allCases) func readsItsOwnNameBack(code: FailureCode) {
        #expect(OpenEnum(rawValue: code.rawValue) == .known(code))
    }

    @Test(arguments: ["", "UnknownObject", "needs-user", "Needs_User", "%", "\u{0}"])
    func keepsNamesThatItLacks(name: String) {
        let code = OpenEnum<FailureCode>(rawValue: name)
        #expect(code == .other(name))
        #expect(code.rawValue == name && code.known == nil && "\(code)" == name)
    }

    @Test func readFailuresHaveTheLastPartOfTheErrorsName() {
        #expect(ReadingFailure(read: .timedOut).code == .known(.timeout))
        #expect(
            ReadingFailure(read: .remote(name: "org.freedesktop.DBus.Error.NoReply", message: "")).code
                == .known(.noReply))
        #expect(
            ReadingFailure(read: .remote(name: "org.bluez.Error.Failed", message: "x")).code == .other("Failed"))
    }

    @Test(arguments: [
        ("0x0e", "the device replied with error 0x0e (unlikely error: a fault in the device, or the connection ended)"),
        ("0x81", "the device replied with error 0x81 (a code of the device's maker)"),
        ("0x7f", "the device replied with error 0x7f"),
        ("0xzz", "Operation failed with ATT error: 0xzz"),
    ])
    func namesTheErrorThatTheDeviceSent(code: String, message: String) {
        let error = BusError.remote(
            name: "org.bluez.Error.Failed", message: "Operation failed with ATT error: \(code)")
        #expect(ReadingFailure(read: error).message == message)
    }
}
