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
            #expect(error.headers.map { $0.value.prefix { $0 != " " } } == ["Bearer", "Basic"])
            return error.status.rawValue
        }
    }

    @Test func takesTheToken() {
        #expect(status("Bearer \(Self.token)") == 200)
        #expect(status("bearer \(Self.token)") == 200)
        // A browser's user:token, :token, and a:b:token with a token that has a colon.
        #expect(status("Basic dXNlcjowMTIzNDU2Nzg5YWJjZGVm") == 200)
        #expect(status("basic OjAxMjM0NTY3ODlhYmNkZWY=") == 200)
        #expect(status("Basic YTpiOjAxMjM0NTY3ODlhYmNkZWY=", token: "b:0123456789abcdef") == 200)
    }

    @Test(arguments: [
        "", "Bearer", "Bearer ", token, "Bearer 0123456789abcde", "Bearer 0123456789abcdeF", "Basic \(token)",
        "Bearer \(token)\(token)", "Bearer \(token) ", "Bearer  ", "Bearer \u{0}", "Basic dXNlcjo=",
        "Basic dXNlcjowMTIzNDU2Nzg5YWJjZGV", "Basic MDEyMzQ1Njc4OWFiY2RlZg==",
        "Basic dXNlcjowMTIzNDU2Nzg5YWJjZGVn", "Basic ====", "Basic é",
    ])
    func refusesEverythingElse(authorization: String) { #expect(status(authorization) == 401) }

    @Test func refusesNoneAndSeveral() {
        #expect(status() == 401)
        #expect(status("Bearer \(Self.token)", "Bearer \(Self.token)") == 401)
        #expect(status("Bearer ", token: "") == 401)
    }

    @Test func withoutATokenEveryRequestPasses() { #expect(status(token: nil) == 200) }
}
