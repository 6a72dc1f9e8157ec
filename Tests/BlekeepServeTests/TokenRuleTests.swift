import Testing

@testable import BlekeepServe

/// Which requests have the token.
@Suite struct TokenRuleTests {
    private static let token = "0123456789abcdef"

    private func status(_ authorizations: String..., token: String? = Self.token) -> Int {
        do throws(Problem) {
            try TokenRule(token).check(authorizations)
            return 200
        } catch {
            #expect(error.headers == [Header("WWW-Authenticate", "Bearer realm=\"blekeep\"")])
            return error.status.rawValue
        }
    }

    @Test func takesTheToken() {
        #expect(status("Bearer \(Self.token)") == 200)
        #expect(status("bearer \(Self.token)") == 200)
    }

    @Test(arguments: [
        "", "Bearer", "Bearer ", token, "Bearer 0123456789abcde", "Bearer 0123456789abcdeF", "Basic \(token)",
        "Bearer \(token)\(token)", "Bearer \(token) ", "Bearer  ", "Bearer \u{0}",
    ])
    func refusesEverythingElse(authorization: String) { #expect(status(authorization) == 401) }

    @Test func refusesNoneAndSeveral() {
        #expect(status() == 401)
        #expect(status("Bearer \(Self.token)", "Bearer \(Self.token)") == 401)
        #expect(status("Bearer ", token: "") == 401)
    }

    @Test func withoutATokenEveryRequestPasses() { #expect(status(token: nil) == 200) }
}
