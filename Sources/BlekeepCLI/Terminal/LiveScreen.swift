import Glibc
import RunLoop

/// A picture on the terminal that is drawn anew in place, on the screen that full-screen programs use; when it ends,
/// the terminal is as it was, and the last picture stands there as ordinary text.
final class LiveScreen: @unchecked Sendable {
    /// The picture's lines, given columns and rows; more lines than rows are cut.
    typealias Picture = (_ columns: Int, _ rows: Int) -> [String]

    private let context: CommandContext
    private let picture: Picture
    private var isShown = false
    private var drawIsDue = false
    private var signals: Watch?
    private var messages: [String] = []

    /// The least time between two pictures: more is a flicker to people and work for the terminal.
    private static let shortest: Duration = .milliseconds(100)
    private static let period: Duration = .seconds(1)
    private static let mostMessages = 200
    private lazy var timer = ClosureTimer { [unowned self] in self.draw() }

    init(_ context: CommandContext, picture: @escaping Picture) {
        self.context = context
        self.picture = picture
    }

    /// Takes the screen, and draws at least once a second from now on.
    func show() throws {
        signals = try context.loop.onSignals([SIGWINCH, SIGTSTP, SIGCONT]) { [unowned self] number in
            switch number {
            case SIGTSTP:
                self.hide()
                self.context.output.flushBriefly()
                kill(getpid(), SIGSTOP)
            case SIGCONT: self.appear()
            default: self.draw()
            }
        }
        // Also where the command itself hangs and the process is ended under it.
        context.onEnd = { [weak self] in self?.hide() }
        StandardError.divert { [weak self] line in self?.note(line) }
        appear()
    }

    /// Gives the screen back; nothing is drawn any more.
    func end(leaving last: [String]) {
        guard let signals else { return }
        context.loop.unwatch(signals)
        self.signals = nil
        hide()
        StandardError.divert(to: nil)
        for message in messages { StandardError.print(message) }
        try? context.output.write(last.map { $0 + "\n" }.joined())
    }

    /// Something has changed: draws soon.
    func update() {
        guard isShown, !drawIsDue else { return }
        drawIsDue = true
        context.loop.arm(timer, at: context.loop.now + Self.shortest)
    }

    /// The last lines that were logged, for the picture.
    func recentMessages(_ count: Int) -> [String] { Array(messages.suffix(count)) }

    private func note(_ line: String) {
        messages.append(line)
        if messages.count > Self.mostMessages { messages.removeFirst() }
        update()
    }

    private func appear() {
        guard !isShown else { return draw() }
        isShown = true
        try? context.output.write("\u{1B}[?1049h\u{1B}[?25l")
        draw()
    }

    /// Gives the screen back, until the process is stopped and continued, or for good.
    func hide() {
        guard isShown else { return }
        isShown = false
        context.loop.disarm(timer)
        try? context.output.write("\u{1B}[?25h\u{1B}[?1049l")
    }

    private func draw() {
        guard isShown else { return }
        drawIsDue = false
        context.loop.arm(timer, at: context.loop.now + Self.period)
        // A terminal that is stopped shows the next picture that it has room for.
        guard context.output.isIdle else { return }
        let (columns, rows) = context.terminal.size()
        let lines = picture(columns, rows).prefix(rows)
        // Each line is cleared just before it is written, all in one go: nothing blinks, nothing of the last stays.
        try? context.output.write("\u{1B}[H" + lines.map { "\u{1B}[K" + $0 }.joined(separator: "\r\n") + "\u{1B}[J")
    }
}
