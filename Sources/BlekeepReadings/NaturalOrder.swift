/// The order of names as people count: `s2` before `s10`, and small letters beside capital ones.
package enum NaturalOrder {
    package static func precedes(_ left: String, _ right: String) -> Bool {
        var (a, b) = (left[...].unicodeScalars, right[...].unicodeScalars)
        while let first = a.first, let second = b.first {
            let (one, other) = (digits(&a), digits(&b))
            if !one.isEmpty, !other.isEmpty {
                if one.count != other.count { return one.count < other.count }
                if one != other { return one < other }
                continue
            }
            // The digits of one name stand where the other has none.
            if !one.isEmpty || !other.isEmpty { return !one.isEmpty }
            let (left, right) = (first.properties.lowercaseMapping, second.properties.lowercaseMapping)
            if left != right { return left < right }
            a.removeFirst()
            b.removeFirst()
        }
        return a.isEmpty && !b.isEmpty || a.isEmpty == b.isEmpty && left < right
    }

    /// Removes the digits at the beginning, and returns them without leading zeros; `0` for nothing but zeros.
    private static func digits(_ text: inout Substring.UnicodeScalarView) -> String {
        let all = text.prefix { "0"..."9" ~= $0 }
        text.removeFirst(all.count)
        let significant = all.drop { $0 == "0" }
        return all.isEmpty ? "" : significant.isEmpty ? "0" : String(String.UnicodeScalarView(significant))
    }
}
