import Testing

@testable import BlekeepCLI

struct LiveScreenFrameTests {
    @Test func nothingIsClearedAfterALine() {
        #expect(LiveScreen.frame(["one", "two"]) == "\u{1B}[H\u{1B}[Kone\r\n\u{1B}[Jtwo")
        #expect(LiveScreen.frame(["full"]) == "\u{1B}[H\u{1B}[Jfull")
    }

    @Test func anEmptyPictureClearsTheScreen() {
        #expect(LiveScreen.frame([]) == "\u{1B}[H\u{1B}[J")
    }
}
