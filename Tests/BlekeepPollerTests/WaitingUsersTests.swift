import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

/// The users who wait for a device.
@Suite struct WaitingUsersTests {
    private let loop: RunLoop
    private let users: WaitingUsers<Int>

    init() throws {
        loop = try RunLoop(.virtual)
        users = WaitingUsers(loop, upTo: 3, crowded: "too many", late: "nothing came")
    }

    /// Lets users come with these wishes, a second after each other.
    ///
    /// - Returns: the answers so far, with their times in seconds; updated as they come.
    private func come(
        _ wishes: ClosedRange<Int>, then story: @escaping (WaitingUsers<Int>) -> Void = { _ in }
    ) throws -> [String] {
        let loop = loop
        nonisolated(unsafe) let users = users
        nonisolated(unsafe) var answers: [String] = []
        nonisolated(unsafe) let story = story
        try loop.run {
            for wish in wishes {
                users.add(wish) { result in
                    let text =
                        switch result {
                        case .success(let bytes): "\(bytes)"
                        case .failure(let failure): "\(failure.code.rawValue) \(failure.message)"
                        }
                    answers.append("\(wish) at \((loop.now - .start) / .seconds(1)): \(text)")
                }
                try await loop.sleep(until: loop.now + .seconds(1))
            }
            story(users)
            try await loop.sleep(until: .start + .seconds(100))
        }
        return answers
    }

    @Test func theyComeInTheirOrder() throws {
        let answers = try come(1...3) { users in
            for byte: UInt8 in 1...2 { users.removeFirst()?.answer(.success([byte])) }
            users.answer(.success([]))
            #expect(users.isEmpty && users.removeFirst() == nil)
        }
        #expect(answers == ["1 at 3.0: [1]", "2 at 3.0: [2]", "3 at 3.0: []"])
    }

    @Test func thereIsABound() throws {
        #expect(try come(1...4).first == "4 at 3.0: refused too many")
    }

    @Test func whoeverWaitsTooLongGetsAFailure() throws {
        let answers = try come(1...3) { users in users.answer(.success([7])) { $0.wish == 2 } }
        #expect(
            answers == [
                "2 at 3.0: [7]", "1 at 60.0: late nothing came within 1m", "3 at 62.0: late nothing came within 1m",
            ])
    }
}
