import Blekeep
import BlekeepSimulation
import BusBench
import Foundation
import RunLoop
import Testing

@testable import BlekeepCLI

@Suite struct WatchdogRuleTests {
    private func watch(_ environment: [String: String]) -> WatchdogRule? { WatchdogRule(environment, pid: 7) }

    @Test func watchesThisProcessAlone() {
        #expect(watch(["WATCHDOG_USEC": "90000000"])?.timeout == .seconds(90))
        #expect(watch(["WATCHDOG_USEC": "90000000", "WATCHDOG_PID": "7"])?.pause == .seconds(30))
        #expect(watch(["WATCHDOG_USEC": "90000000", "WATCHDOG_PID": "8"]) == nil)
        #expect(watch(["WATCHDOG_USEC": "x"]) == nil)
        #expect(watch(["WATCHDOG_USEC": "0"]) == nil)
        #expect(watch([:]) == nil)
    }

    @Test func feedsOnlyWhilePlansAreKept() throws {
        let rule = try #require(watch(["WATCHDOG_USEC": "90000000"]))
        #expect(rule.feeds(PollerLag(loop: .zero, store: .zero)))
        #expect(rule.feeds(PollerLag(loop: .seconds(29), store: .seconds(29))))
        #expect(!rule.feeds(PollerLag(loop: .seconds(30), store: .zero)))
        #expect(!rule.feeds(PollerLag(loop: .zero, store: .seconds(30))))
    }
}

@Suite struct ServiceLineTests {
    private func status(_ number: UInt64, _ state: DeviceCondition.State) -> DeviceStatus {
        DeviceStatus(
            address: BluetoothAddress(bits: number), name: "s\(number)",
            condition: DeviceCondition(state, failure: ReadingFailure(.notFound, "not heard")), since: 0)
    }

    @Test func countsTheDevicesOfEachState() {
        var line = ServiceLine()
        #expect(line.text == "0 devices")
        line.apply(LedgerChanges(statuses: [status(1, .good)]))
        #expect(line.text == "1 device: 1 good")
        line.apply(LedgerChanges(statuses: [status(2, .lost), status(3, .good)]))
        #expect(line.text == "3 devices: 2 good, 1 lost")
        line.apply(LedgerChanges(statuses: [status(2, .good)]))
        #expect(line.text == "3 devices: 3 good")
    }
}

@Suite struct ServiceReportsTests {
    @Test func aCommandWithoutSystemdReportsNothing() throws {
        let loop = try RunLoop()
        #expect(ServiceReports([:], on: loop) == nil)
        #expect(ServiceReports(["NOTIFY_SOCKET": "vsock:2:1"], on: loop) == nil)
    }

    @Test func feedsTheWatchdogWhileThePollerKeepsItsPlan() async throws {
        let receiver = DatagramReceiver()
        try await Bench.run(.virtual, .house) { bench, _ in
            let environment = ["NOTIFY_SOCKET": receiver.path, "WATCHDOG_USEC": "90000000"]
            let reports = try #require(ServiceReports(environment, on: bench.loop))
            var lag = PollerLag(loop: .zero, store: .zero)
            reports.ready { lag }
            #expect(receiver.nextText == "READY=1")
            #expect(receiver.nextText == "WATCHDOG=1")
            #expect(receiver.nextText == nil)
            try await bench.loop.sleep(until: bench.loop.now + .seconds(31))
            #expect(receiver.nextText == "WATCHDOG=1")
            lag.loop = .seconds(60)
            try await bench.loop.sleep(until: bench.loop.now + .seconds(90))
            #expect(receiver.nextText == nil)
            reports.note(LedgerChanges(), nil)
            reports.note(LedgerChanges(), nil)
            #expect(receiver.nextText == "STATUS=0 devices")
            #expect(receiver.nextText == nil)
            reports.stopping()
            #expect(receiver.nextText == "STOPPING=1")
            reports.end()
        }
    }
}
