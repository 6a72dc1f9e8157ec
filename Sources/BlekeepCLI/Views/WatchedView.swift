import RunLoop

/// What a command shows once, or with `--watch` whenever it has news.
protocol WatchedView {
    /// What two of them differ in. An age alone isn't news.
    var news: [String] { get }

    /// - Parameter width: the columns of the terminal; `nil` for a pipe.
    func lines(width: Int?, on terminal: Terminal) -> [String]

    /// - Parameters:
    ///   - columns: of the terminal.
    ///   - rows: of the terminal.
    func picture(columns: Int, rows: Int, on terminal: Terminal) -> Picture
}

extension CommandContext {
    /// Shows a view: once, or until the command must end; on a terminal as a live screen, which also shows what isn't
    /// news.
    ///
    /// - Parameters:
    ///   - watches: whether it goes on.
    ///   - format: returns the lines for a program, and whether they are the first ones; `nil` for a person.
    ///   - listen: gets what to call when there may be news, before the next second.
    ///   - pause: waits for news, about a second; `nil` for that.
    ///   - look: called about once a second while it goes on.
    ///   - read: returns the view as it is now.
    /// - Returns: the last one.
    @discardableResult
    func show<View: WatchedView>(
        watches: Bool, format: ((_ view: View, _ isFirst: Bool) -> [String])? = nil,
        listen: (@escaping () -> Void) -> Void = { _ in }, pause: (() async throws -> Void)? = nil,
        look: () -> Void = {}, _ read: @escaping () throws -> View
    ) async throws -> View {
        var view = try read()
        if watches, format == nil, terminal.isInteractive {
            let screen = LiveScreen(self) { [terminal] columns, rows in
                view = (try? read()) ?? view
                return view.picture(columns: columns, rows: rows, on: terminal)
            }
            listen(screen.update)
            try await screen.run({ view.lines(width: self.terminal.size().columns, on: self.terminal) }, look)
            return view
        }
        var last: [String]?
        while true {
            if view.news != last {
                let width = terminal.isInteractive ? terminal.size().columns : nil
                for line in format?(view, last == nil) ?? view.lines(width: width, on: terminal) {
                    try output.line(line)
                }
            }
            last = view.news
            guard watches, ending == nil else { return view }
            try await output.hasRoom()
            look()
            if let pause { try await pause() } else { try await loop.sleep(until: loop.now + .seconds(1)) }
            guard ending == nil else { return view }
            view = try read()
        }
    }
}
