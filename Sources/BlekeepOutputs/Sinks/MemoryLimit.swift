import Glibc

/// A limit for the memory of the process, as the kernel counts it.
package struct MemoryLimit {
    private let before: rlimit
    private let during: rlimit
    /// What the process had, in bytes.
    package let used: UInt64

    /// - Parameter bytes: what the process may take beyond what it has.
    package init?(adding bytes: UInt64) {
        guard var limit = Self.usual, let used = Self.used() else { return nil }
        before = limit
        self.used = used
        limit.rlim_cur = min(limit.rlim_cur, rlim_t(used + bytes))
        during = limit
    }

    package func impose() {
        withUnsafePointer(to: during) { _ = setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), $0) }
    }

    package func lift() {
        withUnsafePointer(to: before) { _ = setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), $0) }
    }

    /// The limit without any of this, also while another thread has one.
    private static let usual: rlimit? = {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0 ? limit : nil
    }()

    /// The sixth number of `statm`, in pages.
    package static func used() -> UInt64? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { text in
            let count = Glibc.read(file, text.baseAddress, text.count)
            let numbers = text.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
            guard numbers.count > 5 else { return nil }
            return UInt64(String(decoding: numbers[5], as: UTF8.self)).map { $0 * UInt64(sysconf(Int32(_SC_PAGESIZE))) }
        }
    }
}
