import Glibc

/// A damaged database, read page by page as far as it can be.
final class DamagedFile {
    private let descriptor: Int32
    private let size: Int
    private let usable: Int
    /// The pages on SQLite's free list. They contain deleted rows.
    private var free: Set<Int> = []
    /// How many pages there are; they count from 1.
    let pages: Int

    /// `nil` when it can't be opened.
    init?(_ path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        let length = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        let head = Self.read(descriptor, at: 0, 100)
        let isWhole = head.starts(with: Array("SQLite format 3\0".utf8)) && head.count == 100
        let said = isWhole ? RowPage.short(head, 16) : 0
        // SQLite's default page size, which blekeep never changes.
        let size = said >= 512 && said.nonzeroBitCount == 1 ? said : 4096
        self.size = size
        usable = isWhole ? size - min(Int(head[20]), size - 480) : size
        pages = length / size
        if isWhole { findFree(from: Int(RowPage.long(head, 32))) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private func findFree(from first: Int) {
        var trunk = first
        while trunk > 0, trunk <= pages, free.insert(trunk).inserted {
            let bytes = page(trunk)
            guard bytes.count == size else { return }
            let count = min(Int(RowPage.long(bytes, 4)), size / 4 - 2)
            for index in 0..<max(0, count) { free.insert(Int(RowPage.long(bytes, 8 + 4 * index))) }
            trunk = Int(RowPage.long(bytes, 0))
        }
    }

    /// Returns the rows of a page; `nil` when it holds none.
    ///
    /// - Throws: `PageDamage` when the page can't be read.
    func rows(of number: Int) throws(PageDamage) -> RowPage? {
        guard !free.contains(number) else { return nil }
        let bytes = page(number)
        guard bytes.count == size else { throw PageDamage() }
        // Pages of nothing but zeros were never written.
        if bytes.allSatisfy({ $0 == 0 }) { throw PageDamage() }
        return try RowPage(bytes, isFirst: number == 1, usable: usable)
    }

    /// Returns a row's complete record, across overflow pages; `nil` when a part is missing.
    func record(_ cell: RowPage.Cell) -> ArraySlice<UInt8>? {
        guard cell.local.count < cell.length else { return cell.local }
        var record = cell.local
        var next = Int(cell.next)
        while record.count < cell.length {
            guard next > 0, next <= pages else { return nil }
            let bytes = page(next)
            guard bytes.count == size else { return nil }
            record += bytes[4..<min(usable, 4 + cell.length - record.count)]
            next = Int(RowPage.long(bytes, 0))
        }
        return next == 0 ? record : nil
    }

    private func page(_ number: Int) -> [UInt8] { Self.read(descriptor, at: (number - 1) * size, size) }

    private static func read(_ descriptor: Int32, at place: Int, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = pread(descriptor, &bytes, count, off_t(place))
        return got == count ? bytes : Array(bytes.prefix(max(0, got)))
    }
}
