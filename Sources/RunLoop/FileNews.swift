internal import CLinux
internal import Glibc

/// Changes of files and folders, from the kernel (inotify). Without changes, it causes no work.
///
/// Use it on the run loop's thread.
package final class FileNews {
    package struct Kinds: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The bytes of a file changed.
        package static let content = Kinds(rawValue: UInt32(IN_MODIFY))
        /// The file or folder got another path or number of links, or was removed.
        package static let place = Kinds(rawValue: UInt32(IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF))
        /// In a folder, a name appeared or disappeared.
        package static let names = Kinds(rawValue: UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO))
    }

    package struct Change: Sendable {
        package let kinds: Kinds
        /// The name in the folder; empty for the watched file or folder itself.
        package let name: String
    }

    private let descriptor: Int32
    private let loop: RunLoop
    private var watch: Watch?

    /// - Parameter action: called with the changes that came together.
    /// - Throws: `RunLoopError.descriptors` when the user has no inotify instances left.
    package init(on loop: RunLoop, _ action: @escaping ([Change]) -> Void) throws(RunLoopError) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw .descriptors(errno) }
        self.loop = loop
        watch = loop.watch(descriptor, for: Int16(POLLIN)) { [unowned self] _ in
            let changes = read()
            if !changes.isEmpty { action(changes) }
        }
    }

    deinit {
        if let watch { loop.unwatch(watch) }
        close(descriptor)
    }

    /// Follows a file or a folder. Returns whether it exists, and can be followed.
    package func follow(_ path: String, kinds: Kinds) -> Bool {
        inotify_add_watch(descriptor, path, kinds.rawValue) >= 0
    }

    /// Stops or resumes calling the action. The kernel keeps the changes meanwhile, as far as it has room.
    package var isPaused = false {
        didSet { watch?.events = isPaused ? 0 : Int16(POLLIN) }
    }

    private func read() -> [Change] {
        var changes: [Change] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        // The rest comes in the next turn.
        for _ in 0..<16 {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            changes += Self.changes(in: buffer[..<count])
        }
        return changes
    }

    /// Decodes the kernel's `inotify_event` structures: four numbers of 4 bytes, the last the length of the name.
    static func changes(in bytes: ArraySlice<UInt8>) -> [Change] {
        var changes: [Change] = []
        var rest = bytes
        while rest.count >= 16 {
            let (kinds, length) = rest.withUnsafeBytes { bytes in
                (
                    bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
                    bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
                )
            }
            rest = rest.dropFirst(16)
            guard let length = Int(exactly: length), length <= rest.count else { break }
            let name = rest.prefix(length).prefix { $0 != 0 }
            changes.append(Change(kinds: Kinds(rawValue: kinds), name: String(decoding: name, as: UTF8.self)))
            rest = rest.dropFirst(length)
        }
        return changes
    }
}
