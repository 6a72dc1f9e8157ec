import Testing

@testable import BlekeepServe

/// Which machines a request may name.
@Suite struct HostRuleTests {
    private func status(_ hosts: String..., isRequired: Bool = true) -> Int {
        do throws(Problem) {
            try HostRule(["Gateway.local"]).check(hosts, isRequired: isRequired)
            return 200
        } catch { return error.status.rawValue }
    }

    @Test(arguments: [
        "localhost", "localhost:8080", "LOCALHOST", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:8080", "192.168.1.2",
        "gateway.local", "GATEWAY.local.:8080",
    ])
    func takesAddressesAndItsOwnNames(host: String) { #expect(status(host) == 200) }

    /// A page of another site that rebinds its name to this machine.
    @Test(arguments: ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "gateway", "::1"])
    func refusesOtherNames(host: String) { #expect(status(host) >= 400) }

    @Test(arguments: ["", ":80", "[::1", "[::1]x", "localhost:80:80", "localhost:8o", "localhost:123456"])
    func refusesWhatIsNoHost(host: String) { #expect(status(host) == 400) }

    @Test func needsOneHostHeader() {
        #expect(status() == 400)
        #expect(status(isRequired: false) == 200)
        #expect(status("localhost", "localhost") == 400)
    }
}
