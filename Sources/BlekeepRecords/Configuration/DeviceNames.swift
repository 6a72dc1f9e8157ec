/// A group of devices as users name it: `tag:cellar`, or `all`.
package struct DeviceGroup: Sendable, Hashable {
    package static let prefix = "tag:"
    package static let all = "all"

    /// `nil` for all devices.
    package let tag: String?

    /// - Returns: `nil` for a text that doesn't name a group.
    package init?(_ text: String) {
        guard text != Self.all else {
            tag = nil
            return
        }
        guard text.hasPrefix(Self.prefix) else { return nil }
        tag = String(text.dropFirst(Self.prefix.count))
    }

    /// Whether a device with these tags belongs to the group.
    package func includes(_ tags: [String]) -> Bool { tag.map(tags.contains) ?? true }

    package func members(of devices: [DeviceConfiguration]) -> [DeviceConfiguration] {
        devices.filter { includes($0.tags) }
    }

    /// Returns the message that says that a group has no devices.
    ///
    /// - Parameter tags: the tags of all devices.
    package func emptyMessage(_ tags: some Sequence<String>) -> String {
        guard let tag else { return "there are no devices" }
        let all = Set(tags).sorted()
        return all.isEmpty
            ? "no device has a tag; add 'tags: [\(tag)]' to devices in the configuration"
            : "no device has the tag '\(tag)'; the tags are \(all.joined(separator: ", "))"
    }
}

/// Names of devices as users type them: an exact name counts first, then one without regard to case.
package enum DeviceNames {
    package enum Match: Sendable, Hashable {
        /// The index of the device.
        case one(Int)
        /// Names that differ only by case.
        case several([String])
        case none
    }

    /// Finds the device that a name means.
    ///
    /// - Parameter names: the names of each device, such as its alias and its ID.
    package static func match(_ text: String, among names: [[String]]) -> Match {
        if let exact = names.firstIndex(where: { $0.contains(text) }) { return .one(exact) }
        let wanted = text.lowercased()
        let alike = names.indices.filter { names[$0].contains { $0.lowercased() == wanted } }
        if alike.count > 1 { return .several(alike.compactMap { names[$0].first { $0.lowercased() == wanted } }) }
        return alike.first.map { .one($0) } ?? .none
    }

    /// Returns the sentence about a name that no device has.
    ///
    /// - Parameters:
    ///   - names: the names of all devices.
    ///   - list: what lists them, such as `'blekeep status' lists all`.
    package static func unknown(_ text: String, among names: [String], list: String) -> String {
        let start = "no device is called '\(text)'"
        guard !names.isEmpty else {
            return "\(start): name one by its alias, or by its address such as F0:00:00:00:00:01"
        }
        let near = Spelling.nearest(to: text, among: names).map { "'\($0)'" }
        guard let last = near.last else { return "\(start); \(list)" }
        let choice = near.count == 1 ? last : "\(near.dropLast().joined(separator: ", ")) or \(last)"
        return "\(start) (\(list)); did you mean \(choice)?"
    }

    /// Returns what a command in a message calls a device: its name, or its address if a shell wouldn't take the name as
    /// one argument.
    package static func argument(_ name: String, at address: BluetoothAddress) -> String {
        let isWord = !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || "-_.:".contains($0) }
        return isWord ? name : address.description
    }

    /// Returns the sentence about a name that several devices have, but for the case of its letters.
    package static func ambiguous(_ text: String, among names: [String]) -> String {
        let choice = names.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
        return "'\(text)' may mean \(choice); write the name with the same capital letters"
    }
}
