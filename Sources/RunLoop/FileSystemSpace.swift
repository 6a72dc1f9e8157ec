internal import Glibc

/// The space of a file system, as far as users other than root may use it.
package struct FileSystemSpace: Sendable, Hashable {
    /// In bytes; the largest number for more.
    package let free: UInt64
    /// In bytes; the largest number for more.
    package let total: UInt64
    /// Whether a file more can be created.
    package let takesFiles: Bool

    /// - Parameter path: a file or a folder on the file system. `nil` if there is none, or no permission to look at it.
    package init?(of path: String) {
        var space = statvfs()
        guard statvfs(path, &space) == 0 else { return nil }
        func bytes(_ blocks: UInt) -> UInt64 {
            let (bytes, overflow) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(space.f_frsize))
            return overflow ? .max : bytes
        }
        free = bytes(space.f_bavail)
        total = bytes(space.f_blocks)
        takesFiles = space.f_files == 0 || space.f_favail > 0
    }
}
