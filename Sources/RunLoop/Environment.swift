internal import Glibc

/// Returns a variable of the process's environment.
package func environmentVariable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

package enum ProcessEnvironment {
    package static var all: [String: String] {
        var all: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let pair = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { all[String(pair[0])] = String(pair[1]) }
            entry += 1
        }
        return all
    }
}
