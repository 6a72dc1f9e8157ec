import Blekeep
import BlekeepOutputs
import Foundation
import Testing

@testable import BlekeepCLI

@Suite struct NoticeMemoryTests {
    private var memory = NoticeMemory()
    private var notice = NoticeConfiguration(command: ["/bin/true"])
    private let attic = BluetoothAddress(bits: 1)

    private func device(_ event: NoticeEvent) -> NoticeFact {
        NoticeFact(
            subject: .device(DeviceID(attic)), event: event, message: "no answer", device: "attic", address: attic)
    }

    private func sink(_ event: NoticeEvent) -> NoticeFact {
        NoticeFact(subject: .sink("mqtt"), event: event, message: "mqtt: refused")
    }

    private mutating func news(_ facts: [NoticeFact], at seconds: Int64, most: Int = 4) -> [NoticeEvent] {
        memory.news(facts, for: notice, most: most, at: seconds * 1000).map(\.event)
    }

    @Test mutating func saysEachChangeOnce() {
        notice.holdOff = .zero
        #expect(news([device(.deviceBack)], at: 1) == [])
        #expect(news([device(.deviceLost)], at: 2) == [.deviceLost])
        #expect(news([device(.deviceLost)], at: 3) == [])
        // It wasn't read, and isn't lost either.
        #expect(news([], at: 4) == [])
        #expect(news([device(.deviceBack)], at: 5) == [.deviceBack])
        #expect(news([device(.deviceBack)], at: 6) == [])
    }

    private func rule(_ event: NoticeEvent, _ firing: Int64) -> NoticeFact {
        NoticeFact(
            subject: .rule("warm", DeviceID(attic)), event: event, message: "", firing: firing, device: "attic",
            address: attic)
    }

    @Test mutating func aRuleThatWasOverBeforeTheLookIsNewsOnce() {
        notice.holdOff = .zero
        // What was before the first look is none.
        #expect(news([rule(.ruleEnds, 4)], at: 1) == [])
        #expect(news([rule(.ruleEnds, 5)], at: 2) == [.ruleEnds])
        #expect(news([rule(.ruleEnds, 5)], at: 3) == [])
        #expect(news([rule(.ruleFires, 6)], at: 4) == [.ruleFires])
        #expect(news([rule(.ruleFires, 6)], at: 5) == [])
        #expect(news([rule(.ruleEnds, 6)], at: 6) == [.ruleEnds])
    }

    @Test mutating func aRuleThatFiresAtTheFirstLookIsNews() {
        #expect(news([rule(.ruleFires, 1)], at: 1) == [.ruleFires])
    }

    @Test mutating func aNoticeMayBeForSomeRules() {
        notice.rules = ["frost"]
        #expect(news([rule(.ruleFires, 1), device(.deviceLost)], at: 1) == [.deviceLost])
    }

    @Test mutating func holdsOffAndThenSaysHowItIs() {
        #expect(news([device(.deviceLost)], at: 0) == [.deviceLost])
        #expect(news([device(.deviceLost)], at: 20) == [])
        #expect(news([device(.deviceNeedsUser)], at: 899) == [])
        #expect(news([device(.deviceNeedsUser)], at: 900) == [.deviceNeedsUser])
    }

    @Test mutating func saysAtOnceWhatIsOverAndHoldsOffWhatComesAfterThat() {
        #expect(news([rule(.ruleFires, 1)], at: 0) == [.ruleFires])
        #expect(news([rule(.ruleEnds, 1)], at: 10) == [.ruleEnds])
        // A rule that flaps.
        for firing: Int64 in 2...50 {
            #expect(news([rule(.ruleFires, firing)], at: 10 * firing) == [])
            #expect(news([rule(.ruleEnds, firing)], at: 10 * firing + 5) == [])
        }
        #expect(news([rule(.ruleFires, 51)], at: 910) == [.ruleFires])
    }

    @Test mutating func remindsOfTroubleThatLasts() {
        notice.remind = .seconds(7200)
        #expect(news([device(.deviceLost)], at: 0) == [.deviceLost])
        #expect(news([device(.deviceLost)], at: 7199) == [])
        #expect(news([device(.deviceLost)], at: 7200) == [.deviceLost])
        #expect(news([device(.deviceLost)], at: 7201) == [])
        #expect(news([device(.deviceBack)], at: 7300) == [.deviceBack])
        #expect(news([device(.deviceBack)], at: 90_000) == [])
    }

    @Test mutating func waitsWhetherAFailurePasses() {
        #expect(news([sink(.sinkFails)], at: 0) == [])
        #expect(news([sink(.sinkWorks)], at: 30) == [])
        #expect(news([sink(.sinkFails)], at: 40) == [])
        #expect(news([sink(.sinkFails)], at: 99) == [])
        #expect(news([sink(.sinkFails)], at: 100) == [.sinkFails])
    }

    @Test mutating func knowsAlsoWhatNobodyWantedToHear() {
        notice.events = [.deviceBack]
        notice.holdOff = .zero
        #expect(news([device(.deviceLost)], at: 1) == [])
        #expect(news([device(.deviceBack)], at: 2) == [.deviceBack])
    }

    @Test mutating func leavesTheRestForTheNextTime() {
        let facts = (0..<3).map {
            NoticeFact(subject: .device(DeviceID(BluetoothAddress(bits: $0))), event: .deviceLost, message: "")
        }
        #expect(news(facts, at: 1, most: 2).count == 2)
        #expect(news(facts, at: 2, most: 2).count == 1)
        #expect(news(facts, at: 3, most: 2).count == 0)
    }

    @Test mutating func aClockThatIsSetBackHoldsNothingOff() {
        #expect(news([device(.deviceLost)], at: 1_000_000) == [.deviceLost])
        #expect(news([device(.deviceBack)], at: 5) == [.deviceBack])
    }

    @Test mutating func survivesARestartAndForgetsOtherDevices() throws {
        _ = news([device(.deviceLost)], at: 0)
        let path = NSTemporaryDirectory() + "blekeep-\(UUID().uuidString.prefix(8))"
        let file = NoticeFile(history: path)
        defer { unlink(file.path) }
        #expect(file.read() == [:])
        try file.write(["x": memory])
        #expect(file.read() == ["x": memory])
        memory.keep(only: [DeviceID(attic)])
        #expect(news([device(.deviceLost)], at: 2000) == [])
        memory.keep(only: [])
        #expect(news([device(.deviceLost)], at: 2000) == [.deviceLost])
        try Data("{".utf8).write(to: URL(fileURLWithPath: file.path))
        #expect(file.read() == [:])
    }
}
