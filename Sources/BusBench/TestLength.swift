import Glibc

/// How much tests live through that is long by nature, such as weeks in virtual time. `swift test` takes as much as proves
/// each thing once; with `LONG_TESTS=1`, as `.ci/night` sets it, the same tests take all.
package enum TestLength {
    private static let isLong = getenv("LONG_TESTS") != nil

    package static func of<Value>(_ usual: Value, atNight long: Value) -> Value { isLong ? long : usual }
}
