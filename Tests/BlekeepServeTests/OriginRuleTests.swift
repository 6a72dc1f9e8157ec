import Testing

@testable import BlekeepServe

/// Which pages may read the server.
@Suite struct OriginRuleTests {
    private func isAllowed(_ origins: [String], host: String? = "gateway.local:8080") -> Bool {
        do throws(Problem) {
            try OriginRule.check(origins, host: host)
            return true
        } catch {
            #expect(error.status == .forbidden)
            return false
        }
    }

    @Test func programsAndTheServersOwnPagesMay() {
        #expect(isAllowed([]) && isAllowed([], host: nil))
        #expect(isAllowed(["http://gateway.local:8080"]))
        #expect(isAllowed(["https://Gateway.local:8080"]))
    }

    @Test(arguments: [
        "http://evil.example", "null", "", "http://gateway.local", "http://gateway.local:8080.evil.example",
        "file://gateway.local:8080", "http://gateway.local:8080/",
    ])
    func otherPagesMayNot(origin: String) { #expect(!isAllowed([origin])) }

    @Test func severalOriginsAreNone() {
        #expect(!isAllowed(["http://gateway.local:8080", "http://gateway.local:8080"]))
        #expect(!isAllowed(["http://gateway.local:8080"], host: nil))
    }
}
