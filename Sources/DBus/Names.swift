/// A valid name of the D-Bus specification. libdbus aborts the process on an invalid name.
package protocol CheckedName: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    var text: String { get }
    init(unchecked text: String)
    static func isValid(_ text: String) -> Bool
}

extension CheckedName {
    /// Returns `nil` when `text` isn't a valid name.
    package init?(_ text: String) {
        guard Self.isValid(text) else { return nil }
        self.init(unchecked: text)
    }

    /// Creates a name from a literal, which must be valid.
    package init(stringLiteral text: String) {
        precondition(Self.isValid(text), "not a \(Self.self): \(text)")
        self.init(unchecked: text)
    }

    package var description: String { text }
}

/// A bus name: well-known (`org.bluez`) or a connection's unique one (`:1.42`).
package struct BusName: CheckedName {
    package let text: String
    package init(unchecked text: String) { self.text = text }

    package static let daemon: BusName = "org.freedesktop.DBus"

    package var isUnique: Bool { text.utf8.first == UInt8(ascii: ":") }

    package static func isValid(_ text: String) -> Bool {
        let unique = text.utf8.first == UInt8(ascii: ":")
        return isDotted(text, from: unique ? 1 : 0, dashes: true, leadingDigits: unique)
    }
}

/// An interface's name, such as `org.bluez.Device1`. Error names have the same form.
package struct InterfaceName: CheckedName {
    package let text: String
    package init(unchecked text: String) { self.text = text }

    package static func isValid(_ text: String) -> Bool { isDotted(text, dashes: false, leadingDigits: false) }
}

/// A method's, signal's or property's name.
package struct MemberName: CheckedName {
    package let text: String
    package init(unchecked text: String) { self.text = text }

    package static func isValid(_ text: String) -> Bool {
        text.utf8.count <= 255
            && elements(of: text, by: UInt8(ascii: "."), dashes: false, leadingDigits: false) == 1
    }
}

/// An object's path, such as `/org/bluez/hci0`.
package struct ObjectPath: CheckedName, Comparable {
    package let text: String
    /// The text's hash, computed once: each message looks a path up several times.
    private let hash: Int

    package init(unchecked text: String) {
        self.text = text
        hash = text.hashValue
    }

    package static func == (left: ObjectPath, right: ObjectPath) -> Bool {
        left.hash == right.hash && left.text == right.text
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// Returns the stored hash for a `Dictionary`. It has this process's seed already.
    package func _rawHashValue(seed: Int) -> Int { hash ^ seed }

    package static let root: ObjectPath = "/"

    package static func isValid(_ text: String) -> Bool {
        guard text.utf8.first == UInt8(ascii: "/") else { return false }
        if text.utf8.count == 1 { return true }
        return elements(of: text, from: 1, by: UInt8(ascii: "/"), dashes: false, leadingDigits: true) != nil
    }

    /// Whether this object is `ancestor` or below it. (`/hci10` isn't below `/hci1`.)
    package func isAt(orBelow ancestor: ObjectPath) -> Bool {
        if ancestor == .root { return true }
        let (bytes, end) = (text.utf8Span.span, ancestor.text.utf8.count)
        guard bytes.count == end || bytes.count > end && bytes[end] == UInt8(ascii: "/") else { return false }
        return text.hasPrefix(ancestor.text)
    }

    /// The path of the object above; `nil` for the root.
    package var parent: ObjectPath? {
        guard text.utf8.count > 1, let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return slash == text.startIndex ? .root : ObjectPath(unchecked: String(text[..<slash]))
    }

    /// The path's last element.
    package var name: Substring {
        text[(text.utf8.lastIndex(of: UInt8(ascii: "/")).map(text.utf8.index(after:)) ?? text.startIndex)...]
    }

    /// Returns the path of a child; `nil` when `name` can't be part of a path.
    package func child(_ name: String) -> ObjectPath? { ObjectPath(self == .root ? "/" + name : text + "/" + name) }

    package static func < (left: ObjectPath, right: ObjectPath) -> Bool { left.text < right.text }
}

/// Whether the text has at least two elements with dots between them.
private func isDotted(_ text: String, from start: Int = 0, dashes: Bool, leadingDigits: Bool) -> Bool {
    guard text.utf8.count <= 255 else { return false }
    return elements(of: text, from: start, by: UInt8(ascii: "."), dashes: dashes, leadingDigits: leadingDigits) ?? 0
        >= 2
}

/// Returns the number of elements between separators; `nil` when one is invalid.
private func elements(
    of text: String, from start: Int = 0, by separator: UInt8, dashes: Bool, leadingDigits: Bool
) -> Int? {
    var text = text
    return text.withUTF8 { bytes in
        var count = 1
        var isFirst = true
        for place in start..<max(start, bytes.count) {
            switch bytes[place] {
            case separator:
                if isFirst { return nil }
                count += 1
                isFirst = true
                continue
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): break
            case UInt8(ascii: "0")...UInt8(ascii: "9"): if isFirst, !leadingDigits { return nil }
            case UInt8(ascii: "-"): if !dashes { return nil }
            default: return nil
            }
            isFirst = false
        }
        return isFirst ? nil : count
    }
}
