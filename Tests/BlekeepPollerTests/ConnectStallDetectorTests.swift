import DBus
import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

/// An adapter whose existing connections work, but that makes no new ones.
@Suite struct ConnectStallDetectorTests {
    private func moment(_ seconds: Double) -> Uptime { .start + .milliseconds(Int(seconds * 1000)) }

    @Test(arguments: [
        // Six attempts to two devices within two minutes and more.
        ([0, 1, 0, 1, 0, 1], 24.0, true),
        ([0, 1, 0, 1, 0, 1], 23, false),
        ([0, 1, 0, 1, 0], 60, false),
        // One device alone is a bad device.
        ([0, 0, 0, 0, 0, 0, 0, 0], 60, false),
    ])
    func reportsAStallOnlyWithEnoughEvidence(failures: [DeviceNumber], seconds: Double, isReported: Bool) {
        var links = ConnectStallDetector()
        var told: [ConnectStall] = []
        for (place, device) in failures.enumerated() {
            if let stall = links.failed(device, at: moment(Double(place) * seconds)) { told.append(stall) }
        }
        #expect(told.count == (isReported ? 1 : 0))
        guard isReported else { return }
        #expect(told == [ConnectStall(since: .start, attempts: 6, devices: 2)])
    }

    @Test func isReportedOnceAndAgainAtItsEnd() {
        var links = ConnectStallDetector()
        let told = (0..<100).compactMap { links.failed(DeviceNumber($0 % 3), at: moment(Double($0) * 10)) }
        #expect(told.count == 1)
        #expect(links.stall?.attempts == 100)
        let over = links.made()
        #expect(over == ConnectStall(since: .start, attempts: 100, devices: 3))
        let overAgain = links.made()
        #expect(overAgain == nil)
        let early = (0..<12).compactMap { links.failed(DeviceNumber($0 % 2), at: moment(2000 + Double($0) * 10)) }
        #expect(early.isEmpty)
    }

    @Test func anOutageResetsTheEvidenceButNotAReportedStall() {
        var links = ConnectStallDetector()
        for number in 0..<6 { _ = links.failed(DeviceNumber(number % 2), at: moment(Double(number) * 20)) }
        links.resetEvidence()
        let early = (6..<12).compactMap { links.failed(DeviceNumber($0 % 2), at: moment(Double($0) * 20)) }
        #expect(early.isEmpty)
        let told = links.failed(1, at: moment(260))
        #expect(told?.since == moment(120))
        links.resetEvidence()
        #expect(links.stall != nil)
        let over = links.made()
        #expect(over?.since == moment(120))
    }

    // MARK: In the poller

    /// Returns a poller with one held connection, and two devices that were read and lost their connections.
    private func scene() -> Scene {
        var poller = Scene(devices: 3)
        poller.send(.bluez([poller.adapter], Dictionary(uniqueKeysWithValues: (0..<3).map { ($0, poller.facts($0)) })))
        for id in 0..<3 {
            poller.finishConnect(id)
            poller.send(.device(id, .polled(link: poller.state.devices[id].link.number, PollResult(values: 1))))
        }
        for id in 1..<3 { poller.send(.device(id, .reported(poller.facts(id)))) }
        return poller
    }

    /// Makes every Connect fail for this many seconds, while the held connection is read.
    private func fail(_ poller: inout Scene, for seconds: Int, areHeard: Bool = true) {
        for _ in 0..<seconds {
            poller.advance(.seconds(1))
            for id in 0..<3 {
                if areHeard, id > 0 { poller.send(.device(id, .heard())) }
                let device = poller.state.devices[id]
                switch device.link.phase {
                case .connecting:
                    let refusal = BusError.remote(name: "org.bluez.Error.Failed", message: "Input/output error")
                    poller.send(.device(id, .connected(link: device.link.number, refusal)))
                case .polling: poller.send(.device(id, .polled(link: device.link.number, PollResult(values: 1))))
                default: break
                }
            }
        }
    }

    private func reports(of poller: Scene) -> [String] {
        poller.effects.compactMap {
            if case .commonAttempt(let attempt) = $0, attempt.phase == .recovery {
                attempt.failure?.message
            } else {
                nil
            }
        }
    }

    @Test func goodReadsOnLinksThatAreHeldAreNoProof() {
        var poller = scene()
        fail(&poller, for: 600)
        #expect(poller.state.devices[0].health.goodTicks > 10)
        #expect(reports(of: poller).count == 1)
        let words = reports(of: poller).first ?? ""
        #expect(words.hasPrefix("hci0 can't make new connections: "), "\(words)")
        #expect(words.contains("attempts to 2 nearby devices failed"))
        #expect(poller.state.stall(of: poller.adapter.path) != nil)
        #expect(!poller.effects.contains { if case .recover = $0 { true } else { false } })
        poller.send(.device(1, .reported(poller.facts(1, connected: true))))
        #expect(reports(of: poller).count == 2)
        #expect(reports(of: poller).last?.hasPrefix("hci0 makes new connections again, after ") == true)
        #expect(poller.state.stall(of: poller.adapter.path) == nil)
    }

    @Test func ignoresDevicesOutOfRange() {
        var poller = scene()
        poller.advance(.seconds(40))
        fail(&poller, for: 600, areHeard: false)
        #expect(reports(of: poller) == [])
    }

    @Test func ignoresDevicesThatWereNeverRead() {
        var poller = scene()
        poller.state.devices[1].contact.readAt = nil
        fail(&poller, for: 600)
        #expect(reports(of: poller) == [])
    }
}
