import Testing

@testable import BlekeepBluetooth

@Suite struct OwnLinksTests {
    @Test func leavesAConnectionThatWasThereBefore() {
        var links = OwnLinks()
        let results = [links.use("/d", isConnected: true), links.leave("/d")]
        #expect(results == [false, false])
        #expect(links.released.isEmpty)
    }

    @Test func onlyTheLastUserEndsAConnection() {
        var links = OwnLinks()
        var results = [links.use("/d", isConnected: false), links.use("/d", isConnected: true), links.leave("/d")]
        #expect(results == [true, true, false])
        #expect(links.contains("/d") && links.paths == ["/d"])
        results = [links.leave("/d"), links.leave("/d")]
        #expect(results == [true, false])
        #expect(!links.contains("/d") && links.released == ["/d"])
    }
}
