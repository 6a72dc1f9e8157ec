internal import Glibc

/// Returns a variable of the process's environment.
package func environmentVariable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
