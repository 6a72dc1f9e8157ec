/// The reason why a connection ended, from BlueZ's signal `Device1.Disconnected`, since 5.83.
package enum LinkEnd: String, Sendable, Hashable, CaseIterable {
    case timeout, local, remote, authentication, suspend, unknown

    /// - Parameter reason: such as `org.bluez.Reason.Timeout`.
    init(_ reason: String) {
        // The word after the last dot.
        let begin = reason.utf8.lastIndex(of: UInt8(ascii: ".")).map(reason.utf8.index(after:)) ?? reason.startIndex
        self = LinkEnd(rawValue: reason[begin...].lowercased()) ?? .unknown
    }
}
