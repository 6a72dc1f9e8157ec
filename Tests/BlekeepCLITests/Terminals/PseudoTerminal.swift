import BusBench
import Glibc
import RunLoop
import Testing

/// The built program on a terminal, with keys to press and a screen to look at.
final class PseudoTerminal: @unchecked Sendable {
    let program: Program
    private(set) var screen: ScreenModel
    /// Everything that the program wrote.
    private(set) var written = ""
    /// A key to press as soon as the program has written this.
    var reflex: (trigger: String, key: Key)?
    private let master: Int32
    let loop: RunLoop
    private let news: Gate
    private var watch: Watch?

    /// Keys as xterm sends them.
    enum Key: String {
        case controlC = "\u{3}"
        case controlZ = "\u{1A}"
        case enter = "\r"
        case up = "\u{1B}[A"
        case down = "\u{1B}[B"
        case pageUp = "\u{1B}[5~"
        case pageDown = "\u{1B}[6~"
        case home = "\u{1B}[H"
        case end = "\u{1B}[F"
        case q
    }

    /// The screen when the time was up, for the test's message.
    struct TooLong: Error, CustomStringConvertible {
        let description: String
    }

    init(_ arguments: [String], columns: Int = 80, rows: Int = 24, on loop: RunLoop) throws {
        var (master, slave): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 64)
        var size = Self.size(columns, rows)
        let outcome = openpty(&master, &slave, &name, nil, &size)
        try #require(outcome == 0)
        defer { close(slave) }
        for end in [master, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        self.master = master
        self.loop = loop
        screen = ScreenModel(columns: columns, rows: rows)
        news = Gate(loop)
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        program = try Program(arguments, on: path)
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
        watch = loop.watch(master, for: Int16(POLLIN)) { [unowned self] _ in read() }
    }

    deinit { hangUp() }

    /// Closes the window.
    func hangUp() {
        guard let watch else { return }
        loop.unwatch(watch)
        self.watch = nil
        close(master)
    }

    private static func size(_ columns: Int, _ rows: Int) -> winsize {
        winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    }

    func resize(columns: Int, rows: Int) {
        screen.resize(columns: columns, rows: rows)
        var size = Self.size(columns, rows)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    func press(_ key: Key) { type(key.rawValue) }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(write(master, bytes, bytes.count) == bytes.count)
    }

    /// Whether keys reach the program one by one, and aren't shown.
    var isRaw: Bool {
        var state = termios()
        return tcgetattr(master, &state) == 0 && state.c_lflag & UInt32(ICANON | ECHO) == 0
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(master, &buffer, buffer.count)
            if count > 0 {
                let bytes = Array(buffer.prefix(count))
                written += String(decoding: bytes, as: UTF8.self)
                if let (trigger, key) = reflex, written.contains(trigger) {
                    reflex = nil
                    press(key)
                }
                screen.take(bytes)
                continue
            }
            if count < 0, errno == EINTR { continue }
            // Without any program on the terminal, it is always ready.
            if count == 0 || errno != EAGAIN, let watch {
                loop.unwatch(watch)
                self.watch = nil
            }
            return news.open()
        }
    }

    /// Waits for output after which the screen is so.
    func wait(_ isSo: (ScreenModel) -> Bool) async throws {
        let deadline = loop.now + .seconds(60)
        while !isSo(screen) {
            guard loop.now < deadline, watch != nil else {
                throw TooLong(description: "the screen never became so:\n" + screen.lines.joined(separator: "\n"))
            }
            await news.wait(until: deadline)
        }
    }

    /// Waits for this text on the screen.
    func wait(for text: String) async throws { try await wait { $0.contains(text) } }

    /// Waits for the end of the program and of its output.
    func end() async throws -> Program.End? {
        let end = try await program.end(on: loop)
        while watch != nil { read() }
        return end
    }

    /// Checks that the program left the terminal as it was.
    func expectRestored(_ location: SourceLocation = #_sourceLocation) {
        let (isAlternate, isCursorHidden, unknown) = (screen.isAlternate, screen.isCursorHidden, screen.unknown)
        #expect(!isAlternate, sourceLocation: location)
        #expect(!isCursorHidden, sourceLocation: location)
        #expect(!isRaw, sourceLocation: location)
        #expect(unknown.isEmpty, sourceLocation: location)
    }
}
