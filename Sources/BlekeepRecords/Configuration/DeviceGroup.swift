/// A group of devices by their tag, as users name it: `tag:cellar`.
package struct DeviceGroup: Sendable, Hashable {
    package static let prefix = "tag:"

    package let tag: String

    /// - Returns: `nil` for a text that doesn't name a group.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        tag = String(text.dropFirst(Self.prefix.count))
    }

    /// Returns the devices of the group.
    package func members(of devices: [DeviceConfiguration]) -> [DeviceConfiguration] {
        devices.filter { $0.tags.contains(tag) }
    }

    /// Returns the message that says that a group has no devices.
    ///
    /// - Parameter tags: the tags of all devices.
    package func emptyMessage(_ tags: some Sequence<String>) -> String {
        let all = Set(tags).sorted()
        return all.isEmpty
            ? "no device has a tag; add 'tags: [\(tag)]' to devices in the configuration"
            : "no device has the tag '\(tag)'; the tags are \(all.joined(separator: ", "))"
    }
}
