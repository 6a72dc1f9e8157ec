import BlekeepRecords
import Testing

@testable import BlekeepOutputs

@Suite struct AdviceTests {
    @Test(
        arguments: [
            (.needsPairing, "run 'blekeep pair 00:00:00:00:00:01'"),
            (.lostKeys, "run 'blekeep forget 00:00:00:00:00:01', then 'blekeep pair 00:00:00:00:00:01'"),
            (.crashesBluez, "run 'blekeep forget 00:00:00:00:00:01', then 'blekeep pair 00:00:00:00:00:01'"),
            (.staleCache, "run 'blekeep forget 00:00:00:00:00:01 --cache'"),
            (.nothing, "'blekeep gatt 00:00:00:00:00:01' lists what the device has"),
            (.noFormat, "'blekeep scan' shows what it advertises"),
            (.noPermission, "run 'blekeep doctor'"), (.noDiscovery, "run 'blekeep doctor'"),
            (.needsUser, nil), (.connect, nil),
        ] as [(FailureCode, String?)]) func commands(code: FailureCode, command: String?)
    {
        let attic = BluetoothAddress(bits: 1)
        #expect(Advice.command(code, of: "\(attic)") == command)
        let text = Advice.message(ReadingFailure(code, "it failed"), of: attic)
        #expect(text == (command.map { "it failed: \($0)" } ?? "it failed"))
    }

    @Test func aFailureOfAllDevicesHasNoCommandForOne() {
        #expect(Advice.message(ReadingFailure(.noPermission, "no permission")) == "no permission: run 'blekeep doctor'")
        #expect(Advice.message(ReadingFailure(.needsPairing, "")) == "needs_pairing")
    }

    @Test func namesTheDeviceAndOnlyHelpfulCommands() {
        let lost = ReadingFailure(.services, "")
        #expect(Advice.sentence(lost, remedy: .retry, of: "attic").contains("blekeep gatt attic"))
        let pairing = ReadingFailure(.needsPairing, "the device must be paired")
        #expect(
            Advice.sentence(pairing, remedy: nil, of: "attic") == "The device must be paired: run 'blekeep pair attic'."
        )
        #expect(Advice.sentence(nil, remedy: nil, of: "attic") == "There is nothing to do.")
        #expect(
            Advice.sentence(ReadingFailure(code: .other("new"), message: ""), remedy: nil, of: "attic").contains(
                "keeps trying"))
    }

    @Test(arguments: FailureCode.allCases) func fitsEveryCode(code: FailureCode) {
        let text = Advice.sentence(ReadingFailure(code, "run 'x'"), remedy: nil, of: "attic")
        #expect(text.hasSuffix(".") && !text.contains("%"), "\(text)")
    }

    @Test func adaptersHaveTheirState() {
        func message(_ trouble: GatewayStatus.Adapter.Trouble?, isOn: Bool = true) -> String {
            Advice.message(GatewayStatus.Adapter(name: "hci0", isOn: isOn, trouble: trouble), now: 0)
        }
        #expect(message(nil) == "on" && message(nil, isOn: false) == "off" && message(.stuck) == "may be stuck")
        #expect(message(.noDiscovery) == "can't search: BlueZ doesn't do it, as 'blekeep doctor' shows")
    }
}
