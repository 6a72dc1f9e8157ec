import Testing

@testable import BlekeepOutputs

/// Messages at which a broker closes the connection.
@Suite struct MQTTPoisonTests {
    private func message(_ number: Int, length: Int = 100) -> MQTTPoison.Fingerprint {
        MQTTPoison.Fingerprint("\(number)", [UInt8](repeating: UInt8(number), count: length))
    }

    private func isolating() -> MQTTPoison {
        var poison = MQTTPoison()
        for _ in 0..<3 {
            #expect(!poison.isIsolating)
            poison.connectionEnded(unconfirmed: [message(1), message(2)], longest: 10, hasLasted: false)
        }
        #expect(poison.isIsolating)
        return poison
    }

    @Test func twoMoreEndsAtTheSameMessageCondemnIt() {
        var poison = isolating()
        poison.connectionEnded(unconfirmed: [message(2)], longest: 200, hasLasted: false)
        #expect(!poison.contains(message(2)))
        poison.connectionEnded(unconfirmed: [message(2)], longest: 10, hasLasted: false)
        #expect(poison.contains(message(2)) && !poison.contains(message(1)))
    }

    /// Each tick of a device may have another one.
    @Test func messagesLongerThanAnyOtherCondemnTheirLength() {
        var poison = isolating()
        poison.connectionEnded(unconfirmed: [message(3, length: 2000)], longest: 200, hasLasted: false)
        poison.connectionEnded(unconfirmed: [message(4, length: 1900)], longest: 10, hasLasted: false)
        #expect(poison.contains(message(5, length: 1900)) && !poison.contains(message(5, length: 1000)))
    }

    /// A broker that fails by itself, or another gateway that takes over.
    @Test(arguments: [(0, 1), (200, 2), (200, 0)]) func otherEndsCondemnNothing(longest: Int, count: Int) {
        var poison = isolating()
        let messages = (0..<count).map { message($0) }
        for _ in 0..<10 { poison.connectionEnded(unconfirmed: messages, longest: longest, hasLasted: false) }
        #expect(!messages.contains { poison.contains($0) })
        #expect(poison.isIsolating == (count > 0))
        poison.connectionEnded(unconfirmed: messages, longest: longest, hasLasted: true)
        #expect(!poison.isIsolating)
    }
}
