import BlekeepRecords
import Logging
import Testing

@testable import BlekeepConfiguration

@Suite struct ServeOptionsTests {
    private func options(_ address: String) throws -> ServeOptions {
        ServeOptions(listen: try #require(ListenAddress(address)))
    }

    @Test func argumentsRestoreTheOptions() throws {
        var options = try options("[::]:80")
        (options.hosts, options.token, options.config) = (["a", "b.local"], "/etc/token", "/etc/x.yaml")
        (options.level, options.timeout) = (.debug, .milliseconds(1500))
        #expect(try ServeOptions(arguments: options.arguments) == options)
        #expect(try ServeOptions(arguments: self.options("127.0.0.1:0").arguments).listen.isLoopback)
    }

    @Test(arguments: [
        [], ["--listen"], ["--listen", "127.0.0.1:80"], ["x", "y"], ["--listen", "x", "--log-level", "notice"],
        ["--listen", "127.0.0.1:80", "--log-level", "loud"],
        ["--listen", "127.0.0.1:80", "--log-level", "notice", "--unknown", "x"],
        ["--listen", "127.0.0.1:80", "--listen", "0.0.0.0:80", "--log-level", "notice"],
        ["--listen", "127.0.0.1:80", "--log-level", "notice", "--timeout", "0s"],
    ])
    func otherArgumentsAreMistakes(arguments: [String]) {
        let error = #expect(throws: UserError.self) { try ServeOptions(arguments: arguments) }
        #expect(error?.message == "start it with 'blekeep serve'")
    }

    @Test(arguments: ["0.0.0.0:80", "[::]:80", "192.168.1.2:8080", "[fe80::1]:80"])
    func beyondThisMachineItNeedsAToken(address: String) throws {
        var options = try options(address)
        let error = #expect(throws: UserError.self) { try options.check() }
        #expect(error?.message.contains("--token") == true)
        options.token = "http"
        try options.check()
    }

    @Test(arguments: ["", ".", ".local", "a b", "a:80", "[::1]", "ä", "a/b", "\u{1B}"])
    func refusesHostsThatAreNoNames(host: String) throws {
        var options = try options("127.0.0.1:80")
        options.hosts = [host]
        let error = #expect(throws: UserError.self) { try options.check() }
        #expect(error?.message.contains("\u{1B}") == false)
    }

    @Test(arguments: [
        "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "localhost:80", "::1:80",
        "[::1]", "[127.0.0.1]:80", "[::1]:080000", "1.2.3:80", "127.0.0.1:+8", "[::1:80", "a.b.c.d:80", "127.0.0.1 :80",
    ])
    func refusesWhatIsNoAddress(text: String) { #expect(ListenAddress(text) == nil) }

    @Test(arguments: ["127.0.0.1:8080", "0.0.0.0:0", "[::1]:80", "[2001:db8::1]:65535"])
    func anAddressKeepsItsText(text: String) { #expect(ListenAddress(text).map { "\($0)" } == text) }
}
