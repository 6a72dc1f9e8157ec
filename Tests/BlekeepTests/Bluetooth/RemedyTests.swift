import DBus
import Testing

@testable import Blekeep

@Suite struct RemedyTests {
    @Test(arguments: [
        ("org.bluez.Error.Failed", "le-connection-abort-by-local", Remedy.retry),
        ("org.bluez.Error.Failed", "Operation already in progress", .backOff),
        ("org.bluez.Error.Failed", "Input/output error", .retry),
        ("org.bluez.Error.Failed", "br-connection-canceled", .backOff),
        ("org.bluez.Error.Failed", "Not connected", .relink),
        ("org.bluez.Error.Failed", "Operation failed", .relink),
        ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e", .relink),
        ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x05", .pairing),
        ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x80", .point),
        ("org.bluez.Error.Failed", "No discovery started", .adopt),
        ("org.bluez.Error.InProgress", "In Progress", .backOff),
        ("org.bluez.Error.NotReady", "Resource Not Ready", .wait),
        ("org.bluez.Error.NotPermitted", "Read not permitted", .point),
        ("org.bluez.Error.NotPermitted", "Not paired", .pairing),
        ("org.bluez.Error.NotPermitted", "Notify acquired", .point),
        ("org.bluez.Error.AlreadyConnected", "", .adopt),
        ("org.bluez.Error.DoesNotExist", "Does Not Exist", .rediscover),
        ("org.freedesktop.DBus.Error.UnknownObject", "anything at all", .rediscover),
        ("org.freedesktop.DBus.Error.UnknownMethod", "anything at all", .rediscover),
        ("org.freedesktop.DBus.Error.NoReply", "anything at all", .wait),
        ("org.freedesktop.DBus.Error.ServiceUnknown", "anything at all", .wait),
        ("com.example.Nobody.Knows", "this", .retry),
    ])
    func everyErrorAsksForSomething(name: String, message: String, remedy: Remedy) {
        #expect(Remedy(.remote(name: name, message: message)) == remedy)
    }

    @Test func ourOwnErrorsDoToo() {
        #expect(Remedy(.timedOut) == .relink)
        #expect(Remedy(.disconnected) == .wait)
        #expect(Remedy(.vanished) == .rediscover)
        #expect(Remedy(.malformed("")) == .point)
    }
}
