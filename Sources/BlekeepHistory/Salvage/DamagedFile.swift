internal import GRDB
import Glibc

internal import struct Foundation.Data

/// A damaged database, read page by page as https://sqlite.org/fileformat2.html describes it.
///
/// That needs neither the file's header nor the trees above the rows: a damaged page costs only its own rows. SQLite
/// itself loses all rows below a damaged page, and takes numbers from a page that is damaged in its middle.
final class DamagedFile {
    /// A row of a table, or an entry of an index or of a table without row numbers.
    struct Row {
        /// Of a table with row numbers.
        var number: Int64?
        var values: [DatabaseValue]
    }

    /// Pages count from 1.
    let pages: Int

    private let descriptor: Int32
    private let size: Int
    /// How many bytes of a page SQLite uses.
    private let usable: Int
    /// The pages on SQLite's free list. They contain deleted rows.
    private var free: Set<Int> = []

    /// `nil` when it can't be opened.
    init?(_ path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        let length = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        let head = Self.read(descriptor, at: 0, count: 100)
        let isWhole = head.starts(with: Array("SQLite format 3\0".utf8)) && head.count == 100
        let declaredSize = isWhole ? head.short(16) : 0
        // SQLite's default page size, which blekeep never changes.
        size = declaredSize >= 512 && declaredSize.nonzeroBitCount == 1 ? declaredSize : 4096
        usable = isWhole ? size - min(Int(head[20]), size - 480) : size
        pages = length / size
        if isWhole { findFree(from: Int(head.long(32))) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private func findFree(from first: Int) {
        var trunk = first
        while trunk > 0, trunk <= pages, free.insert(trunk).inserted {
            let bytes = page(trunk)
            guard bytes.count == size else { return }
            let count = min(Int(bytes.long(4)), size / 4 - 2)
            for index in 0..<max(0, count) { free.insert(Int(bytes.long(8 + 4 * index))) }
            trunk = Int(bytes.long(0))
        }
    }

    private func page(_ number: Int) -> [UInt8] { Self.read(descriptor, at: (number - 1) * size, count: size) }

    private static func read(_ descriptor: Int32, at place: Int, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = pread(descriptor, &bytes, count, off_t(place))
        return got == count ? bytes : Array(bytes.prefix(max(0, got)))
    }

    // MARK: Pages

    /// Returns the rows of a page; none when it holds none.
    ///
    /// - Parameter isWanted: whether the page's rows are wanted, by the first of them. The rows of a page are of one table.
    /// - Throws: `PageDamage` when the page can't be read, or SQLite can't have written it: its rows and gaps must fill it
    ///   exactly, row numbers must rise, and every record must be sound. Then no row of it is believed.
    func rows(of number: Int, where isWanted: (Row) -> Bool = { _ in true }) throws(PageDamage) -> [Row] {
        guard !free.contains(number) else { return [] }
        let bytes = page(number)
        // Pages of nothing but zeros were never written.
        guard bytes.count == size, bytes.contains(where: { $0 != 0 }) else { throw PageDamage() }
        // The file's header stands before the first page's.
        let start = number == 1 ? 100 : 0
        switch bytes[start] {
        case 0x0D, 0x0A, 0x02: break
        // An inner page of a table, and one that is full of what didn't fit on another.
        case 0x05, 0x00: return []
        default: throw PageDamage()
        }
        let (isTable, isInterior) = (bytes[start] == 0x0D, bytes[start] == 0x02)
        let count = bytes.short(start + 3)
        let area = bytes.short(start + 5) == 0 ? 65_536 : bytes.short(start + 5)
        let pointers = start + (isInterior ? 12 : 8)
        guard area <= usable, pointers + 2 * count <= area else { throw PageDamage() }
        var used = try Self.gaps(bytes, from: bytes.short(start + 1), in: area..<usable) + Int(bytes[start + 7])
        var rows: [Row] = []
        rows.reserveCapacity(count)
        for index in 0..<count {
            let begin = bytes.short(pointers + 2 * index)
            guard begin >= area, begin < usable else { throw PageDamage() }
            var place = isInterior ? begin + 4 : begin
            let row = try row(bytes, at: &place, isTable: isTable)
            if let number = row.number, let last = rows.last?.number, number <= last { throw PageDamage() }
            used += max(4, place - begin)
            rows.append(row)
            if index == 0, !isWanted(row) { return [] }
        }
        guard used == usable - area else { throw PageDamage() }
        return rows
    }

    /// Returns the length of the chain of gaps between rows.
    private static func gaps(_ bytes: [UInt8], from first: Int, in area: Range<Int>) throws(PageDamage) -> Int {
        var (sum, place) = (0, first)
        while place != 0 {
            guard place >= area.lowerBound, place + 4 <= area.upperBound else { throw PageDamage() }
            let (next, size) = (bytes.short(place), bytes.short(place + 2))
            guard size >= 4, place + size <= area.upperBound, next == 0 || next > place else { throw PageDamage() }
            sum += size
            place = next
        }
        return sum
    }

    /// Longer than any row of a history.
    private static let maxRecord = 1 << 20

    /// Reads a row, also where it goes on on other pages, and moves `place` behind its part on this page.
    private func row(_ bytes: [UInt8], at place: inout Int, isTable: Bool) throws(PageDamage) -> Row {
        let length = Int(try bytes[..<usable].varint(&place, in: 0...Int64(Self.maxRecord)))
        let number = isTable ? try bytes[..<usable].varint(&place) : nil
        let maxLocal = isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
        guard length > maxLocal else {
            guard place + length <= usable else { throw PageDamage() }
            let record = bytes[place..<place + length]
            place += length
            return Row(number: number, values: try Self.values(record))
        }
        let minLocal = (usable - 12) * 32 / 255 - 23
        let rest = minLocal + (length - minLocal) % (usable - 4)
        let end = place + (rest <= maxLocal ? rest : minLocal)
        guard end + 4 <= usable else { throw PageDamage() }
        var record = bytes[place..<end]
        var next = Int(bytes.long(end))
        while record.count < length {
            guard next > 0, next <= pages else { throw PageDamage() }
            let more = page(next)
            guard more.count == size else { throw PageDamage() }
            record += more[4..<min(usable, 4 + length - record.count)]
            next = Int(more.long(0))
        }
        guard next == 0 else { throw PageDamage() }
        place = end + 4
        return Row(number: number, values: try Self.values(record))
    }

    // MARK: Records

    private static let maxColumns: Int64 = 32

    /// Reads a record, which must be exactly as long as its header says, with all its text in UTF-8.
    static func values(_ bytes: ArraySlice<UInt8>) throws(PageDamage) -> [DatabaseValue] {
        var place = bytes.startIndex
        let body = bytes.startIndex + Int(try bytes.varint(&place, in: 0...Int64(bytes.count)))
        guard body >= place else { throw PageDamage() }
        var values: [DatabaseValue] = []
        values.reserveCapacity(12)
        var valuePlace = body
        while place < body {
            guard values.count < maxColumns else { throw PageDamage() }
            let type = try bytes[..<body].varint(&place, in: 0...Int64(2 * maxRecord + 13))
            let length =
                switch type {
                case 0...4: Int(type)
                case 5: 6
                case 6, 7: 8
                case 8, 9: 0
                case 10, 11: throw PageDamage()
                default: Int(type - 12) / 2
                }
            guard length <= bytes.endIndex - valuePlace,
                let value = value(ofType: type, in: bytes[valuePlace..<valuePlace + length])
            else { throw PageDamage() }
            values.append(value)
            valuePlace += length
        }
        guard valuePlace == bytes.endIndex else { throw PageDamage() }
        return values
    }

    private static func value(ofType type: Int64, in bytes: ArraySlice<UInt8>) -> DatabaseValue? {
        switch type {
        case 0: return .null
        case 1...6:
            let isNegative = (bytes.first ?? 0) >= 0x80
            return Int64(bitPattern: bytes.reduce(isNegative ? .max : 0) { $0 << 8 | UInt64($1) }).databaseValue
        case 7:
            let number = Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
            return number.isNaN ? nil : number.databaseValue
        case 8: return 0.databaseValue
        case 9: return 1.databaseValue
        case let type where type.isMultiple(of: 2): return Data(bytes).databaseValue
        default: return String(validating: bytes, as: UTF8.self)?.databaseValue
        }
    }
}

/// A page that SQLite can't have written.
struct PageDamage: Error, CustomStringConvertible {
    var description: String { "the page is damaged" }
}

extension [UInt8] {
    fileprivate func short(_ place: Int) -> Int { Int(self[place]) << 8 | Int(self[place + 1]) }

    fileprivate func long(_ place: Int) -> UInt32 { UInt32(short(place)) << 16 | UInt32(short(place + 2)) }
}

extension ArraySlice<UInt8> {
    /// Reads one of SQLite's numbers of variable length, and moves `place` behind it.
    func varint(_ place: inout Int, in bounds: ClosedRange<Int64> = .min ... .max) throws(PageDamage) -> Int64 {
        var number: UInt64 = 0
        for index in 0..<9 {
            guard place < endIndex else { throw PageDamage() }
            let byte = self[place]
            place += 1
            number = index == 8 ? number << 8 | UInt64(byte) : number << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { break }
        }
        guard bounds.contains(Int64(bitPattern: number)) else { throw PageDamage() }
        return Int64(bitPattern: number)
    }
}
