import Glibc
import RunLoop

/// The keys of the terminal on standard input, one by one, while a live screen shows.
///
/// Ctrl-C and Ctrl-Z still send signals. On the run loop's thread.
final class Keyboard {
    private let loop: RunLoop
    private let press: (KeyPress) -> Void
    private var decider = KeyDecider()
    /// The terminal's mode to restore; `nil` while keys belong to the shell.
    private var mode: termios?
    private var watch: Watch?

    private static let input = STDIN_FILENO

    init(on loop: RunLoop, press: @escaping (KeyPress) -> Void) { (self.loop, self.press) = (loop, press) }

    /// Whether keys come.
    var isHeld: Bool { watch != nil }

    /// Takes the keys, if standard input is a terminal with this program in its foreground.
    func hold() {
        guard watch == nil, Self.isForeground else { return }
        var new = termios()
        guard tcgetattr(Self.input, &new) == 0 else { return }
        if mode == nil { mode = new }
        new.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &new.c_cc) { keys in
            // Reading then never waits, also when another program was faster.
            keys[Int(VMIN)] = 0
            keys[Int(VTIME)] = 0
        }
        Self.set(&new)
        watch = loop.watch(Self.input, for: Int16(POLLIN)) { [unowned self] in self.read($0) }
    }

    /// Takes the keys again after the program was stopped, when the shell has changed the mode.
    func renew() {
        letGo()
        hold()
    }

    /// Gives the keys back, and restores the terminal's mode.
    func release() {
        letGo()
        guard var mode else { return }
        self.mode = nil
        // Otherwise, the mode is the shell's by now.
        if Self.isForeground { Self.set(&mode) }
    }

    private func letGo() {
        if let watch { loop.unwatch(watch) }
        watch = nil
    }

    private func read(_ events: Int16) {
        // The terminal would stop a program in the background that reads.
        guard Self.isForeground else { return letGo() }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(Self.input, &buffer, buffer.count)
        guard count > 0 else {
            if Int32(events) & (POLLHUP | POLLERR | POLLNVAL) != 0 { letGo() }
            return
        }
        for key in decider.keys(in: buffer.prefix(count)) { press(key) }
    }

    private static var isForeground: Bool { tcgetpgrp(input) == getpgrp() }

    /// Sets the mode. Without blocking its signal, the terminal could stop a program that just left the foreground.
    private static func set(_ mode: inout termios) {
        var (set, before) = (sigset_t(), sigset_t())
        sigemptyset(&set)
        sigaddset(&set, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &set, &before)
        tcsetattr(input, TCSANOW, &mode)
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}
