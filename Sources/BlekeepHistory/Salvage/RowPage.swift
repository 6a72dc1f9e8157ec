/// A page of an SQLite file that holds rows, as https://sqlite.org/fileformat2.html describes it.
///
/// Reading page by page needs no tree above the pages, so that a damaged page costs only its own rows.
struct RowPage {
    /// A row of a table, or an entry of an index or of a table without row numbers.
    struct Cell {
        /// Of a table with row numbers.
        var rowid: Int64?
        /// How long its record is.
        var length: Int
        /// What of it lies on this page.
        var local: ArraySlice<UInt8>
        /// The page on which it goes on; 0: nowhere.
        var next: UInt32
    }

    var isTable: Bool
    var cells: [Cell] = []

    /// Reads a page.
    ///
    /// - Parameters:
    ///   - bytes: the whole page.
    ///   - isFirst: whether the file's header stands before the page's.
    ///   - usable: how many bytes of the page SQLite uses.
    /// - Returns: `nil` for a page without rows.
    /// - Throws: `PageDamage` when the page isn't sound: its rows and gaps must fill it exactly, and row numbers must
    ///   rise. Then no row of it is believed.
    init?(_ bytes: [UInt8], isFirst: Bool, usable: Int) throws(PageDamage) {
        let start = isFirst ? 100 : 0
        guard usable <= bytes.count, usable >= 480 else { throw PageDamage() }
        switch bytes[start] {
        case 0x0D: isTable = true
        case 0x0A, 0x02: isTable = false
        // An inner page of a table, and one that is full of what didn't fit on another.
        case 0x05, 0x00: return nil
        default: throw PageDamage()
        }
        let isInterior = bytes[start] == 0x02
        let count = Self.short(bytes, start + 3)
        let area = Self.short(bytes, start + 5) == 0 ? 65_536 : Self.short(bytes, start + 5)
        let pointers = start + (isInterior ? 12 : 8)
        guard area <= usable, pointers + 2 * count <= area else { throw PageDamage() }
        var used = try Self.gaps(bytes, from: Self.short(bytes, start + 1), area..<usable) + Int(bytes[start + 7])
        cells.reserveCapacity(count)
        for index in 0..<count {
            var place = Self.short(bytes, pointers + 2 * index)
            guard place >= area, place < usable else { throw PageDamage() }
            let begin = place
            if isInterior { place += 4 }
            let cell = try Self.cell(bytes, &place, isTable: isTable, usable: usable)
            if let rowid = cell.rowid, let last = cells.last?.rowid, rowid <= last { throw PageDamage() }
            used += max(4, place - begin)
            cells.append(cell)
        }
        guard used == usable - area else { throw PageDamage() }
    }

    private static func cell(
        _ bytes: [UInt8], _ place: inout Int, isTable: Bool, usable: Int
    ) throws(PageDamage) -> Cell {
        guard let size = Varint.read(bytes[..<usable], &place), size >= 0, size <= longestRecord else {
            throw PageDamage()
        }
        let length = Int(size)
        var rowid: Int64?
        if isTable {
            guard let number = Varint.read(bytes[..<usable], &place) else { throw PageDamage() }
            rowid = number
        }
        let most = isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
        let least = (usable - 12) * 32 / 255 - 23
        var local = length
        if length > most {
            let rest = least + (length - least) % (usable - 4)
            local = rest <= most ? rest : least
        }
        let end = place + local
        guard end + (local < length ? 4 : 0) <= usable else { throw PageDamage() }
        var cell = Cell(rowid: rowid, length: length, local: bytes[place..<end], next: 0)
        place = end
        if local < length {
            cell.next = long(bytes, end)
            guard cell.next > 0 else { throw PageDamage() }
            place += 4
        }
        return cell
    }

    /// How many bytes the chain of gaps between rows takes.
    private static func gaps(
        _ bytes: [UInt8], from first: Int, _ area: Range<Int>
    ) throws(PageDamage) -> Int {
        var (sum, place) = (0, first)
        while place != 0 {
            guard place >= area.lowerBound, place + 4 <= area.upperBound else { throw PageDamage() }
            let (next, size) = (short(bytes, place), short(bytes, place + 2))
            guard size >= 4, place + size <= area.upperBound, next == 0 || next > place else { throw PageDamage() }
            sum += size
            place = next
        }
        return sum
    }

    /// Longer than any row of ours.
    static let longestRecord = 1 << 20

    static func short(_ bytes: [UInt8], _ place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }

    static func long(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// A page that SQLite can't have written.
struct PageDamage: Error, CustomStringConvertible {
    var description: String { "the page is damaged" }
}

/// SQLite's numbers of variable length.
enum Varint {
    /// Reads a number and moves `place` behind it; `nil` when the bytes end before it does.
    static func read(_ bytes: ArraySlice<UInt8>, _ place: inout Int) -> Int64? {
        var number: UInt64 = 0
        for index in 0..<9 {
            guard place < bytes.endIndex else { return nil }
            let byte = bytes[place]
            place += 1
            if index == 8 { return Int64(bitPattern: number << 8 | UInt64(byte)) }
            number = number << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return Int64(bitPattern: number) }
        }
        return nil
    }
}
