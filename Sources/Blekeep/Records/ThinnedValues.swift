/// How many values came by themselves, and how many of them a throttle has dropped.
package struct ThinnedValues: Sendable, Hashable {
    package var thinned = 0
    package var total = 0

    package init() {}
}
