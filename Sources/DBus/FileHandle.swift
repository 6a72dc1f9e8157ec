internal import Glibc

/// An open file descriptor, closed with the last reference to it.
package final class FileHandle: Sendable, Hashable {
    package let descriptor: Int32

    package init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    package static func == (left: FileHandle, right: FileHandle) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(descriptor) }
}
