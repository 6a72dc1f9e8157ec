import RunLoop
import Testing

@testable import BlekeepReadings

@Suite struct FrameTests {
    @Test func aMaximumBelowWhatTheLengthNeedsRefusesEveryAnswer() {
        var rule = FrameRule()
        rule.length = .field(at: 10, bits: 8, endian: .little, add: 0)
        rule.max = 4
        var assembler = FrameAssembler(rule)
        assembler.append(Array(0..<20))
        #expect(assembler.next() == .failure(.long(4)))
    }

    @Test(
        arguments: [
            (Checksum.sum8, 0xDD), (.sum16, 0x01DD), (.negatedSum16, 0xFE23), (.crc16Modbus, 0x4B37),
            (.crc16Xmodem, 0x31C3),
            (.crc8, 0xF4),
            (.crc8Maxim, 0xA1), (.xor, 0x31),
        ] as [(Checksum, UInt16)])
    func eachCheckHasTheValueOfItsCatalogue(check: Checksum, value: UInt16) {
        #expect(check.value(of: Array("123456789".utf8)) == value)
        let bytes = check.bytes(of: Array("123456789".utf8), endian: .big)
        #expect(bytes.count == check.size)
        #expect(check.bytes(of: Array("123456789".utf8), endian: .little) == bytes.reversed())
    }

    // MARK: Rules

    /// A rule of each kind, and an answer that fits it.
    static let rules: [(name: String, rule: FrameRule, answer: [UInt8])] = [
        (
            "notification",
            make {
                $0.start = [0xA5]; $0.sizes = [4]
            }, [0xA5, 1, 2, 3]
        ),
        (
            "fixed",
            make {
                $0.start = [0xA5]; $0.length = .fixed(6); $0.checks = [.init(.xor)]
            }, sealed([0xA5, 1, 2, 3, 4], .xor)
        ),
        (
            "length",
            make {
                $0.start = [0xDD, nil]
                $0.length = .field(at: 2, bits: 8, endian: .big, add: 6)
                $0.checks = [.init(.negatedSum16, from: 1)]
                $0.end = [0x77]
            }, sealed([0xDD, 3, 2, 0x10, 0x20], .negatedSum16, from: 1) + [0x77]
        ),
        (
            "length of 16 bits",
            make {
                $0.start = [0x7E, 0x14]
                $0.length = .field(at: 2, bits: 16, endian: .little, add: 6)
                $0.checks = [.init(.crc16Modbus)]
            }, sealed([0x7E, 0x14, 30, 0] + (0..<30).map { UInt8($0) }, .crc16Modbus)
        ),
        (
            "terminator",
            make {
                $0.end = [13, 10]; $0.length = .terminator; $0.max = 40
            }, Array("T=25.6 H=23.6\r\n".utf8)
        ),
        (
            "silence",
            make {
                $0.length = .silence(.milliseconds(100)); $0.checks = [.init(.crc16Xmodem)]; $0.max = 60
            }, sealed([1, 2, 3, 4, 5, 6], .crc16Xmodem)
        ),
        (
            "two checks",
            make {
                $0.length = .fixed(8); $0.checks = [.init(.crc8, from: 1, to: 4, at: 4), .init(.crc8Maxim)]
            },
            {
                let head: [UInt8] = [9, 1, 2, 3]
                return sealed(head + Checksum.crc8.bytes(of: head[1...], endian: .big) + [7, 8], .crc8Maxim)
            }()
        ),
        (
            "sum",
            make {
                $0.start = [0x55]; $0.length = .fixed(30); $0.checks = [.init(.sum8)]; $0.junk = Array("AT\r\n".utf8)
            }, sealed([0x55] + (0..<28).map { UInt8($0 &* 9) }, .sum8)
        ),
    ]

    private static func make(_ change: (inout FrameRule) -> Void) -> FrameRule {
        var rule = FrameRule()
        change(&rule)
        return rule
    }

    private static func sealed(_ bytes: [UInt8], _ check: Checksum, from: Int = 0) -> [UInt8] {
        bytes + check.bytes(of: bytes[from...], endian: check.usualEndian)
    }

    private func rule(_ name: String) throws -> (rule: FrameRule, answer: [UInt8]) {
        let found = try #require(Self.rules.first { $0.name == name })
        return (found.rule, found.answer)
    }

    /// The answers that an assembler finds in notifications, and its mistakes.
    private func assembled(_ notifications: [[UInt8]], _ rule: FrameRule) -> (answers: [[UInt8]], flaws: [FrameFlaw]) {
        var assembler = FrameAssembler(rule)
        var (answers, flaws): ([[UInt8]], [FrameFlaw]) = ([], [])
        func collect(_ result: Result<[UInt8], FrameFlaw>) {
            switch result {
            case .success(let answer): answers.append(answer)
            case .failure(let flaw): flaws.append(flaw)
            }
        }
        for notification in notifications {
            assembler.append(notification)
            while let result = assembler.next() { collect(result) }
            #expect(assembler.rest.count <= rule.max)
        }
        if let last = assembler.next(isSilent: true) { collect(last) }
        return (answers, flaws)
    }

    private func pieces(_ bytes: [UInt8], of size: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min(bytes.count, $0 + size)]) }
    }

    @Test(arguments: rules.map(\.name)) func wholeAnswersComeOutInAnyPieces(name: String) throws {
        let (rule, answer) = try rule(name)
        #expect(rule.flaw(in: answer) == nil)
        for size in rule.length == .notification ? [answer.count] : Array(1...answer.count) {
            let (answers, flaws) = assembled(pieces(answer, of: size), rule)
            #expect(answers == [answer] && flaws.isEmpty, "in pieces of \(size)")
        }
    }

    @Test(arguments: rules.map(\.name)) func damagedAnswersNeverComeOutAsGood(name: String) throws {
        let (rule, answer) = try rule(name)
        let isChecked = !rule.checks.isEmpty
        for count in 0..<answer.count {
            #expect(assembled([Array(answer.prefix(count))], rule).answers.allSatisfy { $0 != answer })
            let isWhole = rule.length == .terminator || rule.checks.isEmpty
            if !isWhole { #expect(assembled([Array(answer.prefix(count))], rule).answers.isEmpty, "cut to \(count)") }
        }
        for index in answer.indices where isChecked {
            for bit in 0..<8 {
                var damaged = answer
                damaged[index] ^= 1 << UInt8(bit)
                #expect(assembled(pieces(damaged, of: 20), rule).answers.isEmpty, "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test func severalAnswersInOneNotificationBehindJunk() throws {
        let (rule, answer) = try rule("length")
        let stream: [UInt8] = [1, 2, 0xDD] + answer + answer + [0x99, 0xDD] + answer
        let (answers, _) = assembled([stream], rule)
        #expect(answers.filter { $0 == answer }.count >= 2)
        let (sum, other) = try self.rule("sum")
        #expect(assembled([Array("AT\r\n".utf8) + other + Array("AT\r\n".utf8)], sum).answers == [other])
    }

    @Test func aLengthBeyondTheMaximumIsAMistakeAndTheNextAnswerIsFound() throws {
        var (rule, answer) = try rule("length of 16 bits")
        rule.max = 100
        let (answers, flaws) = assembled([[0x7E, 0x14, 0xFF, 0xFF, 1, 2] + answer], rule)
        #expect(answers == [answer] && flaws == [.long(100)])
        let (endless, end) = (try self.rule("terminator").rule, [UInt8](repeating: 65, count: 500))
        #expect(assembled([end, end], endless).flaws == [.long(40), .long(40)])
    }

    @Test(arguments: [
        (FrameFlaw.start, "the answer starts with other bytes than expected"),
        (.length(12, of: 20), "the answer has 12 bytes instead of 20"),
        (.length(3, of: nil), "the answer has only 3 bytes"),
        (.long(512), "the answer is longer than 512 bytes"), (.end([0x77]), "the answer doesn't end with 77"),
        (.check(.crc16Modbus), "the answer's CRC-16 is wrong"), (.check(.sum8), "the answer's checksum is wrong"),
    ])
    func aMistakeIsASentence(flaw: FrameFlaw, sentence: String) {
        #expect(flaw.description == sentence)
    }

    // MARK: Chance

    @Test(arguments: rules.map(\.name)) func noBytesTrapAndAllThatComeOutFitTheRule(name: String) throws {
        let (rule, answer) = try rule(name)
        var random = SplitMix64(seed: 17)
        for _ in 0..<fuzzRounds(2_000) {
            var assembler = FrameAssembler(rule)
            for _ in 0..<(1 + random.next() % 3) {
                assembler.append(random.near(answer))
                var results = 0
                while let result = assembler.next(isSilent: random.next() % 4 == 0) {
                    results += 1
                    if case .success(let bytes) = result { #expect(rule.flaw(in: bytes) == nil) }
                    guard results < 2000 else {
                        Issue.record("no end")
                        break
                    }
                }
                #expect(assembler.rest.count <= rule.max)
            }
        }
    }
}

extension SplitMix64 {
    /// Random bytes, or an answer with mistakes.
    mutating func near(_ answer: [UInt8]) -> [UInt8] {
        switch next() % 4 {
        case 0: return (0..<(next() % 64)).map { _ in UInt8(truncatingIfNeeded: next()) }
        case 1: return answer
        case 2: return Array(answer.prefix(Int(next() % UInt64(answer.count + 1))))
        default:
            var bytes = answer + answer.prefix(Int(next() % UInt64(answer.count + 1)))
            for _ in 0..<(next() % 5) { bytes[Int(next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: next()) }
            return bytes
        }
    }
}
