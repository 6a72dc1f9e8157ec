import Glibc

/// This machine's name.
enum HostName {
    /// Up to the first dot; empty where it has none.
    static var short: String {
        var system = utsname()
        guard uname(&system) == 0 else { return "" }
        let bytes = withUnsafeBytes(of: system.nodename) { Array($0) }
        return String(decoding: bytes.prefix { $0 != 0 && $0 != UInt8(ascii: ".") }, as: UTF8.self)
    }
}
