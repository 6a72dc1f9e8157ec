import BlekeepConfiguration
import BlekeepOutputs
import Glibc
import RunLoop

/// The right to change configuration files, which one command has at a time: from before it reads them until the new ones are
/// in their places. Otherwise, of two commands at the same time, the later one would write back what the earlier one changed.
///
/// It is a lock of the folder itself (flock(2)), so that a killed command leaves nothing behind.
final class ConfigurationLock {
    private let folder: String
    /// The folder; −1 without the lock.
    private var descriptor: Int32 = -1

    /// How long to wait for other commands. Each has it for milliseconds.
    private static let patience: Duration = .seconds(10)

    init(_ loader: ConfigurationLoader) { folder = loader.lockFolder }

    deinit { release() }

    var isHeld: Bool { descriptor >= 0 }

    /// Waits for other commands. A folder that this user can't read, or that isn't there yet, has no lock.
    /// Throws when others take too long.
    func acquire() throws(Failure) {
        guard !isHeld else { return }
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        let end = MachineClock.awake() + Self.patience
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            // A file system without such locks.
            guard errno == EWOULDBLOCK || errno == EINTR else { return }
            guard MachineClock.awake() < end else {
                release()
                throw Failure(
                    .allFailed,
                    "another command has been changing the configuration in \(Untrusted.whole(folder)) for 10s; try again"
                )
            }
            usleep(10_000)
        }
    }

    func release() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}
