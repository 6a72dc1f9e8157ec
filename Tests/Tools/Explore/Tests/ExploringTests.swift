import Exploring
import Testing

@Suite struct ExploringTests {
    @Test(arguments: explorations.map(\.name)) func nothingBreaksAGuarantee(name: String) throws {
        let explore = try #require(explorations.first { $0.name == name }).explore
        let exploration = explore(2000)
        #expect(
            exploration.finding == nil,
            "\(exploration.finding?.problem ?? "") after \(exploration.finding?.events ?? [])")
        #expect(exploration.states > 100)
    }
}
