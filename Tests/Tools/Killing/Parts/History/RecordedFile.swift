import BlekeepSimulation
import Glibc
import RunLoop

/// A file, and its changes since the last sync.
struct RecordedFile: Sendable {
    enum Change: Sendable {
        case write([UInt8], at: Int)
        case cut(Int)
    }

    private var safe: [UInt8] = []
    private var changes: [Change] = []
    /// The file of this name that was removed, as long as that isn't safe.
    private var removed: [UInt8]?

    /// A piece that a disk writes as a whole or not at all.
    private static let sector = 512

    init() {}

    init(_ path: String) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let got = read(file, &buffer, buffer.count), got > 0 { safe += buffer.prefix(got) }
    }

    static func write(_ bytes: [UInt8], to path: String) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        return Glibc.write(file, bytes, bytes.count) == bytes.count
    }

    init(insteadOf file: RecordedFile) {
        removed = file.now
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer, at place: Int) {
        changes.append(.write(Array(bytes), at: place))
    }

    mutating func cut(to size: Int) { changes.append(.cut(size)) }

    mutating func sync() {
        safe = now
        changes = []
        removed = nil
    }

    private var now: [UInt8] { changes.reduce(into: safe) { Self.apply($1, to: &$0) { _ in true } } }

    /// Does a change to those sectors that the condition names.
    private static func apply(_ change: Change, to bytes: inout [UInt8], where isMeant: (Int) -> Bool) {
        switch change {
        case .write(let new, let place):
            let end = place + new.count
            if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
            var start = place
            while start < end {
                let next = min(end, (start / sector + 1) * sector)
                if isMeant(start / sector) {
                    bytes.replaceSubrange(start..<next, with: new[start - place..<next - place])
                }
                start = next
            }
        case .cut(let size):
            if bytes.count > size { bytes.removeLast(bytes.count - size) }
        }
    }

    // MARK: Power cuts

    /// Returns contents that a power cut might leave: each sector and the size as they were at any time since the last sync,
    /// and random bytes where the file grew without a write.
    func torn(_ dice: inout SplitMix64) -> [UInt8] {
        if let removed, dice.below(2) == 0 { return removed }
        let count = changes.count
        /// Up to which change a sector, or the size, got.
        let pick: (inout SplitMix64) -> Int
        switch dice.below(4) {
        case 0: pick = { $0.below(2) * count }
        case 1: pick = { $0.below(count + 1) }
        case 2:
            // In order, but for a few sectors on either side of a moment.
            let moment = dice.below(count + 1)
            pick = { max(0, min(count, moment + $0.below(5) - 2)) }
        default:
            // All but a few.
            pick = { $0.below(12) == 0 ? 0 : count }
        }
        var sectors: [Int: Int] = [:]
        for case .write(let bytes, let place) in changes {
            for sector in place / Self.sector...(place + max(1, bytes.count) - 1) / Self.sector
            where sectors[sector] == nil {
                sectors[sector] = pick(&dice)
            }
        }
        var bytes = safe
        var size = safe.count
        let sizeAt = pick(&dice)
        for (index, change) in changes.enumerated() {
            if index < sizeAt {
                switch change {
                case .write(let new, let place): size = max(size, place + new.count)
                case .cut(let new): size = min(size, new)
                }
            }
            Self.apply(change, to: &bytes) { index < sectors[$0] ?? 0 }
        }
        let isGarbage = dice.below(2) == 0
        if bytes.count < size { bytes += [UInt8](repeating: 0, count: size - bytes.count) }
        if bytes.count > size { bytes.removeLast(bytes.count - size) }
        guard isGarbage else { return bytes }
        for (sector, place) in sectors where place == 0 && sector * Self.sector >= safe.count {
            for index in sector * Self.sector..<(sector + 1) * Self.sector where index < bytes.count {
                bytes[index] = UInt8(truncatingIfNeeded: dice.next())
            }
        }
        return bytes
    }
}
