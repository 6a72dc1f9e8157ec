internal import Glibc

/// A variable of the process's environment.
package func environmentVariable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
