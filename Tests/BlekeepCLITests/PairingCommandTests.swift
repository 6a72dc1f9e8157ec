import Blekeep
import Foundation
import RunLoop
import Testing

@testable import BlekeepCLI

@Suite struct PairingCommandTests {
    private let address = BluetoothAddress("F0:00:00:00:00:03")

    // MARK: Secrets

    private func secret(_ arguments: [String], _ environment: [String: String] = [:]) throws -> PairingSecret? {
        try SecretOptions.parse(arguments).secret(environment: environment)
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
}
