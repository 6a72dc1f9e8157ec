import BlekeepReadings
import Testing

extension Readings {
    @Suite struct DecoderTests {
        @Test(arguments: [
            (DecodeError.short, "bad_length"), (.long, "bad_length"), (.format(29), "bad_format"),
            (.version(1), "bad_version"), (.key, "no_key"), (.authentication, "bad_key"),
            (.replay, "replay"), (.plain, "not_encrypted"),
        ])
        func hasACodeAndAMessageForTheMiddleOfASentence(error: DecodeError, code: String) {
            #expect(error.code.rawValue == code)
            #expect(!error.message.hasSuffix(".") && error.message.first?.isLowercase == true)
        }

        @Test func namesTheFormatCode() {
            #expect(DecodeError.format(29).message.contains("29"))
            #expect(throws: DecodeError.format(29)) { try PresentationFormat([29, 0, 0, 0x27, 1, 0, 0]) }
        }
    }
}
