/// The number of values that a device sent by itself, and of those that a throttle dropped.
package struct ThinnedValues: Sendable, Hashable {
    package var thinned = 0
    package var total = 0

    package init() {}
}
