import DBus
import Testing

@testable import BlekeepBluetooth

/// The answers to a pairing's questions, from the options of the user.
@Suite struct PairingDialogTests {
    private func step(_ request: PairingRequest, secret: String? = nil, attended: Bool = false) -> PairingDialog.Step {
        var dialog = PairingDialog(secret: secret.flatMap { PairingSecret($0) }, hasUser: attended)
        return dialog.step(request)
    }

    @Test func aSecretAnswersByItself() {
        for attended in [false, true] {
            #expect(step(.enterPasskey, secret: "000123", attended: attended) == .reply(.passkey(123)))
            #expect(step(.enterPinCode, secret: "a1B2", attended: attended) == .reply(.pinCode("a1B2")))
            #expect(step(.confirm(123), secret: "000123", attended: attended) == .reply(.accept))
            #expect(step(.confirm(124), secret: "000123", attended: attended) == .refuse(.numberMismatch))
            #expect(step(.enterPasskey, secret: "a1B2", attended: attended) == .refuse(.invalidPasskey))
            #expect(step(.authorize, secret: "000123", attended: attended) == .refuse(.passkeyNotNeeded))
        }
    }

    @Test func answersWithASecretOnlyOnce() {
        var dialog = PairingDialog(secret: PairingSecret("123456"), hasUser: true)
        #expect(!dialog.isSecretUsed)
        #expect(dialog.step(.enterPasskey) == .reply(.passkey(123_456)))
        #expect(dialog.isSecretUsed)
        #expect(dialog.step(.enterPasskey) == .refuse(.wrongPasskey))
        #expect(dialog.step(.enterPinCode) == .refuse(.wrongPasskey))
    }

    @Test func asksTheUser() {
        for request in [PairingRequest.enterPasskey, .enterPinCode, .confirm(7)] {
            #expect(step(request, attended: true) == .ask)
        }
    }

    @Test func reportsTheReasonWithoutAUser() {
        #expect(step(.enterPasskey) == .refuse(.needsPasskey))
        #expect(step(.enterPinCode) == .refuse(.needsPasskey))
        #expect(step(.confirm(7)) == .refuse(.needsUser))
    }

    @Test func showsOrGrantsRequestsThatNeedNoAnswer() {
        for attended in [false, true] {
            #expect(step(.authorize, attended: attended) == .reply(.accept))
            #expect(step(.authorizeService("180f"), attended: attended) == .reply(.accept))
            #expect(step(.showPasskey(1, typed: 2), attended: attended) == .show)
            #expect(step(.showPinCode("1"), attended: attended) == .show)
        }
    }

    // MARK: Answers as replies

    @Test func onlyAnswersToTheQuestionAreReplies() {
        let requests: [PairingRequest] = [
            .enterPasskey, .enterPinCode, .confirm(1), .authorize, .authorizeService("x"), .showPasskey(1, typed: 0),
            .showPinCode("1"),
        ]
        for request in requests {
            #expect(request.reply(.reject) == nil)
            #expect((request.reply(.passkey(1)) != nil) == (request == .enterPasskey))
            #expect((request.reply(.pinCode("1")) != nil) == (request == .enterPinCode))
            #expect((request.reply(.accept) == []) == ![.enterPasskey, .enterPinCode].contains(request))
        }
        #expect(PairingRequest.enterPasskey.reply(.passkey(999_999)) == [.uint32(999_999)])
        #expect(PairingRequest.enterPasskey.reply(.passkey(1_000_000)) == nil)
        #expect(PairingRequest.enterPinCode.reply(.pinCode("")) == nil)
        #expect(PairingRequest.enterPinCode.reply(.pinCode("12345678901234567")) == nil)
    }

    // MARK: Secrets

    @Test(arguments: ["", " ", "12 34", "12345678901234567", "pässe", "1\u{0}2", "\n", "12;34"])
    func refusesMalformedSecrets(_ text: String) { #expect(PairingSecret(text) == nil) }

    @Test func aSecretDoesNotShowItself() throws {
        let secret = try #require(PairingSecret("123456\r\nmore"))
        #expect(secret.passkey == 123_456)
        var dumped = ""
        dump(secret, to: &dumped)
        dump(PairingOptions(secret: secret), to: &dumped)
        dump(PairingDialog(secret: secret, hasUser: true), to: &dumped)
        for text in [
            dumped, "\(secret)", String(reflecting: secret), String(reflecting: PairingOptions(secret: secret)),
        ] {
            #expect(!text.contains("123456"))
        }
    }

    @Test func passkeysAreSixDigits() {
        #expect(PasskeyText(77).description == "000077")
        #expect(PasskeyText(999_999).description == "999999")
        #expect(PasskeyText(.max).description == "4294967295")
        #expect(PairingSecret("12345")?.passkey == nil)
        #expect(PairingSecret("1234567")?.passkey == nil)
    }

    @Test func everyReasonHasASentence() {
        let all = PairingError.Reason.allCases.map { PairingError($0).description }
        #expect(Set(all).count == all.count)
        #expect(PairingError(.failed, "x").description.hasSuffix("(x)"))
    }

    @Test func aRefusalOfTheUserNeedsNoPairingMode() {
        let error = BusError.remote(name: "org.bluez.Error.AuthenticationRejected", message: "")
        let user = PairingError(error, refusal: .rejected, passkeyGiven: false)
        #expect(user.reason == .rejected)
        #expect(user.description.hasPrefix("the user refused"))
        #expect(PairingError(error, refusal: nil, passkeyGiven: false).description.contains("pairing mode"))
    }

    @Test(
        arguments: [
            ("AuthenticationFailed", .wrongPasskey, .failed), ("AuthenticationRejected", .rejected, .rejected),
            ("AuthenticationCanceled", .cancelled, .cancelled), ("AuthenticationTimeout", .timedOut, .timedOut),
            ("ConnectionAttemptFailed", .link, .link), ("InProgress", .inProgress, .inProgress),
            ("Failed", .failed, .failed),
        ] as [(String, PairingError.Reason, PairingError.Reason)])
    func bluezErrorsHaveReasons(_ name: String, _ given: PairingError.Reason, _ without: PairingError.Reason) {
        let error = BusError.remote(name: "org.bluez.Error.\(name)", message: "")
        #expect(PairingError(error, refusal: nil, passkeyGiven: true).reason == given)
        #expect(PairingError(error, refusal: nil, passkeyGiven: false).reason == without)
        #expect(PairingError(error, refusal: .needsUser, passkeyGiven: false).reason == .needsUser)
    }
}
