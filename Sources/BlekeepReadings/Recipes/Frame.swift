/// A check that a device adds to its answers, or expects in a request.
package enum Checksum: String, Sendable, CaseIterable {
    /// The sum of the bytes, modulo 256.
    case sum8
    /// The sum of the bytes, modulo 65,536.
    case sum16
    /// 0x10000 minus the sum of the bytes.
    case negatedSum16 = "neg_sum16"
    /// CRC-16 with the polynomial 0x8005, reflected, from 0xFFFF.
    case crc16Modbus = "crc16_modbus"
    /// CRC-16 with the polynomial 0x1021, from 0.
    case crc16Xmodem = "crc16_xmodem"
    /// CRC-8 with the polynomial 0x07, from 0.
    case crc8
    /// CRC-8 with the polynomial 0x31, reflected, from 0.
    case crc8Maxim = "crc8_maxim"
    /// All bytes, combined by exclusive or.
    case xor

    /// The number of its bytes.
    package var size: Int {
        switch self {
        case .sum8, .crc8, .crc8Maxim, .xor: 1
        case .sum16, .negatedSum16, .crc16Modbus, .crc16Xmodem: 2
        }
    }

    /// The order in which devices usually send it.
    package var usualEndian: Endian { self == .crc16Modbus ? .little : .big }

    /// The name in sentences.
    package var label: String {
        switch self {
        case .sum8, .sum16, .negatedSum16: "checksum"
        case .crc16Modbus, .crc16Xmodem: "CRC-16"
        case .crc8, .crc8Maxim: "CRC-8"
        case .xor: "XOR"
        }
    }

    /// Computes the check of some bytes.
    package func value(of bytes: some Sequence<UInt8>) -> UInt16 {
        var value: UInt16 = self == .crc16Modbus ? 0xFFFF : 0
        for byte in bytes {
            switch self {
            case .sum8: value = (value &+ UInt16(byte)) & 0xFF
            case .sum16: value &+= UInt16(byte)
            case .negatedSum16: value &-= UInt16(byte)
            case .xor: value ^= UInt16(byte)
            case .crc16Modbus: value = Self.reflected(value ^ UInt16(byte), by: 0xA001)
            case .crc8Maxim: value = Self.reflected(value ^ UInt16(byte), by: 0x8C)
            case .crc16Xmodem: value = Self.shifted(value ^ UInt16(byte) << 8, by: 0x1021)
            case .crc8: value = Self.shifted((value ^ UInt16(byte)) << 8, by: 0x0700) >> 8
            }
        }
        return value
    }

    package func bytes(of bytes: some Sequence<UInt8>, endian: Endian) -> [UInt8] {
        let value = value(of: bytes)
        guard size == 2 else { return [UInt8(truncatingIfNeeded: value)] }
        let pair = [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]
        return endian == .big ? pair : pair.reversed()
    }

    private static func reflected(_ value: UInt16, by polynomial: UInt16) -> UInt16 {
        (0..<8).reduce(value) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ polynomial }
    }

    private static func shifted(_ value: UInt16, by polynomial: UInt16) -> UInt16 {
        (0..<8).reduce(value) { value, _ in value & 0x8000 == 0 ? value << 1 : value << 1 ^ polynomial }
    }
}

/// Where an answer begins and ends, and what proves it whole.
package struct FrameRule: Sendable, Hashable {
    package enum Length: Sendable, Hashable {
        /// A notification, or a read value, is an answer.
        case notification
        case fixed(Int)
        /// A number at this byte, plus `add`, is the length of the whole answer.
        case field(at: Int, bits: Int, endian: Endian, add: Int)
        /// The first `end` ends the answer.
        case terminator
        /// The answer ends when nothing has come for this time.
        case silence(Duration)
    }

    /// A check, the first byte that it covers, and the first that it doesn't. Negative numbers count from the end of the
    /// answer; `nil` for the byte where the check is.
    package struct Check: Sendable, Hashable {
        package var kind: Checksum
        package var from = 0
        package var to: Int?
        /// Where the check is; `nil` for the last bytes in front of `end`.
        package var at: Int?
        package var endian: Endian

        package init(_ kind: Checksum, from: Int = 0, to: Int? = nil, at: Int? = nil, endian: Endian? = nil) {
            self.kind = kind
            self.from = from
            self.to = to
            self.at = at
            self.endian = endian ?? kind.usualEndian
        }
    }

    /// The bytes that an answer starts with; `nil` for any byte.
    package var start: [UInt8?] = []
    package var length = Length.notification
    /// The lengths that a notification or a value can have; empty for any.
    package var sizes: [Int] = []
    /// The bytes that an answer ends with.
    package var end: [UInt8] = []
    package var checks: [Check] = []
    /// Bytes at the ends of a notification that belong to no answer, such as `AT\r\n`.
    package var junk: [UInt8] = []
    /// The maximum number of bytes of an answer, 1 to `maxBytes`.
    package var max = 512

    /// The bound of `max`.
    package static let maxBytes = 4096

    package init() {}

    /// Whether bytes can be the beginning of an answer.
    static func starts(_ bytes: some Collection<UInt8>, with start: [UInt8?]) -> Bool {
        zip(bytes, start).allSatisfy { byte, wanted in wanted == nil || byte == wanted }
    }

    /// Returns what is wrong with a whole answer; `nil` when nothing is.
    package func flaw(in answer: [UInt8]) -> FrameFlaw? {
        if answer.count > max { return .long(max) }
        guard answer.count >= start.count, Self.starts(answer, with: start) else { return .start }
        switch length {
        case .notification where !sizes.isEmpty && !sizes.contains(answer.count):
            return .length(answer.count, of: sizes[0])
        case .fixed(let count) where answer.count != count: return .length(answer.count, of: count)
        case .field:
            guard let total = total(in: answer), total == answer.count else {
                return .length(answer.count, of: total(in: answer))
            }
        default: break
        }
        guard answer.count >= start.count + end.count, answer.suffix(end.count).elementsEqual(end) else {
            return .end(end)
        }
        for check in checks where !isRight(check, in: answer) { return .check(check.kind) }
        return nil
    }

    /// Returns the length that the beginning of an answer states; `nil` when too few bytes have come.
    fileprivate func total(in bytes: [UInt8]) -> Int? {
        guard case .field(let at, let bits, let endian, let add) = length, at >= 0, bytes.count >= at + bits / 8 else {
            return nil
        }
        let number = bytes[at..<(at + bits / 8)]
        let value = (endian == .big ? Array(number) : number.reversed()).reduce(0) { $0 << 8 | Int($1) }
        return value + add
    }

    fileprivate var hasLength: Bool {
        switch length {
        case .fixed, .field: true
        case .notification, .terminator, .silence: false
        }
    }

    /// The minimum number of bytes of an answer with a length field.
    fileprivate var minBytes: Int {
        guard case .field(let at, let bits, _, _) = length else { return 1 }
        return Swift.max(1, start.count, at + bits / 8 + end.count)
    }

    private func isRight(_ check: Check, in answer: [UInt8]) -> Bool {
        guard let places = places(of: check, in: answer) else { return false }
        return check.kind.bytes(of: answer[places.covered], endian: check.endian).elementsEqual(answer[places.check])
    }

    /// Where a check is, and what it covers; `nil` when the answer is too short.
    private func places(of check: Check, in answer: [UInt8]) -> (check: Range<Int>, covered: Range<Int>)? {
        func place(_ number: Int) -> Int { number < 0 ? answer.count + number : number }
        let at = check.at.map(place) ?? answer.count - end.count - check.kind.size
        let from = place(check.from)
        let to = check.to.map(place) ?? at
        guard from >= 0, from <= to, to <= answer.count, at >= 0, at + check.kind.size <= answer.count else {
            return nil
        }
        return (at..<(at + check.kind.size), from..<to)
    }

    // MARK: Captures

    /// Returns an answer with right checks.
    func mended(_ answer: [UInt8]) -> [UInt8] {
        var answer = answer
        for check in checks {
            guard let places = places(of: check, in: answer) else { continue }
            answer.replaceSubrange(
                places.check, with: check.kind.bytes(of: answer[places.covered], endian: check.endian))
        }
        return answer
    }

    /// Returns the places of the whole answers in bytes.
    func answers(in bytes: [UInt8]) -> [Range<Int>] {
        var answers: [Range<Int>] = []
        var place = 0
        while place < bytes.count {
            let rest = bytes[place...]
            if Self.starts(rest, with: start), let count = length(of: rest), (1...max) ~= count, count <= rest.count,
                flaw(in: Array(rest.prefix(count))) == nil
            {
                answers.append(place..<(place + count))
                place += count
            } else {
                place += 1
            }
        }
        return answers
    }

    private func length(of bytes: ArraySlice<UInt8>) -> Int? {
        switch length {
        case .fixed(let count): count
        case .field(let at, let bits, _, _): total(in: Array(bytes.prefix(at + bits / 8)))
        case .terminator: end.isEmpty ? nil : bytes.firstRange(of: end).map { $0.upperBound - bytes.startIndex }
        case .notification, .silence: bytes.count
        }
    }

    /// Returns a notification without the bytes at its ends that belong to no answer.
    func withoutJunk(_ notification: some Collection<UInt8>) -> ArraySlice<UInt8> {
        var bytes = Array(notification)[...]
        guard !junk.isEmpty else { return bytes }
        while bytes.starts(with: junk) { bytes = bytes.dropFirst(junk.count) }
        while bytes.suffix(junk.count).elementsEqual(junk) { bytes = bytes.dropLast(junk.count) }
        return bytes
    }
}

/// The reason why bytes aren't an answer.
package enum FrameFlaw: Error, Sendable, Hashable, CustomStringConvertible {
    /// Other bytes than those that an answer starts with.
    case start
    /// The number of bytes, and the number that the answer should have; `nil` when that is unknown.
    case length(Int, of: Int?)
    /// More bytes than the maximum.
    case long(Int)
    /// It doesn't end with these bytes.
    case end([UInt8])
    case check(Checksum)

    /// A sentence for users.
    package var description: String {
        switch self {
        case .start: "the answer starts with other bytes than expected"
        case .length(let count, let wanted?): "the answer has \(count) bytes instead of \(wanted)"
        case .length(let count, nil): "the answer has only \(count) bytes"
        case .long(let max): "the answer is longer than \(max) bytes"
        case .end(let end): "the answer doesn't end with \(String(hex: end))"
        case .check(let check): "the answer's \(check.label) is wrong"
        }
    }
}

/// Joins notifications to answers, by a rule. It keeps at most `max` bytes of the rule and one
/// notification, or 64 notifications that are answers.
package struct FrameAssembler: Sendable {
    package let rule: FrameRule
    /// The bytes that came and belong to no answer yet.
    package private(set) var rest: [UInt8] = []
    /// Whole notifications, when each is an answer; else empty.
    private var whole: [[UInt8]] = []

    private static let maxNotifications = 64

    package init(_ rule: FrameRule) { self.rule = rule }

    /// Adds the bytes of a notification.
    package mutating func append(_ notification: [UInt8]) {
        // BlueZ's longest notification.
        let bytes = rule.withoutJunk(notification.prefix(512))
        guard !bytes.isEmpty else { return }
        if case .notification = rule.length {
            if whole.count < Self.maxNotifications { whole.append(Array(bytes)) }
        } else if rest.count <= rule.max {
            rest += bytes
        }
    }

    /// Returns the next answer, or what is wrong with the bytes; `nil` when more bytes must come.
    ///
    /// - Parameter isSilent: whether nothing has come for the rule's time of silence.
    package mutating func next(isSilent: Bool = false) -> Result<[UInt8], FrameFlaw>? {
        while !whole.isEmpty {
            let answer = whole.removeFirst()
            // Other notifications of the characteristic are no failed answers.
            guard answer.count >= rule.start.count, FrameRule.starts(answer, with: rule.start) else { continue }
            return judged(answer)
        }
        synchronize()
        guard !rest.isEmpty else { return nil }
        switch rule.length {
        case .notification: return nil
        case .fixed(let count): return cut(count)
        case .field:
            guard let total = rule.total(in: rest) else { return tooLong() }
            guard rule.minBytes <= total, total <= rule.max else {
                rest.removeFirst()
                return .failure(total > rule.max ? .long(rule.max) : .length(total, of: nil))
            }
            return cut(total)
        case .terminator:
            guard let end = rest.firstRange(of: rule.end), !rule.end.isEmpty else { return tooLong() }
            return cut(end.upperBound)
        case .silence: return isSilent ? cut(rest.count) : tooLong()
        }
    }

    /// Drops the bytes in front of the next start.
    private mutating func synchronize() {
        guard !rule.start.isEmpty,
            case let count = rest.indices.first(where: { index in
                FrameRule.starts(rest[index...], with: rule.start)
            }) ?? rest.count, count > 0
        else { return }
        rest.removeFirst(count)
    }

    private mutating func cut(_ count: Int) -> Result<[UInt8], FrameFlaw>? {
        guard rest.count >= count else { return nil }
        let answer = Array(rest.prefix(count))
        let result = judged(answer)
        // Behind a wrong start, the true one may be among the bytes of the answer.
        if case .failure = result, rule.hasLength { rest.removeFirst() } else { rest.removeFirst(count) }
        return result
    }

    private mutating func tooLong() -> Result<[UInt8], FrameFlaw>? {
        guard rest.count > rule.max else { return nil }
        rest = []
        return .failure(.long(rule.max))
    }

    private func judged(_ answer: [UInt8]) -> Result<[UInt8], FrameFlaw> {
        rule.flaw(in: answer).map { .failure($0) } ?? .success(answer)
    }
}
