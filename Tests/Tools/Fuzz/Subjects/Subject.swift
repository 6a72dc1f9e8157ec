import RunLoop

/// A part of blekeep that takes input of others, and must survive any of it.
package struct Subject: Sendable {
    package var name: String
    /// Feeds it one input.
    ///
    /// - Returns: the mistake in the result; `nil` when there is none.
    package var feed: @Sendable (inout Dice) -> String?
    /// The divisor of the number of inputs, for a slow subject.
    package var share = 1

    package static let all: [Subject] =
        [
            wire, tree, names, fleet, adverts, rows, ledgerRows, heartbeatRows, upkeepRows, openedRows, neighbours,
            conversations,
        ] + frames + formats + decoders + machines

    /// Internal machines are seen where modules are built for tests.
    #if DEBUG
    private static let machines = [orders]
    #else
    private static let machines: [Subject] = []
    #endif

    package init(name: String, feed: @escaping @Sendable (inout Dice) -> String?, share: Int = 1) {
        self.name = name
        self.feed = feed
        self.share = share
    }
}

/// Chance that is the same for the same seed, or what libFuzzer chose: then each decision takes as few of its bytes as it
/// needs, so that a changed byte changes one decision.
package struct Dice: RandomNumberGenerator {
    private var source: SplitMix64
    private var chosen: ArraySlice<UInt8>?

    package init(seed: UInt64) {
        source = SplitMix64(seed: seed)
    }

    /// - Parameter chosen: the decisions. Those behind them are by chance.
    package init(_ chosen: ArraySlice<UInt8>) {
        source = SplitMix64(seed: 1)
        self.chosen = chosen
    }

    package mutating func next() -> UInt64 { next(bytes: 8) }

    private mutating func next(bytes count: Int) -> UInt64 {
        guard let bytes = chosen?.prefix(count), bytes.count == count else { return source.next() }
        chosen?.removeFirst(count)
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    package mutating func below(_ count: Int) -> Int {
        count < 1 ? 0 : Int(next(bytes: count <= 256 ? 1 : 8) % UInt64(count))
    }

    package mutating func bytes(upTo most: Int) -> [UInt8] {
        // Short inputs find most errors of length.
        let count = below(4) == 0 ? below(most + 1) : below(min(most, 24) + 1)
        return (0..<count).map { _ in byte() }
    }

    package mutating func byte() -> UInt8 {
        UInt8(truncatingIfNeeded: chosen == nil ? source.next() >> 13 : next(bytes: 1))
    }

    package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// The bytes with a few mistakes.
    package mutating func broken(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...below(4) {
            guard !bytes.isEmpty else { break }
            let place = below(bytes.count)
            switch below(6) {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: next())
            case 1: bytes[place] ^= 1 << UInt8(below(8))
            case 2: bytes[place] = pick([0, 1, 0x7F, 0x80, 0xFE, 0xFF])
            case 3: bytes.removeLast(bytes.count - place)
            case 4: bytes.insert(UInt8(truncatingIfNeeded: next()), at: place)
            default: bytes.replaceSubrange(place..<min(bytes.count, place + 4), with: [255, 255, 255, 255])
            }
        }
        return bytes
    }
}
