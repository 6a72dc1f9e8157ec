import Blekeep
import RunLoop
import Testing

@testable import BlekeepPoller
@testable import Swarming

/// The rules for the ledger, and for what sinks have.
@Suite struct RecordAccountTests {
    private let device = BluetoothAddress(bits: 1)

    private func entry(_ number: Int64) -> LedgerEntry {
        LedgerEntry(
            device: DeviceID(device), number: number, phase: .known(.read), failure: nil, remedy: nil, first: 0, last: 0
        )
    }

    @Test func theLogOfAttemptsHasNoHole() {
        var ledger = LedgerAccount()
        #expect(ledger.take(LedgerChanges(entries: [entry(1)]), nil).isEmpty)
        #expect(ledger.take(LedgerChanges(entries: [entry(1), entry(2)]), nil).isEmpty)
        #expect(ledger.take(LedgerChanges(entries: [entry(4)]), nil).count == 1)
    }

    @Test(arguments: [(DeviceStatus.Link.connecting, true), (.closing, true), (.foreign, false), (.released, false)])
    func aClaimIsAConnectionOfBlekeep(link: DeviceStatus.Link, isClaim: Bool) {
        var ledger = LedgerAccount()
        var status = DeviceStatus(address: device, name: "sensor", since: 0)
        status.link = link
        _ = ledger.take(LedgerChanges(statuses: [status]), nil)
        #expect(ledger.claims(device) == isClaim)
    }

    /// The ledger claims a connection that blekeep doesn't make.
    @Test(arguments: [false, true])
    func aDeviceThatComesBackIsNotWrongSinceItsRemoval(wasRemoved: Bool) {
        var ledger = LedgerAccount()
        var status = DeviceStatus(address: device, name: "sensor", since: 0)
        status.link = .connecting
        _ = ledger.take(LedgerChanges(statuses: [status]), nil)
        status.link = .released
        func flaws(_ devices: [DeviceStatus], at seconds: Int) -> Int {
            let shown = PollerStatus(devices: devices, adapters: [], power: .unknown)
            return ledger.flaws(of: shown, at: .start + .seconds(seconds)) { _ in .start }.count
        }
        #expect(flaws([status], at: 0) == 0)
        #expect(flaws(wasRemoved ? [] : [status], at: 100) == 0)
        #expect(flaws([status], at: 200) == (wasRemoved ? 0 : 1))
    }

    @Test func aFileGetsEachReadingOnceAndHearsOfGaps() {
        var sinks = SinkAccounts()
        #expect(sinks.write(1...3) == nil)
        #expect(sinks.write(3...4) != nil)
        #expect(sinks.skip(5...9, oldest: 10) == nil)
        #expect(sinks.skip(10...12, oldest: 12) != nil)
        #expect(sinks.write(14...14) != nil)
    }

    @Test func aServerHasWhatTheLedgerSays() {
        var sinks = SinkAccounts()
        var status = SinkStatus(name: "server")
        (status.position, status.confirmed) = (0, [])
        #expect(sinks.flaws(of: status, oldest: 1).isEmpty)
        sinks.take([1, 2, 5])
        (status.position, status.confirmed) = (2, [5...5])
        #expect(sinks.flaws(of: status, oldest: 1).isEmpty)
        status.position = 4
        #expect(sinks.flaws(of: status, oldest: 1).count == 1)
        // Each flaw is told once.
        #expect(sinks.flaws(of: status, oldest: 1).isEmpty)
        // What the store no longer holds is lost, and not claimed in error.
        status.position = 8
        #expect(sinks.flaws(of: status, oldest: 9).isEmpty)
    }
}
