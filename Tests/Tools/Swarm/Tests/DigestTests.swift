import RunLoop
import Testing

@testable import Swarming

/// The digests of seeds, and files of them.
@Suite struct DigestTests {
    private func digest(_ events: [(String, Digest.Part)]) -> Digest {
        var digest = Digest()
        for (text, part) in events { digest.note(text, in: part, at: .start + .seconds(1)) }
        return digest
    }

    @Test func eachPartHasAColumnOfItsOwn() {
        let one = digest([("Connect", .calls), ("21.5", .readings)])
        let other = digest([("Connect", .calls), ("21.6", .readings)])
        #expect(one != other && one.trace != other.trace)
        let columns = zip(one.text.split(separator: " "), other.text.split(separator: " ")).map { $0.0 == $0.1 }
        #expect(columns == [true, false, true, true, true])
    }

    @Test func theTimeAndTheOrderCount() {
        var late = Digest()
        late.note("Connect", in: .calls, at: .start + .seconds(2))
        #expect(late != digest([("Connect", .calls)]))
        #expect(digest([("a", .sinks), ("b", .sinks)]) != digest([("b", .sinks), ("a", .sinks)]))
    }

    @Test func aFileNamesWhatDiffers() throws {
        var expected = DigestFile()
        expected.add(digest([("a", .sinks)]), of: 1)
        expected.add(digest([("a", .sinks)]), of: 2)
        let read = try #require(DigestFile(expected.text))
        #expect(read == expected)
        var found = DigestFile()
        found.add(digest([("a", .sinks)]), of: 1)
        found.add(digest([("a", .calls)]), of: 2)
        found.add(digest([("a", .calls)]), of: 3)
        #expect(
            found.differences(from: read) == ["seed 2 differs in: calls, sinks", "seed 3 has no known digest"])
        #expect(DigestFile("seed 1") == nil)
    }
}
