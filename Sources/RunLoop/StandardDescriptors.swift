internal import Glibc

/// Standard input, output and error.
package enum StandardDescriptors {
    /// Opens /dev/null for each of them that is closed. A file that is opened later would get its number otherwise, and
    /// be written to.
    package static func fill() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number.
            _ = open("/dev/null", O_RDWR | O_NOCTTY)
        }
    }
}
