internal import Glibc

/// Standard input, output and error.
package enum StandardDescriptors {
    /// Opens /dev/null for each closed one. Otherwise a file opened later would get its number, and receive output.
    package static func fill() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // open(2) returns the lowest free number.
            _ = open("/dev/null", O_RDWR | O_NOCTTY)
        }
    }
}
