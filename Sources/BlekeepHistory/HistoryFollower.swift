import RunLoop

/// Reports changes of a history without reading it, also of one that doesn't exist yet or is replaced.
///
/// Use it on the run loop's thread.
package final class HistoryFollower {
    private let path: String
    private let loop: RunLoop
    private let report: () -> Void
    private var news: FileNews?
    /// The names whose changes matter in the watched folder; `nil` for any, because the history's folder is missing.
    private var names: Set<String>?
    /// Whether other files may have the watched names now.
    private var isMoved = false
    private lazy var timer = ClosureTimer { [weak self] in self?.settle() }

    /// Changes within this time are reported together. A commit changes the log several times.
    static let pause: Duration = .milliseconds(100)
    /// The pause after the kernel refused to report changes.
    static let retryPause: Duration = .seconds(10)

    /// - Parameter report: called after changes.
    package init(path: String, on loop: RunLoop, report: @escaping () -> Void) {
        self.path = path
        self.loop = loop
        self.report = report
    }

    package func start() {
        stop()
        do throws(RunLoopError) {
            news = try follow(HistoryFile.followed(path))
        } catch {
            // The user has no inotify instances left.
            isMoved = true
            loop.arm(timer, at: loop.now + Self.retryPause)
        }
    }

    package func stop() {
        loop.disarm(timer)
        news = nil
        isMoved = false
    }

    private func follow(_ file: String) throws(RunLoopError) -> FileNews {
        let (folder, name) = Self.split(file)
        let log = "\(file)-wal"
        let news = try FileNews(on: loop) { [unowned self] in self.handle($0) }
        for path in [file, log] { _ = news.follow(path, kinds: [.content, .place]) }
        names = [name, "\(name)-wal"]
        var lowest = folder
        while !news.follow(lowest, kinds: [.names, .place]), lowest != "/", lowest != "." {
            names = nil
            lowest = Self.split(lowest).folder
        }
        return news
    }

    private func handle(_ changes: [FileNews.Change]) {
        let changes = changes.filter { $0.name.isEmpty || names?.contains($0.name) ?? true }
        guard !changes.isEmpty else { return }
        if changes.contains(where: { $0.kinds != .content }) { isMoved = true }
        news?.isPaused = true
        loop.arm(timer, at: loop.now + Self.pause)
    }

    private func settle() {
        if isMoved { start() } else { news?.isPaused = false }
        report()
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = String(path[..<slash])
        return (folder.isEmpty ? "/" : folder, String(path[path.index(after: slash)...]))
    }
}
