import Blekeep
import Foundation
import RunLoop
import Testing

@testable import BlekeepCLI
@testable import BlekeepConfiguration

@Suite struct PairingCommandTests {
    private let address = BluetoothAddress("F0:00:00:00:00:03")

    // MARK: Secrets

    private func secret(_ arguments: [String], _ environment: [String: String] = [:]) throws -> PairingSecret? {
        try SecretOptions.parse(arguments).secret(environment: environment)
    }

    @Test func aSecretComesFromADescriptor() throws {
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data("123456\nmore".utf8))
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        #expect(try secret(["--passkey-fd", "\(descriptor)"]) != nil)
        #expect(throws: Failure.self) { try secret(["--passkey-fd", "9999"]) }
    }

    @Test func aSecretComesFromACredential() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("000123\n".utf8).write(to: folder.appending(path: "sensor"))
        let environment = ["CREDENTIALS_DIRECTORY": folder.path(percentEncoded: false)]
        #expect(try secret(["--passkey-credential", "sensor"], environment) != nil)
        #expect(throws: Failure.self) { try secret(["--passkey-credential", "other"], environment) }
        #expect(throws: Failure.self) { try secret(["--passkey-credential", "sensor"]) }
        for name in ["../sensor", "a/b", "..", ""] {
            #expect(throws: (any Error).self) { try SecretOptions.parse(["--passkey-credential", name]) }
        }
    }

    @Test func onlyOneSecretIsTaken() throws {
        #expect(try secret([]) == nil)
        #expect(throws: (any Error).self) { try SecretOptions.parse(["--passkey", "1", "--passkey-stdin"]) }
    }

    @Test func neverPrintsAMistypedSecret() throws {
        let failure = #expect(throws: Failure.self) { try secret(["--passkey", "12345;6"]) }
        #expect(failure?.code == .usage)
        #expect(failure?.message.contains("12345") == false)
    }

    // MARK: The person

    @Test func linesAreAnswers() {
        #expect(TerminalUser.answer("123 456", to: .enterPasskey) == .passkey(123_456))
        #expect(TerminalUser.answer("000077\r", to: .enterPasskey) == .passkey(77))
        for line in ["", "1234567", "12a", "-1", "٣"] {
            #expect(TerminalUser.answer(line, to: .enterPasskey) == .pinCode(line))
        }
        #expect(TerminalUser.answer("ab1", to: .enterPinCode) == .pinCode("ab1"))
        for line in ["y", "YES", " yes "] { #expect(TerminalUser.answer(line, to: .confirm(1)) == .accept) }
        for line in ["", "n", "ye", "yes please"] { #expect(TerminalUser.answer(line, to: .confirm(1)) == .reject) }
    }

    @Test func numbersAreShownWithTheirZeros() {
        #expect(TerminalUser.sentence(.confirm(77)).contains("000077"))
        #expect(TerminalUser.sentence(.showPasskey(77, typed: 0)).contains("000077"))
        #expect(TerminalUser.sentence(.showPasskey(77, typed: 60000)) == "6 of 6 digits typed")
        #expect(!TerminalUser.sentence(.showPinCode("\u{1B}[2J")).contains("\u{1B}"))
        #expect(!TerminalUser.sentence(.authorizeService("\u{202E}x")).contains("\u{202E}"))
    }

    // MARK: What is told

    @Test func everyReasonIsAPairingFailureWithAWayOut() throws {
        let address = try #require(address)
        for reason in PairingError.Reason.allCases {
            let failure = Failure(PairingError(reason), address)
            #expect(failure.code == (reason == .noBluez ? .noBluez : .pairing))
        }
        #expect(Failure(PairingError(.bondLost), address).message.contains("'blekeep forget F0:00:00:00:00:03'"))
        #expect(Failure(PairingError(.needsPasskey), address).message.contains("--passkey-stdin"))
        #expect(Failure.Code.pairing.rawValue == 7)
    }

    @Test func theReportIsAConfiguration() throws {
        let address = try #require(address)
        let service = try #require(BluetoothUUID("a0b40001-926d-4d61-98df-8c5c62ee53b3"))
        let rows: [PairingReport.Row] = [
            .init(
                uuid: BluetoothUUID(0x2A6E), service: BluetoothUUID(0x181A), notifies: true, value: .success([0, 8])),
            .init(uuid: BluetoothUUID(0x2A6F), service: BluetoothUUID(0x181A), notifies: false, value: nil),
            .init(uuid: BluetoothUUID(0x2A37), service: BluetoothUUID(0x180D), notifies: true, value: nil),
            .init(uuid: BluetoothUUID(0x2A19), service: BluetoothUUID(0x180F), notifies: false, value: .success([9])),
            .init(uuid: BluetoothUUID(0x2A19), service: service, notifies: false, value: .success([])),
        ]
        let report = PairingReport(of: DeviceConfiguration(address: address), as: "a \"b\" \\", rows)
        #expect(
            report.configuration == """
                devices:
                  - address: F0:00:00:00:00:03
                    alias: "a \\"b\\" \\\\"
                    characteristics:
                      - 2a6e  # Temperature
                      - {uuid: 2a37, notify: true}  # Heart Rate Measurement
                      - {uuid: 2a19, service: 180f}  # Battery Level
                      - {uuid: 2a19, service: a0b40001-926d-4d61-98df-8c5c62ee53b3}  # Battery Level

                """)
        #expect(report.table.contains("20.48 °C"))
        let json = report.json.text
        #expect(json.hasPrefix("{\"address\":\"F0:00:00:00:00:03\",\"alias\":\"a \\\"b\\\" \\\\\","))
        #expect(
            json.contains(
                "{\"service\":\"181a\",\"uuid\":\"2a6e\",\"name\":\"Temperature\",\"notifies\":true,"
                    + "\"fields\":{\"temperature\":{\"value\":20.48,\"unit\":\"°C\"}},\"raw\":\"0008\"}"))
        let part = ConfigurationPart(report.configuration, file: "x", names: Composition.characteristicNames)
        #expect(part.problems.isEmpty)
    }
}
