import Testing

@testable import BlekeepConfiguration

@Suite struct AliasRuleTests {
    @Test(arguments: [
        ("Lab-Env", "Lab-Env"), ("  Living \t Room\n", "Living Room"), ("--x", "x"), ("a/b+c#d", "a-b-c-d"),
        ("\u{202E}\u{0}Front", "Front"), (String(repeating: "x", count: 90), String(repeating: "x", count: 60)),
        ("", nil), ("/ #", nil), ("F0:00:00:00:00:01", nil), ("\u{115F}", nil),
    ])
    func makesAnAliasOfAName(name: String, alias: String?) {
        #expect(AliasRule.alias(from: name) { _ in false } == alias)
    }

    @Test func aTakenAliasGetsANumber() {
        let taken: Set = ["Probe", "Probe-2"]
        #expect(AliasRule.alias(from: "Probe", isTaken: taken.contains) == "Probe-3")
    }
}
