import BlekeepLog
import Glibc
import RunLoop

/// A live picture on the terminal's alternate screen, whose rows the keyboard scrolls. When it ends, it restores the
/// terminal and prints the last picture.
final class LiveScreen: @unchecked Sendable {
    typealias Painter = (_ columns: Int, _ rows: Int) -> Picture

    private let context: CommandContext
    private let paint: Painter
    private var scroll = Scroll()
    private lazy var keyboard = Keyboard(on: context.loop) { [unowned self] in self.press($0) }
    /// Opens when the command must end.
    private let ended: Gate
    private var isShown = false
    private var drawIsDue = false
    private var signals: Watch?
    private var messages: [String] = []

    /// The shortest time between two pictures, to avoid flicker and load.
    private static let shortest: Duration = .milliseconds(100)
    private static let period: Duration = .seconds(1)
    private static let maxMessages = 200
    private lazy var timer = ClosureTimer { [weak self] in self?.draw() }

    init(_ context: CommandContext, paint: @escaping Painter) {
        self.context = context
        self.paint = paint
        ended = Gate(context.loop)
    }

    /// Shows the picture until the command must end, and then prints the last one.
    ///
    /// - Parameter look: called about once a second.
    func run(_ last: () -> [String], _ look: () -> Void = {}) async throws {
        try show()
        defer { end(leaving: last()) }
        while context.ending == nil {
            look()
            await ended.wait(until: context.loop.now + Self.period)
        }
    }

    /// Switches to the alternate screen, and draws at least once a second.
    func show() throws {
        signals = try context.loop.onSignals([SIGWINCH, SIGTSTP, SIGCONT]) { [unowned self] number in
            switch number {
            case SIGTSTP:
                self.hide()
                self.context.output.flushBriefly()
                kill(getpid(), SIGSTOP)
            case SIGCONT:
                self.appear()
                self.keyboard.renew()
            default: self.draw()
            }
        }
        // Restore the screen even when the command hangs and the process exits.
        context.onEnd = { [weak self] in
            self?.hide()
            self?.ended.open()
        }
        StandardError.divert { [weak self] line in self?.note(line) }
        appear()
    }

    /// Restores the screen, and stops drawing.
    func end(leaving last: [String]) {
        guard let signals else { return }
        context.loop.unwatch(signals)
        self.signals = nil
        hide()
        StandardError.divert(to: nil)
        for message in messages { StandardError.print(message) }
        try? context.output.write(last.map { $0 + "\n" }.joined())
    }

    /// Draws soon, because something changed.
    func update() {
        guard isShown, !drawIsDue else { return }
        drawIsDue = true
        context.loop.arm(timer, at: context.loop.now + Self.shortest)
    }

    /// The last lines of the log, for the picture.
    func recentMessages(_ count: Int) -> [String] { Array(messages.suffix(count)) }

    private func note(_ line: String) {
        messages.append(line)
        if messages.count > Self.maxMessages { messages.removeFirst() }
        update()
    }

    private func appear() {
        guard !isShown else { return draw() }
        isShown = true
        try? context.output.write("\u{1B}[?1049h\u{1B}[?25l")
        draw()
    }

    func hide() {
        guard isShown else { return }
        isShown = false
        context.loop.disarm(timer)
        keyboard.release()
        try? context.output.write("\u{1B}[?25h\u{1B}[?1049l")
    }

    private func press(_ key: KeyPress) {
        // Exactly as Ctrl-C, but for this program alone.
        guard key != .quit else {
            _ = kill(getpid(), SIGINT)
            return
        }
        scroll.move(key)
        if context.output.isIdle { draw() } else { update() }
    }

    private func draw() {
        guard isShown else { return }
        drawIsDue = false
        // The program may be in the terminal's foreground now.
        keyboard.hold()
        context.loop.arm(timer, at: context.loop.now + Self.period)
        // While the terminal is stopped, skip pictures.
        guard context.output.isIdle else { return }
        let (columns, rows) = context.terminal.size()
        let hint = keyboard.isHeld ? "arrows scroll" : ""
        let lines = scroll.lines(of: paint(columns, rows), columns: columns, height: rows, hint: hint)
        try? context.output.write(Self.frame(Array(lines.prefix(rows))))
    }

    /// Returns the bytes that replace the picture on the screen with these lines.
    ///
    /// Each line is cleared just before it's written, to avoid flicker. After a line as wide as the window, the cursor
    /// still stands on its last character, which clearing would erase. So the last line clears what's below beforehand.
    static func frame(_ lines: [String]) -> String {
        let rows = lines.dropLast().map { "\u{1B}[K\($0)\r\n" }
        return "\u{1B}[H" + rows.joined() + "\u{1B}[J" + (lines.last ?? "")
    }
}
