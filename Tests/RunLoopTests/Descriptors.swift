import Glibc
import Testing

/// Two ends of a pipe, a socket or a terminal.
final class Descriptors: @unchecked Sendable {
    let writing: Int32
    private(set) var reading: Int32

    private init(reading: Int32, writing: Int32) {
        self.reading = reading
        self.writing = writing
        _ = fcntl(reading, F_SETFL, fcntl(reading, F_GETFL) | O_NONBLOCK)
    }

    deinit {
        closeReading()
        close(writing)
    }

    /// A pipe that holds 4,096 bytes.
    static func pipe() throws -> Descriptors {
        var ends: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let setPipeSize: Int32 = 1031
        _ = fcntl(ends[1], setPipeSize, 4096)
        return Descriptors(reading: ends[0], writing: ends[1])
    }

    static func sockets() throws -> Descriptors {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        return Descriptors(reading: ends[0], writing: ends[1])
    }

    /// A terminal, as a program sees it, and the terminal emulator that may read it.
    static func terminal() throws -> Descriptors {
        let (master, slave) = try openTerminal()
        return Descriptors(reading: master, writing: slave)
    }

    /// The side of a terminal emulator, which can't be opened a second time.
    static func emulator() throws -> Descriptors {
        let (master, slave) = try openTerminal()
        return Descriptors(reading: slave, writing: master)
    }

    private static func openTerminal() throws -> (Int32, Int32) {
        let (unlock, openPeer): (UInt, UInt) = (0x4004_5431, 0x5441)
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: Int32 = 0
        try #require(master >= 0 && ioctl(master, unlock, &isLocked) == 0)
        let slave = ioctl(master, openPeer, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(slave >= 0)
        var mode = termios()
        tcgetattr(slave, &mode)
        cfmakeraw(&mode)
        tcsetattr(slave, TCSANOW, &mode)
        return (master, slave)
    }

    /// Whether programs that share the writing end see it as non-blocking.
    var isNonBlocking: Bool { fcntl(writing, F_GETFL) & O_NONBLOCK != 0 }

    func closeReading() {
        if reading >= 0 { close(reading) }
        reading = -1
    }

    /// Everything that can be read at present.
    func read() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = Glibc.read(reading, &buffer, buffer.count), count > 0 { bytes += buffer.prefix(count) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
