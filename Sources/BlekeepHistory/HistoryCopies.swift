import BlekeepRecords
import RunLoop

/// A file that blekeep kept beside a history for the user.
package struct HistoryCopy: Sendable, Hashable {
    package var path: String
    /// The size with the log, in bytes.
    package var size: Int64
    /// Whether it is a damaged history; otherwise the log of a history that was moved or deleted.
    package var isDamaged: Bool
}

/// The files that blekeep kept beside a history. It never deletes them.
package enum HistoryCopies {
    /// The most damaged histories to keep. Beyond that, the user has to act.
    package static let most = 3

    /// Returns the kept files of the history at `path`, the oldest first.
    package static func all(of path: String) -> [HistoryCopy] {
        let file = HistoryFile.followed(path)
        let (folder, name) = (folder(of: file), name(of: file))
        var found: [HistoryCopy] = []
        for text in SystemFile.names(in: folder) ?? [] where text.hasPrefix(name) && found.count < maxListed {
            let rest = text.dropFirst(name.count)
            let isDamaged = rest.hasPrefix(damaged) && rest.dropFirst(damaged.count).allSatisfy(\.isNumber)
            guard isDamaged || rest.hasPrefix(".lost-wal") else { continue }
            let sizes = [folder + text, folder + text + "-wal"].map { HistoryFile($0)?.size ?? 0 }
            found.append(HistoryCopy(path: folder + text, size: sizes[0] + sizes[1], isDamaged: isDamaged))
        }
        return found
    }

    private static let damaged = ".corrupt."
    private static let maxListed = 100

    static func damaged(of file: String) -> [String] { all(of: file).filter(\.isDamaged).map(\.path) }

    /// A free path for a damaged history.
    static func place(for file: String) -> String {
        var number = WallClock.milliseconds() / 1000
        while HistoryFile("\(file)\(damaged)\(number)") != nil || HistoryFile("\(file)\(damaged)\(number)-wal") != nil {
            number += 1
        }
        return "\(file)\(damaged)\(number)"
    }

    static func folder(of file: String) -> String {
        file.lastIndex(of: "/").map { String(file[...$0]) } ?? "./"
    }

    static func name(of file: String) -> String {
        String(file[(file.lastIndex(of: "/").map(file.index(after:)) ?? file.startIndex)...])
    }
}
