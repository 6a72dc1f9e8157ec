import Blekeep
import Foundation
import Logging
import Testing

@testable import BlekeepCLI
@testable import BlekeepLog

@Suite struct JournalTests {
    private func log(_ journal: Journal?, _ lines: Lines) -> Logger {
        Logger(label: "test") { _ in
            StandardErrorLog(level: .info, isJournal: true, journal: journal, budget: .init(), write: lines.add)
        }
    }

    @Test func aLineHasItsDeviceAndItsEntryInTheCatalog() throws {
        let receiver = DatagramReceiver()
        let lines = Lines()
        log(Journal(path: receiver.path), lines).warning(
            "attic: out of range",
            metadata: ["device": "attic", "address": "F0:00:00:00:00:01", "event": "device_lost"])
        let entry = try #require(receiver.nextText)
        #expect(
            entry == """
                MESSAGE=attic: out of range
                PRIORITY=4
                SYSLOG_IDENTIFIER=blekeep
                BLEKEEP_DEVICE=attic
                BLEKEEP_ADDRESS=F0:00:00:00:00:01
                BLEKEEP_EVENT=device_lost
                MESSAGE_ID=6873927faef146f8ac4768b48906659b

                """)
        #expect(lines.all.isEmpty)
    }

    @Test func aLineAboutAFailureHasItsCodeAndTheCommandThatHelps() throws {
        let receiver = DatagramReceiver()
        log(Journal(path: receiver.path), Lines()).warning(
            "attic: reading failed: the device must be paired",
            metadata: .device("attic", address: BluetoothAddress(bits: 1), code: .known(.needsPairing)))
        let entry = try #require(receiver.nextText)
        let command = "run 'blekeep pair 00:00:00:00:00:01'"
        #expect(entry.hasPrefix("MESSAGE=attic: reading failed: the device must be paired; \(command)\n"))
        #expect(entry.hasSuffix("\nBLEKEEP_CODE=needs_pairing\n"))
    }

    @Test func aNameCannotAddFields() throws {
        let receiver = DatagramReceiver()
        log(Journal(path: receiver.path), Lines()).warning(
            "attic\nPRIORITY=0: out of range", metadata: ["device": "attic\nMESSAGE_ID=0"])
        let entry = try #require(receiver.nextText)
        let fields = entry.split(separator: "\n").map { $0.prefix { $0 != "=" } }
        #expect(fields == ["MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "BLEKEEP_DEVICE"])
    }

    /// Source: the protocol's example of a value with line feeds.
    @Test func aValueWithLineFeedsHasItsLength() {
        var entry = JournalEntry()
        entry.add("MESSAGE", value: "a\nb")
        #expect(entry.bytes == Array("MESSAGE\n".utf8) + [3, 0, 0, 0, 0, 0, 0, 0] + Array("a\nb\n".utf8))
    }

    @Test func withoutRoomOrWithoutJournaldTheLineGoesToStandardError() {
        let receiver = DatagramReceiver()
        let lines = Lines()
        let full = log(Journal(path: receiver.path), lines)
        // The kernel queues some messages, and refuses those that follow.
        for number in 0..<300 { full.warning("line \(number)") }
        #expect(lines.all.contains("<4>line 299"))
        let missing = Lines()
        log(Journal(path: "/nonexistent/socket"), missing).warning("line")
        #expect(missing.all == ["<4>line"])
    }

    @Test func everyEventHasAnIdentifierOfItsOwn() {
        let identifiers = NoticeEvent.allCases.compactMap(\.messageID)
        #expect(Set(identifiers).count == identifiers.count)
        let wellFormed = identifiers.filter { $0.count == 32 && $0.allSatisfy(\.isHexDigit) }
        #expect(wellFormed == identifiers)
    }
}
